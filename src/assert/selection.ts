import { checkedRange, type CountRange } from '../expect/count-range.js';
import { show } from '../expect/match.js';
import { ClaimAuthoringError } from './errors.js';

/** How often: exactly `count`, or at least. For other numbers use `.atMost(n)` or `.between(a, b)` of the match. */
export interface CountOptions {
  readonly count?: number | { readonly atLeast: number };
}

/**
 * How often a claim asks for, by its options or by its match. `undefined`: neither says.
 *
 * @param refusal Why this claim takes no number at all.
 * @throws ClaimAuthoringError when both say, or the claim takes none.
 */
export function countOf(method: string, options: CountOptions, match: { readonly count?: CountRange; readonly description: string }, refusal?: string): CountRange | undefined {
  if (refusal !== undefined && match.count !== undefined) throw new ClaimAuthoringError(`${method} takes no number of times from "${match.description}": ${refusal}.`);
  if (typeof options !== 'object' || options === null) throw new ClaimAuthoringError(`${method} needs its options as an object, not ${show(options)}.`);
  const unknown = Object.keys(options).find((key) => key !== 'count');
  if (unknown !== undefined) throw new ClaimAuthoringError(`${method} does not know the option "${unknown}". It knows count.`);
  if (options.count === undefined) return match.count;
  if (match.count !== undefined) throw new ClaimAuthoringError(`${method}: "${match.description}" says already how often. Leave \`count\` out.`);
  const given: unknown = options.count;
  const number: unknown = typeof given === 'object' && given !== null ? (given as { atLeast?: unknown }).atLeast : given;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 1) {
    throw new ClaimAuthoringError(`${method}: a count is a whole number from 1 or { atLeast }, not ${show(given)}. For none use not${method === 'event' ? 'Event' : 'CalledTool'}.`);
  }
  return typeof given === 'number' ? checkedRange('count', number, number) : checkedRange('count', number, Infinity);
}
