import { describe, expect, it } from 'vitest';
import { createIsoClock } from '../../../src/agents/codex/iso-clock.js';

describe('createIsoClock', () => {
  it('writes the same as a Date, whatever the time before was', () => {
    const isoTimeOf = createIsoClock();
    const times = [1_796_000_354_795, 1_796_000_354_796, 1_796_000_355_000, 1_796_000_354_001.7, 0, -1, -1_000, -1.5, 8.64e15 - 1, -8.64e15 + 1, 253_402_300_800_000];
    expect(times.map(isoTimeOf)).toStrictEqual(times.map((time) => new Date(time).toISOString()));
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.64e15])('writes nothing for %s', (time) => {
    expect(createIsoClock()(time)).toBeUndefined();
  });
});
