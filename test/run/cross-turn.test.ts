import { describe, expect, test } from 'vitest';
import { ClaimLedger } from '../../src/assert/ledger.js';
import { occurrencesOf } from '../../src/assert/scope.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import { equals } from '../../src/expect/values.js';
import type { PlannedAttempt } from '../../src/plan/plan.js';
import { EvidenceLog } from '../../src/run/evidence-log.js';
import { createTestContext } from '../../src/run/test-context.js';

const start = (operationId: string): StreamEvent => ({ type: 'operation.started', operationId, operation: { kind: 'tool', name: 'Bash', input: {} } });
const end = (operationId: string): StreamEvent => ({ type: 'operation.finished', operationId, kind: 'tool', status: 'completed' });

describe('a call that ends in a later turn', () => {
  test('is pending in its own turn, no orphan in the later one, and whole in the session', () => {
    const log = new EvidenceLog(completeEvidenceCoverage);
    const session = log.newSession();
    const add = (events: readonly StreamEvent[]) => log.end(log.begin(session), {
      turn: { status: 'completed', events }, prompt: 'go', startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1,
    });
    const first = add([start('a')]);
    const second = add([end('a'), start('b'), end('b')]);
    const seen = (options: Parameters<EvidenceLog['scope']>[1]) => {
      const { occurrences, orphanEnds } = occurrencesOf(log.scope('it', options));
      return { calls: occurrences.map((call) => `${call.operationId} ${call.status}`), orphanEnds };
    };
    expect(seen({ turn: first })).toEqual({ calls: ['a pending'], orphanEnds: 0 });
    expect(seen({ turn: second })).toEqual({ calls: ['b completed'], orphanEnds: 0 });
    expect(seen({ session })).toEqual({ calls: ['a completed', 'b completed'], orphanEnds: 0 });
  });
});

describe('a checked value', () => {
  test('is compared as it was at the call', async () => {
    const claims = new ClaimLedger();
    const t = createTestContext({
      attempt: { experiment: { agent: { name: 'none' } } } as unknown as PlannedAttempt,
      log: new EvidenceLog(completeEvidenceCoverage),
      claims,
      signal: new AbortController().signal,
      send: () => Promise.reject(new Error('not sent')),
      note: () => undefined,
    });
    const list = [1];
    t.check(list, equals([1]));
    list.push(2);
    t.check(list, equals([1]));
    expect((await claims.settle()).map((claim) => claim.state)).toEqual(['matched', 'mismatched']);
  });
});
