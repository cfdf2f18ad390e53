import { describe, expect, test } from 'vitest';
import { forecastLine, forecastOf } from '../../src/report/forecast.js';

describe('what a plan may cost', () => {
  test.each([
    ['the median of each pair times its Attempts', [{ attempts: 3, recorded: [0.1, 0.3, 0.2] }, { attempts: 2, recorded: [1] }], 'estimate: about $2.60 for 5 of 5 Attempts, by the medians of recorded ones'],
    ['what is known, with what is not', [{ attempts: 3, recorded: [0.5, undefined] }, { attempts: 4, recorded: [undefined] }], 'estimate: about $1.50 for 3 of 7 Attempts, by the medians of recorded ones; of 4 nobody knows'],
    ['nothing where nothing is known', [{ attempts: 2, recorded: [] }], 'estimate: nobody knows what the 2 Attempts will cost; none of their kind was recorded with a price'],
    ['nothing of one', [{ attempts: 1, recorded: [] }], 'estimate: nobody knows what the Attempt will cost; none of its kind was recorded with a price'],
  ])('is %s', (_what, pairs, line) => {
    expect(forecastLine(forecastOf(pairs))).toBe(line);
  });
});
