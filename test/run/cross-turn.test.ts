import { describe, expect, test } from 'vitest';
import { occurrencesIn } from '../../src/assert/scope.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import { equals } from '../../src/expect/values.js';
import { EvidenceLog } from '../../src/run/evidence-log.js';
import { openPassTest } from './contexts.js';

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
      const [only] = log.scope('it', options).sessions;
      if (only === undefined) throw new Error('nothing was sent');
      const { occurrences, orphanEnds } = occurrencesIn(only);
      return { calls: occurrences.map((call) => `${call.operationId} ${call.status}`), orphanEnds };
    };
    expect(seen({ turn: first })).toEqual({ calls: ['a pending'], orphanEnds: 0 });
    expect(seen({ turn: second })).toEqual({ calls: ['b completed'], orphanEnds: 0 });
    expect(seen({ session })).toEqual({ calls: ['a completed', 'b completed'], orphanEnds: 0 });
  });
});

describe('a checked value', () => {
  test('is compared as it was at the call', async () => {
    const { t, claims } = openPassTest();
    const list = [1];
    t.check(list, equals([1]));
    list.push(2);
    t.check(list, equals([1]));
    expect((await claims.settle()).map((claim) => claim.state)).toEqual(['matched', 'mismatched']);
  });
});
