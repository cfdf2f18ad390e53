import { describe, expect, test } from 'vitest';
import type { FailureKind } from '../../src/evidence/failure-kind.js';
import type { AttemptFailureInfo } from '../../src/define/failure-class.js';
import { afterAttempt, type RetryPolicy } from '../../src/run/retry.js';
import { attemptResult } from './results.js';

const INFRASTRUCTURE: readonly FailureKind[] = ['engine', 'image', 'network', 'rate-limit', 'auth', 'model-service', 'cli-crash', 'timeout', 'harness'];
const broken = (kind: FailureKind) => attemptResult({
  verdict: 'errored', reasons: ['it broke'], failure: { kind, infrastructure: INFRASTRUCTURE.includes(kind) }, error: { phase: 'send', code: 'agent-send-failed', message: 'it broke', send: { kind: 'api-error', httpStatus: 429 } },
});
function policy(more: Partial<RetryPolicy> = {}): RetryPolicy & { readonly warnings: string[] } {
  const warnings: string[] = [];
  return { limit: 2, random: () => 1, warn: (message) => warnings.push(message), warnings, ...more };
}

describe('after an Attempt', () => {
  test.each<[FailureKind, boolean]>([
    ['engine', true], ['network', true], ['rate-limit', true], ['model-service', true],
    ['image', false], ['auth', false], ['cli-crash', false], ['timeout', false], ['harness', false], ['eval', false], ['evidence', false], ['budget', false], ['interrupted', false],
  ])('that broke by %s it is tried again: %s', (kind, isTried) => {
    expect(afterAttempt(broken(kind), 1, policy()).then === 'again').toBe(isTried);
  });

  test('whose answers were spoilt on purpose it is not tried again, unless its experiment says so', () => {
    const faulted = { ...broken('rate-limit'), gateway: { requests: 2, usage: {}, windows: [{ label: 'turn1', requests: 2, faulted: 1, usage: {} }] } };
    expect(afterAttempt(faulted, 1, policy())).toEqual({ then: 'end', scope: 'attempt', reason: 'rate-limit' });
    expect(afterAttempt(faulted, 1, policy({ classify: () => ({ retryable: true, reason: 'again' }) })).then).toBe('again');
  });

  test.each(['passed', 'failed', 'skipped'] as const)('that %s nothing is tried again, whatever a classifier says', (verdict) => {
    const classify = (): never => { throw new Error('nobody asks'); };
    expect(afterAttempt(attemptResult({ verdict }), 1, policy({ classify }))).toEqual({ then: 'end', scope: 'attempt' });
  });

  test('each wait is twice as long, with jitter of half of it, and a minute at the most', () => {
    const waits = (random: number) => [1, 2, 3, 6, 9].map((tries) => afterAttempt(broken('network'), tries, policy({ limit: 20, random: () => random }))).map((after) => (after.then === 'again' ? after.afterMs : undefined));
    expect([waits(1), waits(0)]).toEqual([[2_000, 4_000, 8_000, 60_000, 60_000], [1_000, 2_000, 4_000, 30_000, 30_000]]);
  });

  test('there are as many tries besides the first as allowed', () => {
    expect([0, 1, 2].map((limit) => [1, 2, 3, 4].map((tries) => afterAttempt(broken('engine'), tries, policy({ limit })).then))).toEqual([
      ['end', 'end', 'end', 'end'], ['again', 'end', 'end', 'end'], ['again', 'again', 'end', 'end'],
    ]);
  });

  test('a classifier is told what is known, and decides', () => {
    const asked: AttemptFailureInfo[] = [];
    const after = afterAttempt(broken('cli-crash'), 2, policy({ classify: (failure) => { asked.push(failure); return { retryable: true, reason: 'it happens' }; } }));
    expect(asked).toEqual([{ evalId: 'sum', experimentId: 'codex', index: 1, try: 2, kind: 'cli-crash', phase: 'send', code: 'agent-send-failed', message: 'it broke', httpStatus: 429 }]);
    expect(after).toEqual({ then: 'again', afterMs: 4_000, reason: 'it happens' });
  });

  test('a classifier may say that it reaches farther', () => {
    expect(afterAttempt(broken('auth'), 1, policy({ classify: () => ({ retryable: false, reason: 'no key', scope: 'experiment' }) }))).toEqual({ then: 'end', scope: 'experiment', reason: 'no key' });
  });

  test('a classifier that does not know, throws or talks nonsense leaves it to the harness', () => {
    const nonsense = policy({ classify: () => ({ retryable: 'yes' }) as never });
    const thrower = policy({ classify: () => { throw new Error('oh'); } });
    expect([policy({ classify: () => undefined }), nonsense, thrower].map((one) => afterAttempt(broken('engine'), 1, one).then)).toEqual(['again', 'again', 'again']);
    expect([nonsense.warnings, thrower.warnings]).toEqual([
      ['classifyFailure of codex returned what is no failure class; give { retryable, reason, scope? } or undefined.'], ['classifyFailure of codex threw: oh'],
    ]);
  });

  test.each([['eval-fatal', 'eval'], ['experiment-fatal', 'experiment']] as const)('%s ends more than the Attempt', (code, scope) => {
    const fatal = attemptResult({ verdict: 'errored', failure: { kind: 'eval', infrastructure: false }, error: { phase: 'test', code, message: 'no use' } });
    expect(afterAttempt(fatal, 1, policy())).toEqual({ then: 'end', scope, reason: 'no use' });
  });
});
