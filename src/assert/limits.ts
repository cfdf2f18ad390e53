import { bucketOf, type Usage } from '../evidence/usage.js';
import { MATCHED, unavailable } from '../expect/match.js';
import type { ClaimOutcome } from './claim.js';
import type { ClaimSpec } from './entry.js';
import { ClaimAuthoringError } from './errors.js';
import { checkedLimit } from './limit.js';
import type { ScopeEvidence, TurnConsumption } from './scope.js';

/** Which tokens count. */
export interface MaxTokensOptions {
  /** Also those read from and written to the prompt cache. Default: false. */
  readonly cache?: boolean;
}

/** At most so many input and output tokens. */
export function maxTokens(scope: ScopeEvidence, most: number, options: MaxTokensOptions = {}): ClaimSpec {
  const max = checkedLimit('maxTokens', most, 'whole');
  const unknown = Object.keys(options).find((key) => key !== 'cache');
  if (unknown !== undefined) throw new ClaimAuthoringError(`maxTokens does not know the option "${unknown}". It knows cache.`);
  if (options.cache !== undefined && typeof options.cache !== 'boolean') throw new ClaimAuthoringError('maxTokens: `cache` must be true or false.');
  const buckets = ['inputTokens', 'outputTokens', ...(options.cache === true ? ['cacheReadTokens', 'cacheCreationTokens'] as const : [])] as const;
  return limitOf(scope, 'used', max, `token${max === 1 ? '' : 's'}${options.cache === true ? ' with cache' : ''}`, (turn) => bucketsOf(turn, buckets));
}

/** At most so many requests to the model. Unavailable where no source counts them. */
export function maxRequests(scope: ScopeEvidence, most: number): ClaimSpec {
  const max = checkedLimit('maxRequests', most, 'whole');
  return limitOf(scope, 'made', max, `model request${max === 1 ? '' : 's'}`, (turn) => bucketsOf(turn, ['requests']));
}

/**
 * At most so many US dollars by the price table: what was observed (`usage.costUSD`) plays no part. Unavailable for a model
 * without a price.
 */
export function maxCost(scope: ScopeEvidence, mostUSD: number): ClaimSpec {
  const max = checkedLimit('maxCost', mostUSD, 'any');
  return limitOf(scope, 'cost', max, 'USD by estimate', costOf);
}

/** At most so many milliseconds in the sends of the scope, one after the other. */
export function maxDuration(scope: ScopeEvidence, mostMs: number): ClaimSpec {
  const max = checkedLimit('maxDuration', mostMs, 'any');
  return limitOf(scope, 'took', max, 'ms', ({ durationMs }) => ({ least: durationMs, most: durationMs }));
}

/** At most so many turns, those of all sessions of the scope together. */
export function maxTurns(scope: ScopeEvidence, most: number): ClaimSpec {
  const max = checkedLimit('maxTurns', most, 'whole');
  return limitOf(scope, 'took', max, `turn${max === 1 ? '' : 's'}`, () => ({ least: 1, most: 1 }));
}

/** What one turn adds: at least, and at most. Without `most` nobody knows, and why. */
interface Share {
  readonly least: number;
  readonly most?: number;
  readonly gap?: { readonly code: string; readonly reason: string };
  readonly notes?: readonly string[];
}

function limitOf(scope: ScopeEvidence, verb: string, max: number, unit: string, shareOf: (turn: TurnConsumption) => Share): ClaimSpec {
  const expected = `at most ${max} ${unit}`;
  return { description: `${scope.name} ${verb} ${expected}`, evaluate: () => judgeLimit(scope, max, expected, scope.turns.map(shareOf)) };
}

/** A limit that is passed already is passed, whatever else is missing. */
function judgeLimit(scope: ScopeEvidence, max: number, expected: string, shares: readonly Share[]): ClaimOutcome {
  const least = rounded(shares.reduce((sum, share) => sum + share.least, 0));
  if (least > max) return { status: 'mismatched', expected, received: `${least}${shares.every(({ most }) => most !== undefined) && !scope.running ? '' : ' or more'}` };
  if (scope.running) return unavailable('scope-still-running', `a send of ${scope.name} is still under way`);
  const blind = shares.find(({ most }) => most === undefined);
  if (blind !== undefined) return unavailable(blind.gap?.code ?? 'evidence-unavailable', blind.gap?.reason ?? 'not everything was told');
  const most = rounded(shares.reduce((sum, share) => sum + (share.most ?? 0), 0));
  const notes = [...new Set(shares.flatMap((share) => share.notes ?? []))];
  if (most > max) return unavailable('estimate-too-wide', `between ${least} and ${most}: ${notes.join('; ')}`);
  return notes.length === 0 ? MATCHED : { status: 'matched', note: `${most}: ${notes.join('; ')}` };
}

function bucketsOf(turn: TurnConsumption, buckets: readonly (keyof Omit<Usage, 'models'>)[]): Share {
  const seen = buckets.map((bucket) => ({ bucket, number: bucketOf(turn.usage ?? {}, bucket) }));
  const least = seen.reduce((sum, { number = 0 }) => sum + number, 0);
  if (turn.gap !== undefined) return { least, gap: { code: 'usage-coverage-incomplete', reason: turn.gap } };
  const missing = seen.filter(({ number }) => number === undefined).map(({ bucket }) => bucket);
  if (missing.length > 0) return { least, gap: { code: 'usage-bucket-missing', reason: `${turn.label}: not reported: ${missing.join(', ')}` } };
  return { least, most: least };
}

function costOf(turn: TurnConsumption): Share {
  const estimate = turn.estimate();
  if (turn.usage === undefined || turn.gap !== undefined) {
    return { least: estimate.leastUSD, gap: { code: 'usage-coverage-incomplete', reason: turn.gap ?? `${turn.label}: no usage is known` } };
  }
  if (estimate.state === 'unknown') {
    return { least: estimate.leastUSD, gap: { code: estimate.code, reason: `${turn.label}: ${estimate.reason}` } };
  }
  const { mostUSD: most, leastUSD: least, notes } = estimate;
  if (most === undefined) return { least, gap: { code: 'usage-bucket-missing', reason: `${turn.label}: ${rounded(estimate.usd)} USD or more: ${notes.join('; ')}. An agent without a cache reports 0` } };
  return { least, most, notes };
}

/** Without the noise of adding binary fractions. */
function rounded(number: number): number {
  return Number(number.toPrecision(12));
}
