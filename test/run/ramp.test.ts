import { describe, expect, test } from 'vitest';
import { mayStartOne, thisMachine, type MachineState } from '../../src/run/ramp.js';

const idle: MachineState = { cores: 2, availableBytes: 8 * 1024 ** 3, load: 0 };

describe('one more Attempt', () => {
  test.each<[string, Partial<MachineState>, { readonly running: number; readonly opening: number }, boolean]>([
    ['may start on an idle machine', {}, { running: 3, opening: 3 }, true],
    ['waits while two for each core make their sandboxes', {}, { running: 4, opening: 4 }, false],
    ['may start when those have them', {}, { running: 40, opening: 0 }, true],
    ['waits for memory', { availableBytes: 511 * 1024 ** 2 }, { running: 1, opening: 0 }, false],
    ['waits for the processors', { load: 16 }, { running: 1, opening: 0 }, false],
    ['may start on a busy machine when none runs', { availableBytes: 0, load: 100 }, { running: 0, opening: 0 }, true],
  ])('%s', (_what, machine, attempts, may) => {
    expect(mayStartOne({ ...idle, ...machine }, attempts)).toBe(may);
  });

  test('is asked of this machine', () => {
    const { cores, availableBytes, load } = thisMachine();
    expect([cores >= 1, availableBytes > 1024 ** 2, load >= 0]).toEqual([true, true, true]);
  });
});
