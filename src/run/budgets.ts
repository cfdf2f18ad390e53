import type { Usage } from '../evidence/usage.js';
import { limitsOf, type Limits } from '../define/limits.js';
import { NiceEvalError } from '../lifetime/error.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { AttemptResult } from './result.js';

/** What has been spent, as far as it is known. */
export interface Spent extends Pick<AttemptResult, 'usage' | 'estimatedCostUSD' | 'judge' | 'gateway'> {
  /** What costs, at the least, what the gateway counted. Absent: it is not known. */
  readonly onWireUSD?: number;
}

/** A send was refused, since what may be spent is spent. What was done until then is still looked at and judged. */
export class BudgetExceededError extends NiceEvalError {
  readonly code = 'budget-exceeded';
}

interface Sums { usd: number; tokens: number; requests: number }

/** Sums of one owner of a budget. */
interface Account {
  readonly name: string;
  readonly limits: Limits;
  readonly sums: Sums;
  startedAt: number | undefined;
}

const NOTHING: Sums = { usd: 0, tokens: 0, requests: 0 };

/**
 * Adds up what the Attempts of a run spend, while they spend it, and says where a limit is reached: of an Attempt, of its experiment,
 * of the run. Dollars are estimates by the price list. What is under way when a limit is reached goes on until it asks its model again, so the
 * sum may end above the limit by what its last requests cost.
 */
export class Budgets {
  readonly #run: Account;
  readonly #experiments = new Map<string, Account>();
  /** What was counted of each Attempt so far: its sums only grow. */
  readonly #counted = new Map<string, Sums>();
  readonly #untold = new Set<string>();
  readonly #warn: (message: string) => void;

  /** @param warn Told once of each limit that cannot be kept, since nobody tells what is spent. */
  constructor(run: number | Limits | undefined, warn: (message: string) => void) {
    this.#run = account('the run', run);
    this.#warn = warn;
  }

  /** Says that an Attempt begins. */
  begin(attempt: PlannedAttempt, now: number): void {
    for (const owner of [this.#run, this.#of(attempt)]) owner.startedAt ??= now;
  }

  /** Takes what an Attempt has spent so far, all its tries included that are not told under another id. */
  spend(attempt: PlannedAttempt, id: string, spent: Spent): void {
    const before = this.#counted.get(id) ?? NOTHING;
    const sums = most(before, sumsOf(spent));
    this.#counted.set(id, sums);
    for (const owner of [this.#run, this.#of(attempt)]) {
      owner.sums.usd += sums.usd - before.usd;
      owner.sums.tokens += sums.tokens - before.tokens;
      owner.sums.requests += sums.requests - before.requests;
    }
  }

  /** Takes the last word of an Attempt, and says which limits it did not tell enough for. */
  settle(attempt: PlannedAttempt, result: AttemptResult): void {
    this.spend(attempt, result.id, result);
    this.#counted.delete(result.id); // It spends no more.
    if (result.turns.length === 0) return;
    const limited = [this.#run, this.#of(attempt), account('each Attempt', attempt.experiment.attemptBudget)];
    const missing = {
      usd: result.estimatedCostUSD === undefined ? result.unpriced?.reason ?? 'its cost is not known' : undefined,
      tokens: result.usage.inputTokens === undefined && result.usage.outputTokens === undefined ? 'its tokens are not known' : undefined,
      requests: requestsOf(result) === undefined ? 'nobody counts its requests' : undefined,
    };
    for (const { name, limits } of limited) {
      for (const unit of ['usd', 'tokens', 'requests'] as const) {
        const key = `${name} ${unit} ${attempt.experimentId}`;
        if (limits[unit] === undefined || missing[unit] === undefined || this.#untold.has(key)) continue;
        this.#untold.add(key);
        this.#warn(`The budget of ${name} (${limits[unit]} ${UNITS[unit]}) cannot be enforced for ${attempt.experimentId}: ${missing[unit]}.`);
      }
    }
  }

  /** Which limit forbids that an Attempt begins. `undefined`: none. */
  forbids(attempt: PlannedAttempt, now: number): string | undefined {
    return reached(this.#run, now) ?? reached(this.#of(attempt), now);
  }

  /** As `forbids`, for an Attempt that has begun and wants to ask its model once more. */
  forbidsSend(attempt: PlannedAttempt, id: string, now: number): string | undefined {
    const own = { ...account('the Attempt', attempt.experiment.attemptBudget), sums: this.#counted.get(id) ?? NOTHING };
    return reached(own, now) ?? this.forbids(attempt, now);
  }

  /** Whether anything limits what an Attempt may spend, so that its requests must be asked for one by one. */
  limits(attempt: PlannedAttempt): boolean {
    return [this.#run.limits, this.#of(attempt).limits, account('', attempt.experiment.attemptBudget).limits].some((limits) => Object.keys(limits).length > 0);
  }

  /** Milliseconds until the first limit of time is reached. `undefined`: there is none, or its clock does not run. */
  nextEndMs(now: number): number | undefined {
    const ends = [this.#run, ...this.#experiments.values()].flatMap(({ limits, startedAt }) => (limits.wallMs === undefined || startedAt === undefined ? [] : [startedAt + limits.wallMs - now]));
    const future = ends.filter((ms) => ms > 0);
    return future.length === 0 ? undefined : Math.min(...future);
  }

  #of({ experimentId, experiment }: PlannedAttempt): Account {
    const known = this.#experiments.get(experimentId) ?? account(`experiment ${experimentId}`, experiment.budget);
    this.#experiments.set(experimentId, known);
    return known;
  }
}

const UNITS = { usd: 'US dollars', tokens: 'tokens', requests: 'requests' } as const;

function account(name: string, budget: number | Limits | undefined): Account {
  return { name, limits: budget === undefined ? {} : limitsOf(budget), sums: { usd: 0, tokens: 0, requests: 0 }, startedAt: undefined };
}

function reached({ name, limits, sums, startedAt }: Account, now: number): string | undefined {
  for (const unit of ['usd', 'tokens', 'requests'] as const) {
    const limit = limits[unit];
    if (limit !== undefined && sums[unit] >= limit) return `the budget of ${name} is spent: ${rounded(sums[unit])} of ${limit} ${UNITS[unit]}`;
  }
  return limits.wallMs !== undefined && startedAt !== undefined && now - startedAt >= limits.wallMs ? `the time of ${name} is up: ${limits.wallMs} ms` : undefined;
}

/** Nothing that was spent comes back. */
function most(a: Sums, b: Sums): Sums {
  return { usd: Math.max(a.usd, b.usd), tokens: Math.max(a.tokens, b.tokens), requests: Math.max(a.requests, b.requests) };
}

function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens;
}

/** The CLI tells when its turn has ended, the gateway before: whoever has counted more is right. */
function sumsOf({ usage, estimatedCostUSD = 0, onWireUSD = 0, judge, gateway }: Spent): Sums {
  return {
    usd: Math.max(estimatedCostUSD, onWireUSD) + (judge?.estimatedCostUSD ?? 0),
    tokens: Math.max(tokensOf(usage), tokensOf(gateway?.usage ?? {})),
    requests: requestsOf({ usage, ...(gateway === undefined ? {} : { gateway }) }) ?? 0,
  };
}

function requestsOf({ usage, gateway }: Pick<Spent, 'usage' | 'gateway'>): number | undefined {
  return gateway?.requests ?? usage.requests;
}

/** Sums of dollars without the noise of binary fractions. */
function rounded(sum: number): number {
  return Number(sum.toPrecision(6));
}
