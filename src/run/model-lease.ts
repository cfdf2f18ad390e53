import { randomBytes } from 'node:crypto';
import type { ModelEndpoint } from '../agents/agent.js';
import type { DiagnosticInput } from '../define/context.js';
import type { Exchange } from '../gateway/exchange.js';
import type { PlacedGateway } from '../gateway/placement.js';
import type { AttemptCassette } from './attempt-cassette.js';
import { gatewayCountOf } from './gateway-count.js';
import { troubleOf, type ModelTroubleError } from './model-trouble.js';
import type { ModelTrouble, SessionMeter } from './session-meter.js';
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
  /** Requests to the model in a window, as far as they have ended, and the tokens that the last one of the agent itself gave it. */
  countedIn(label: string): { readonly requests: number; readonly contextTokens: number | undefined };
  /** Why the model could not be asked, where the gateway or the service is to blame, among the requests of a window. `undefined`: nothing of the kind. */
  troubleIn(label: string): ModelTrouble | undefined;
  /**
   * Ends the life of all tokens.
   *
   * @param options.keepCassette What its model answered is worth to be kept, where it was recorded.
   * @returns what was counted; absent: the gateway could not be asked any more. Why nothing is learnt about the agent, where that is so. And
   * what people should know.
   */
  close(options: { readonly keepCassette: boolean }): Promise<ClosedLease>;
}

/** What a lease came to. */
export interface ClosedLease {
  readonly counted?: GatewayCount;
  readonly troubles: readonly ModelTroubleError[];
  /** The first refusal for want of money. Absent: there was none. */
  readonly overBudget?: { readonly window: string | undefined; readonly detail: string };
  readonly remarks: readonly DiagnosticInput[];
}

/** A token that is worth nothing outside its session. */
export function freshToken(): string {
  return `niceeval-${randomBytes(24).toString('hex')}`;
}

/** What a lease is made of. */
export interface ModelLeaseOptions {
  readonly gateway: PlacedGateway;
  readonly sessionId: string;
  readonly token: string;
  readonly meter: SessionMeter;
  readonly cassette: AttemptCassette | undefined;
  /** Milliseconds for which requests were held for limits of services. */
  readonly heldMs: () => number;
  /** Told each token that is made. */
  readonly onToken: (token: string) => void;
  /** Called when the session is closed. */
  readonly onClose: () => Promise<void>;
}

/** A lease over a session that is open. */
export function createModelLease({ gateway, sessionId, token, meter, cassette, heldMs, onToken, onClose }: ModelLeaseOptions): ModelLease {
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
    countedIn: (label) => meter.countedIn(label),
    troubleIn: (label) => (gone === undefined ? meter.troubleIn(label) : goneAs(gone)),
    async close({ keepCassette }) {
      await onClose();
      const summary = await control.close(sessionId).catch(() => undefined);
      const found = [...meter.troubles, ...(summary === undefined ? [goneAs(gone ?? 'it did not answer')] : [])];
      const troubles = found.flatMap((trouble) => troubleOf(trouble, { cameToNothing: false }) ?? []);
      const remarks = await cassette?.close({ keep: keepCassette && troubles.length === 0 }) ?? [];
      const failed = meter.exchanges.filter(({ outcome }) => outcome === 'upstream-failed').length;
      return {
        ...(summary === undefined ? {} : { counted: gatewayCountOf(meter.exchanges, meter.total) }),
        troubles,
        ...(meter.overBudget === undefined ? {} : { overBudget: meter.overBudget }),
        remarks: [
          ...remarks,
          ...(heldMs() < TOLD_HOLD_MS ? [] : [remark('held-for-limits', `Requests to its model were held for ${(heldMs() / 1000).toFixed(1)} s in all, since the service had said that its limit was near or was asked too much.`)]),
          ...(failed === 0 ? [] : [remark('upstream-failed', `The model service could not be asked, or broke off, ${failed} times.`)]),
          ...(meter.dropped === 0 ? [] : [remark('requests-left-out', `${meter.dropped} requests are in the sums, but not in the list of requests: there were too many.`)]),
        ],
      };
    },
  };
}

/** Shorter waits are nobody's concern. */
const TOLD_HOLD_MS = 1_000;

function goneAs(reason: string): ModelTrouble {
  return { outcome: 'gone', detail: `the gateway went away: ${reason}`, isLast: true };
}

function remark(code: string, message: string): DiagnosticInput {
  return { code, level: 'warning', message };
}
