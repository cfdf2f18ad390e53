import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { normalShare, studentQuantile } from './distributions.js';
import { checkCount, checkFinite, checkOpenShare } from './input.js';
import { DEFAULT_LEVEL, type Interval } from './wilson.js';

/** How an interval is resampled. */
export interface BootstrapOptions {
  /** Above 0 and below 1. Default: 0.95. */
  readonly level?: number;
  /** Default: 10,000. */
  readonly resamples?: number;
  /** A whole number; the same seed gives the same interval. Default: 1. */
  readonly seed?: number;
}

/** A mean over clusters and where it may lie. */
export interface BootstrapMean {
  readonly clusters: number;
  /** Absent: there are no clusters. */
  readonly mean?: number;
  /** Absent: fewer than ten clusters, of which a bootstrap would tell too narrow an interval, or all of them the same. */
  readonly interval?: Interval;
  readonly level: number;
  readonly resamples: number;
  readonly seed: number;
}

const DEFAULT_RESAMPLES = 10_000;
const DEFAULT_SEED = 1;
const FEWEST = 10;

/**
 * The mean of one number for each cluster (here: one difference for each eval) and its interval, by drawing clusters with replacement.
 * The interval is the expanded percentile interval of Hesterberg, "What Teachers Should Know About the Bootstrap", The American
 * Statistician 69 (2015), section 5.3: percentiles of the resampled means, farther out than the level says by as much as Student's t and
 * the n - 1 in a variance ask for. The plain percentile interval of a dozen clusters is too narrow.
 *
 * @throws StatisticsInputError when a value or an option is none.
 */
export function clusterBootstrap(values: readonly number[], options: BootstrapOptions = {}): BootstrapMean {
  const { level = DEFAULT_LEVEL, resamples = DEFAULT_RESAMPLES, seed = DEFAULT_SEED } = options;
  checkOpenShare('level', level);
  checkCount('resamples', resamples, 100);
  checkCount('seed', seed);
  for (const value of values) checkFinite('value', value);
  const clusters = values.length;
  const told = { clusters, level, resamples, seed };
  if (clusters === 0) return told;
  const mean = values.reduce((sum, value) => sum + value, 0) / clusters;
  if (clusters < FEWEST || values.every((value) => value === values[0])) return { ...told, mean };
  const means = resampledMeans(values, resamples, seed);
  const tail = normalShare(-Math.sqrt(clusters / (clusters - 1)) * studentQuantile((1 + level) / 2, clusters - 1));
  return { ...told, mean, interval: { low: quantileOf(means, tail), high: quantileOf(means, 1 - tail) } };
}

/** In ascending order. */
function resampledMeans(values: readonly number[], resamples: number, seed: number): Float64Array {
  const clusters = Float64Array.from(values);
  const random = xoroshiro128plus(seed);
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    let sum = 0;
    // 32 bits, scaled: no cluster is drawn noticeably more often than another.
    for (let drawn = 0; drawn < clusters.length; drawn += 1) sum += clusters[Math.floor(((random.next() >>> 0) / 2 ** 32) * clusters.length)] ?? 0;
    means[resample] = sum / clusters.length;
  }
  return means.sort();
}

/** Between the two nearest of n sorted values, at place share x (n + 1): type 6 of Hyndman and Fan (1996). */
function quantileOf(sorted: Float64Array, share: number): number {
  const place = Math.min(Math.max(share * (sorted.length + 1), 1), sorted.length);
  const below = sorted[Math.floor(place) - 1] ?? NaN;
  const above = sorted[Math.ceil(place) - 1] ?? NaN;
  return below + (above - below) * (place - Math.floor(place));
}
