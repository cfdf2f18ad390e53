import { describe, expect, test } from 'vitest';
import { createPace, pacedBy } from '../../src/run/pace.js';
import { createRateMemory } from '../../src/run/rate-memory.js';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

/** A memory with a clock that a test sets. */
function memory() {
  const clock = { now: START };
  return { clock, rates: createRateMemory(() => clock.now) };
}

describe('limits that a service tells', () => {
  test('hold nothing up while much is left', () => {
    const { rates } = memory();
    rates.told('key', 'model', { status: 200, limits: [{ unit: 'requests', limit: 50, remaining: 40, resetsAt: at(60) }] });
    expect([rates.waitMs('key'), rates.scarceMs('model')]).toEqual([0, 0]);
  });

  test('let nothing begin when a tenth is left, and no request go out when nothing is, until they are reset', () => {
    const { rates, clock } = memory();
    rates.told('key', 'model', { status: 200, limits: [{ unit: 'input-tokens', limit: 1000, remaining: 100, resetsAt: at(60) }] });
    expect([rates.waitMs('key'), rates.scarceMs('model')]).toEqual([0, 60_000]);
    rates.told('key', 'model', { status: 200, limits: [{ unit: 'input-tokens', limit: 1000, remaining: 0, resetsAt: at(60) }] });
    expect(rates.waitMs('key')).toBe(60_000);
    clock.now += 60_001;
    expect([rates.waitMs('key'), rates.scarceMs('model')]).toEqual([0, 0]);
  });

  test('count requests that are under way', () => {
    const { rates } = memory();
    rates.told('key', 'model', { status: 200, limits: [{ unit: 'requests', limit: 50, remaining: 3, resetsAt: at(10) }] });
    expect(rates.waitMs('key')).toBe(0);
    rates.spent('key');
    rates.spent('key');
    expect(rates.waitMs('key')).toBe(10_000);
  });

  test('are not loosened by an answer that was late, within one period', () => {
    const { rates } = memory();
    rates.told('key', 'model', { status: 200, limits: [{ unit: 'requests', limit: 50, remaining: 1, resetsAt: at(10) }] });
    rates.told('key', 'model', { status: 200, limits: [{ unit: 'requests', limit: 50, remaining: 30, resetsAt: at(9) }] });
    expect(rates.waitMs('key')).toBe(10_000);
    // A later period has its own count.
    rates.told('key', 'model', { status: 200, limits: [{ unit: 'requests', limit: 50, remaining: 49, resetsAt: at(70) }] });
    expect(rates.waitMs('key')).toBe(0);
  });

  test('of one key are no limits of another, and a refusal holds all up that share it', () => {
    const { rates } = memory();
    rates.told('key', 'model', { status: 429, retryAfterMs: 7_000 });
    rates.told('other', 'other model', { status: 200, limits: [] });
    expect([rates.waitMs('key'), rates.scarceMs('model'), rates.waitMs('other'), rates.scarceMs('other model')]).toEqual([7_000, 7_000, 0, 0]);
  });

  test.each([
    ['no limit', { unit: 'requests', remaining: 0, resetsAt: at(60) }],
    ['no reset', { unit: 'requests', limit: 10, remaining: 0 }],
    ['a reset that is no time', { unit: 'requests', limit: 10, remaining: 0, resetsAt: 'soon' }],
    ['a reset that is past', { unit: 'requests', limit: 10, remaining: 0, resetsAt: at(-1) }],
  ])('mean nothing with %s', (_what, limit) => {
    const { rates } = memory();
    rates.told('key', 'model', { status: 200, limits: [limit] });
    expect(rates.waitMs('key')).toBe(0);
  });

  test('never hold anything up for more than five minutes at a time', () => {
    const { rates } = memory();
    rates.told('key', 'model', { status: 429, retryAfterMs: 86_400_000 });
    expect(rates.waitMs('key')).toBe(300_000);
  });
});

test('the pace of a model waits for its reset, and says until when', () => {
  let now = 0;
  const scarce = new Map([['busy', 4_000]]);
  const pace = pacedBy(createPace({ now: () => now, random: () => 0 }), { rates: { scarceMs: (model) => Math.max(0, (scarce.get(model) ?? 0) - now) }, now: () => now });
  expect([pace.mayStart('busy', 0), pace.mayStart('free', 0), pace.nextAt()]).toEqual([false, true, 4_000]);
  now = 4_000;
  expect([pace.mayStart('busy', 0), pace.nextAt()]).toEqual([true, undefined]);
});
