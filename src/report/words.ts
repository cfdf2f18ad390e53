import type { Colors } from 'picocolors/types.js';
import type { Verdict } from '../verdict/verdict.js';

/** A verdict in its colour. */
export function mark(verdict: Verdict, colors: Colors): string {
  switch (verdict) {
    case 'passed': return colors.green('passed');
    case 'failed': return colors.red('failed');
    case 'errored': return colors.magenta('errored');
    case 'skipped': return colors.yellow('skipped');
  }
}

/** Points without the noise of adding binary fractions. */
export function points(number: number): string {
  return String(Number(number.toFixed(2)));
}

/** Small sums keep their first digits, so that a paid Attempt never looks free. */
export function dollars(usd: number | undefined): string {
  if (usd === undefined) return '-';
  return usd === 0 || usd >= 0.01 ? `$${usd.toFixed(2)}` : `$${Number(usd.toPrecision(2)).toFixed(Math.min(20, 1 - Math.floor(Math.log10(usd))))}`;
}

/** A duration, to a tenth. */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
