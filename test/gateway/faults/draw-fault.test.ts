import { describe, expect, test } from 'vitest';
import { createFaults } from '../../../src/gateway/faults/draw-fault.js';
import type { FaultPlan, FaultRule } from '../../../src/gateway/faults/fault-plan.js';

const REQUEST = { protocol: 'anthropic-messages', path: '/v1/messages' } as const;

/** Which of the first requests meet which rule; 0 for none. */
function met(plan: FaultPlan | readonly FaultRule[], count: number, sessionId = 'one'): readonly number[] {
  const faults = createFaults('rules' in plan ? plan : { rules: plan }, sessionId);
  return Array.from({ length: count }, () => faults.draw(REQUEST)?.number ?? 0);
}

describe('a rule', () => {
  test.each<[string, FaultRule, readonly number[]]>([
    ['without a condition', { status: 500 }, [1, 1, 1, 1, 1]],
    ['for some requests', { status: 500, requests: [2, 5] }, [0, 1, 0, 0, 1]],
    ['from a request on', { status: 500, requests: { from: 3 } }, [0, 0, 1, 1, 1]],
    ['up to a request', { status: 500, requests: { to: 2 } }, [1, 1, 0, 0, 0]],
    ['for every second request', { status: 500, requests: { every: 2 } }, [1, 0, 1, 0, 1]],
    ['for every second request of a range', { status: 500, requests: { from: 2, to: 4, every: 2 } }, [0, 1, 0, 1, 0]],
    ['for no request', { status: 500, requests: [] }, [0, 0, 0, 0, 0]],
    ['at most twice', { status: 500, times: 2 }, [1, 1, 0, 0, 0]],
    ['at most once of some', { status: 500, times: 1, requests: { from: 4 } }, [0, 0, 0, 1, 0]],
    ['of its protocol', { status: 500, protocol: 'anthropic-messages' }, [1, 1, 1, 1, 1]],
    ['of another protocol', { status: 500, protocol: 'gemini' }, [0, 0, 0, 0, 0]],
    ['of its path', { status: 500, pathIncludes: 'messages' }, [1, 1, 1, 1, 1]],
    ['of another path', { status: 500, pathIncludes: 'gemini-pro' }, [0, 0, 0, 0, 0]],
    ['that is never drawn', { status: 500, probability: 0 }, [0, 0, 0, 0, 0]],
    ['that is always drawn', { status: 500, probability: 1 }, [1, 1, 1, 1, 1]],
  ])('%s', (_what, rule, expected) => {
    expect(met([rule], 5)).toEqual(expected);
  });

  test('wins over those behind it, until it is used up', () => {
    expect(met([{ status: 429, times: 1 }, { status: 500, requests: [1, 2] }, { stall: true, requests: { from: 2 } }], 4)).toEqual([1, 2, 3, 3]);
  });
});

describe('a probability', () => {
  const plan: FaultPlan = { seed: 7, rules: [{ status: 500, probability: 0.3 }] };

  test('comes to the same for the same seed, Attempt and request', () => {
    expect(met(plan, 200)).toEqual(met(plan, 200));
  });

  test('comes to something else for another Attempt, another seed and another rule', () => {
    const first = met(plan, 200);
    expect(met(plan, 200, 'two')).not.toEqual(first);
    expect(met({ ...plan, seed: 8 }, 200)).not.toEqual(first);
    const second = met({ seed: 7, rules: [{ status: 429, requests: [] }, ...plan.rules] }, 200);
    expect(second.map((number) => (number === 2 ? 1 : 0))).not.toEqual(first);
  });

  test('is met about as often as it says', () => {
    // Five standard deviations of 10,000 draws at 0.3.
    const share = met(plan, 10_000).filter((number) => number === 1).length / 10_000;
    expect(Math.abs(share - 0.3)).toBeLessThan(5 * Math.sqrt(0.3 * 0.7 / 10_000));
  });
});
