import { addUsage, type Usage } from '../evidence/usage.js';
import type { Exchange } from '../gateway/exchange.js';
import { isModelRequest, usageByModel } from './gateway-count.js';
import type { GatewayCount } from './result.js';

/** Why a window lacked its model. */
export interface ModelTrouble {
  readonly outcome: 'over-budget' | 'cassette-lacks' | 'upstream-missing' | 'upstream-failed' | 'failed' | 'gone';
  readonly detail: string;
  /** Nothing that the window asked after its last trouble was answered. */
  readonly isLast: boolean;
}

/** What explains most comes first. */
const RANKS = { 'cassette-lacks': 1, failed: 2, 'over-budget': 3, 'upstream-missing': 4, 'upstream-failed': 5 } as const;
type Trouble = { readonly outcome: keyof typeof RANKS; readonly detail: string };

/** So many requests are kept one by one; sums and troubles are kept of all. */
const MOST_KEPT = 10_000;
/** Of those that ask no model. */
const MOST_ASIDE = 500;

/** What is known of the requests of one window, or of none. */
interface WindowState {
  requests: number;
  worst: Trouble | undefined;
  /** The request for a model that came last, of those that have ended. */
  last: Exchange | undefined;
  /** The last one of the agent itself, not of a subagent, whose answer told its input. */
  lastTold: Exchange | undefined;
}

/** Keeps what the gateway tells of one session, in bounded space however much it is asked. */
export class SessionMeter {
  readonly exchanges: Exchange[] = [];
  /** Requests that were told but not kept. */
  dropped = 0;
  /** The first refusal for want of money. */
  overBudget: { readonly window: string | undefined; readonly detail: string } | undefined;
  readonly #windows = new Map<string, WindowState>();
  /** What requests under way have used as far as they have told, by their ordinals. */
  readonly #open = new Map<number, { readonly model: string | undefined; readonly usage: Usage }>();
  #used: Usage = {};
  #asked = 0;
  #requests = 0;
  #aside = 0;

  /** A request was let go to a model. */
  asked(): void {
    this.#asked += 1;
  }

  told(ordinal: number, model: string | undefined, usage: Usage): void {
    this.#open.set(ordinal, { model, usage });
  }

  ended(exchange: Exchange): void {
    const { ordinal, model, usage, window = '', outcome, detail } = exchange;
    if (ordinal !== undefined) this.#open.delete(ordinal);
    if (usage !== undefined) this.#used = addUsage([this.#used, usageByModel([{ model, usage }])]);
    const state = this.#windows.get(window) ?? { requests: 0, worst: undefined, last: undefined, lastTold: undefined };
    this.#windows.set(window, state);
    const asksModel = isModelRequest(exchange);
    if (asksModel) {
      this.#requests += 1;
      state.requests += 1;
    }
    if (exchange.asksModel === true && outcome !== 'given-up' && (ordinal ?? 0) >= (state.last?.ordinal ?? 0)) state.last = exchange;
    if (asksModel && exchange.client?.agent === undefined && contextTokensOf(usage) !== undefined && (ordinal ?? 0) >= (state.lastTold?.ordinal ?? 0)) state.lastTold = exchange;
    if (outcome in RANKS) {
      const trouble: Trouble = { outcome: outcome as keyof typeof RANKS, detail: detail ?? 'the gateway met a fault of its own' };
      if (state.worst === undefined || RANKS[trouble.outcome] < RANKS[state.worst.outcome]) state.worst = trouble;
      if (outcome === 'over-budget') this.overBudget ??= { window: exchange.window, detail: trouble.detail };
    }
    this.#keep(exchange, asksModel);
  }

  #keep(exchange: Exchange, asksModel: boolean): void {
    if (!asksModel) this.#aside += 1;
    if (this.exchanges.length < MOST_KEPT && (asksModel || this.#aside <= MOST_ASIDE)) this.exchanges.push(exchange);
    else this.dropped += 1;
  }

  countedIn(label: string): { readonly requests: number; readonly contextTokens: number | undefined } {
    const { requests = 0, lastTold } = this.#windows.get(label) ?? {};
    return { requests, contextTokens: contextTokensOf(lastTold?.usage) };
  }

  troubleIn(label: string): ModelTrouble | undefined {
    const state = this.#windows.get(label);
    if (state?.worst === undefined) return undefined;
    return { ...state.worst, isLast: state.last !== undefined && state.last.outcome in RANKS };
  }

  /** Of all windows, and of what ran in none. */
  get troubles(): readonly ModelTrouble[] {
    return [...this.#windows.keys()].flatMap((label) => this.troubleIn(label) ?? []);
  }

  /** Requests to a model, and what they used as far as that is known. */
  get spent(): GatewayCount {
    return { requests: Math.max(this.#asked, this.#requests), usage: addUsage([this.#used, usageByModel([...this.#open.values()])]) };
  }

  /** The same when all have ended. */
  get total(): GatewayCount {
    return { requests: this.#requests, usage: this.#used };
  }
}

/** What a model was given, by what its answer told. `undefined`: it did not. */
function contextTokensOf({ inputTokens, cacheReadTokens = 0, cacheCreationTokens = 0 }: Usage = {}): number | undefined {
  return inputTokens === undefined ? undefined : inputTokens + cacheReadTokens + cacheCreationTokens;
}
