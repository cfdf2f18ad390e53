import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ClaimLedger } from '../../src/assert/ledger.js';
import { MATCHED } from '../../src/expect/match.js';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

it('a condition that never answers is errored after a minute, and the others are judged all the same', async () => {
  const claims = new ClaimLedger();
  claims.register({ description: 'never', evaluate: () => new Promise(() => undefined) });
  claims.register({ description: 'good', evaluate: () => MATCHED });
  const settled = claims.settle();
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await settled).map(({ description, state, reason }) => ({ description, state, reason }))).toEqual([
    { description: 'never', state: 'errored', reason: 'there was no answer within 60000 ms' },
    { description: 'good', state: 'matched', reason: undefined },
  ]);
});
