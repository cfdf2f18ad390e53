import { randomBytes } from 'node:crypto';
import type { ModelEndpoint } from '../agents/agent.js';
import type { Usage } from '../evidence/usage.js';
import type { DiagnosticInput } from '../define/context.js';
import type { Exchange } from '../gateway/exchange.js';
import type { PlacedGateway } from '../gateway/placement.js';
import type { AttemptCassette } from './attempt-cassette.js';
import { gatewayCountOf, isModelRequest, usageByModel } from './gateway-count.js';
import type { GatewayCount } from './result.js';

/** What one Attempt holds of the model. */
export interface ModelLease {
  /** For what runs in no window: its token holds as long as the Attempt. */
  readonly endpoint: ModelEndpoint;
  /** The endpoint of a conversation in a window. A conversation that waited keeps its token, which stands for the new window from now on. */
  openWindow(label: string, conversation: string): Promise<ModelEndpoint>;
  /** Waits until the gateway has told of everything that a conversation asked and that has ended. */
  settle(label: string, conversation: string): Promise<void>;
  /** Ends the life of the token of a conversation, unless its CLI lives on and waits. */
  closeWindow(conversation: string, options: { readonly waits: boolean }): Promise<void>;
  /** The requests that have ended so far. */
  readonly exchanges: readonly Exchange[];
  /** Requests to the model in a window, as far as they have ended. */
  requestsIn(label: string): number;
  /** Why the model could not be asked, where the gateway or the service is to blame, among the requests of a window. `undefined`: nothing of the kind. */
  troubleIn(label: string): ModelTrouble | undefined;
  /**
   * Ends the life of all tokens.
   *
   * @param options.keepCassette What its model answered is worth to be kept, where it was recorded.
   * @returns what was counted; absent: the gateway could not be asked any more. And what people should know.
   */
  close(options: { readonly keepCassette: boolean }): Promise<{ readonly counted?: GatewayCount; readonly remarks: readonly DiagnosticInput[] }>;
}

/** Why a window lacked its model. */
export interface ModelTrouble {
  readonly outcome: 'over-budget' | 'cassette-lacks' | 'upstream-missing' | 'upstream-failed' | 'failed' | 'gone';
  readonly detail: string;
}

/** A token that is worth nothing outside its session. */
export function freshToken(): string {
  return `niceeval-${randomBytes(24).toString('hex')}`;
}

/** A gateway that answers for a long time to nobody must not fill this process. */
const MOST_EXCHANGES = 10_000;

/** Keeps what the gateway tells of one session. */
export class SessionMeter {
  readonly exchanges: Exchange[] = [];
  /** What each request used as far as it has told, by its ordinal. */
  readonly #usages = new Map<number, { readonly model: string | undefined; readonly usage: Usage }>();
  #requests = 0;

  /** A request went out to a model. */
  asked(): void {
    this.#requests += 1;
  }

  told(ordinal: number, model: string | undefined, usage: Usage): void {
    this.#usages.set(ordinal, { model, usage });
  }

  ended(exchange: Exchange): void {
    if (exchange.ordinal !== undefined && exchange.usage !== undefined) this.told(exchange.ordinal, exchange.model, exchange.usage);
    if (this.exchanges.length < MOST_EXCHANGES) this.exchanges.push(exchange);
  }

  /** Requests to a model that were let go, and what they used as far as that is known. */
  get spent(): GatewayCount {
    return { requests: this.#requests, usage: usageByModel([...this.#usages.values()]) };
  }
}

/** What a lease is made of. */
export interface ModelLeaseOptions {
  readonly gateway: PlacedGateway;
  readonly sessionId: string;
  readonly token: string;
  readonly meter: SessionMeter;
  readonly cassette: AttemptCassette | undefined;
  /** Told each token that is made. */
  readonly onToken: (token: string) => void;
  /** Called when the session is closed. */
  readonly onClose: () => void;
}

/** A lease over a session that is open. */
export function createModelLease({ gateway, sessionId, token, meter, cassette, onToken, onClose }: ModelLeaseOptions): ModelLease {
  const { control, origin } = gateway;
  const conversations = new Map<string, string>();
  let gone: string | undefined;
  void control.closed.then(({ reason }) => { gone = reason; });
  return {
    endpoint: { origin, token },
    async openWindow(label, conversation) {
      const own = conversations.get(conversation) ?? freshToken();
      conversations.set(conversation, own);
      onToken(own);
      await control.addToken(sessionId, own, label);
      return { origin, token: own };
    },
    async settle(label, conversation) {
      const own = conversations.get(conversation);
      // What it tells comes in order: whoever has its answer has heard all that was before.
      if (own !== undefined) await control.addToken(sessionId, own, label).catch(() => undefined);
    },
    async closeWindow(conversation, { waits }) {
      const own = conversations.get(conversation);
      if (own === undefined || waits) return;
      conversations.delete(conversation);
      // A gateway that is gone serves no token either.
      await control.expireToken(sessionId, own).catch(() => undefined);
    },
    exchanges: meter.exchanges,
    requestsIn: (label) => meter.exchanges.filter((exchange) => exchange.window === label && isModelRequest(exchange)).length,
    troubleIn(label) {
      if (gone !== undefined) return { outcome: 'gone', detail: `the gateway went away: ${gone}` };
      const own = meter.exchanges.filter(({ window, outcome }) => window === label && outcome in TROUBLES);
      const worst = own.sort((a, b) => rankOf(a) - rankOf(b))[0];
      return worst === undefined ? undefined : { outcome: worst.outcome as keyof typeof TROUBLES, detail: worst.detail ?? 'the gateway met a fault of its own' };
    },
    async close({ keepCassette }) {
      onClose();
      const summary = await control.close(sessionId).catch(() => undefined);
      const remarks = await cassette?.close({ keep: keepCassette && summary !== undefined }) ?? [];
      return { ...(summary === undefined ? {} : { counted: gatewayCountOf(meter.exchanges, summary.usage) }), remarks };
    },
  };
}

/** What explains most comes first. */
const TROUBLES = { 'over-budget': 1, 'cassette-lacks': 2, failed: 3, 'upstream-missing': 4, 'upstream-failed': 5 } as const;

function rankOf({ outcome }: Exchange): number {
  return TROUBLES[outcome as keyof typeof TROUBLES];
}
