import { describe, expect, test } from 'vitest';
import { createPace } from '../../src/run/pace.js';

function paceAt(): { readonly pace: ReturnType<typeof createPace>; readonly go: (ms: number) => void } {
  let at = 0;
  return { pace: createPace({ now: () => at, random: () => 1 }), go: (ms) => { at += ms; } };
}

describe('the pace of a model', () => {
  test('knows no limit until the model says that there are too many', () => {
    expect(paceAt().pace.mayStart('big', 1_000)).toBe(true);
  });

  test('lets a model rest when one Attempt is told "too many", and others go on', () => {
    const { pace, go } = paceAt();
    pace.limited('big', 8);
    expect([pace.mayStart('big', 0), pace.mayStart('small', 8)]).toEqual([false, true]);
    go(4_999);
    expect(pace.mayStart('big', 0)).toBe(false);
    go(1);
    expect(pace.mayStart('big', 0)).toBe(true);
  });

  test('lets half as many at work on it afterwards, and one more with each that gets through', () => {
    const { pace, go } = paceAt();
    pace.limited('big', 9);
    go(5_000);
    const most = (): number => [...Array(20).keys()].filter((running) => pace.mayStart('big', running)).length;
    expect(most()).toBe(4);
    pace.succeeded('big');
    expect(most()).toBe(5);
  });

  test('counts what several are told at once as one refusal', () => {
    const { pace, go } = paceAt();
    for (let time = 0; time < 5; time += 1) pace.limited('big', 8);
    go(5_000);
    expect([pace.mayStart('big', 3), pace.mayStart('big', 4)]).toEqual([true, false]);
  });

  test('rests twice as long each time, five minutes at the most, and never allows none at all', () => {
    const { pace, go } = paceAt();
    const rests: number[] = [];
    for (let time = 0; time < 8; time += 1) {
      pace.limited('big', 1);
      const rest = pace.nextAt();
      let waited = 0;
      while (!pace.mayStart('big', 0)) { go(1_000); waited += 1_000; }
      rests.push(waited);
      expect(rest).toBeDefined();
    }
    expect(rests).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  });

  test('starts again from a short rest after a success', () => {
    const { pace, go } = paceAt();
    pace.limited('big', 1);
    go(5_000);
    pace.limited('big', 1);
    go(10_000);
    pace.succeeded('big');
    pace.limited('big', 1);
    go(5_000);
    expect(pace.mayStart('big', 0)).toBe(true);
  });

  test('rests half as long at least when chance is small', () => {
    let at = 0;
    const pace = createPace({ now: () => at, random: () => 0 });
    pace.limited('big', 2);
    at = 2_499;
    expect(pace.mayStart('big', 0)).toBe(false);
    at = 2_500;
    expect(pace.mayStart('big', 0)).toBe(true);
  });
});
