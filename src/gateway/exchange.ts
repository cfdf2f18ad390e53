import { z } from 'zod';
import { PROTOCOLS, type ProtocolName } from './protocol.js';
import { usageSchema, type Usage } from '../evidence/usage.js';
import { FAULT_KINDS, type FaultKind } from './faults/fault-plan.js';

const OUTCOMES = [
  'played', 'side', 'forwarded', 'replayed', 'unauthorized', 'over-budget', 'script-exhausted', 'script-unplayable', 'cassette-lacks', 'upstream-missing',
  'upstream-failed', 'faulted', 'not-found', 'refused', 'given-up', 'aborted', 'failed',
] as const;

/**
 * How a request ended: `played` a turn of the script, a scripted failure or cut included; `side` answered a request of the CLI's own;
 * `forwarded` was answered by a model service, with a failure or not; `replayed` from a cassette; `over-budget` was refused by the host;
 * `cassette-lacks` is in no cassette; `upstream-missing` has no service or no key for it; `upstream-failed` could not be asked, or its
 * answer broke off; `faulted` was spoilt on purpose;
 * `script-unplayable` had a turn that the protocol cannot carry; `refused` broke a limit or a rule of the protocol;
 * `given-up` lost its client before it went anywhere; `aborted` lost its client, or its session was closed; `failed` met a fault of the gateway.
 */
export type ExchangeOutcome = (typeof OUTCOMES)[number];

/** What is known of one request. It never holds the token, and nothing that was said. */
export interface Exchange {
  /** `null` when the request named no open session. */
  readonly sessionId: string | null;
  /** `null` when the path belongs to no protocol. */
  readonly protocol: ProtocolName | null;
  readonly method: string;
  /** Without the query; at most 200 characters. */
  readonly path: string;
  /** Its place among the requests of its session, from 1, in the order in which they came. */
  readonly ordinal?: number;
  /** Label of the window whose token it showed. Absent: it showed the session's own. */
  readonly window?: string;
  /** It wanted something of a model, whatever became of it; absent for all else. */
  readonly asksModel?: true;
  /** The model that was asked, or that answered where only that is known. */
  readonly model?: string;
  /** The model that the client named, where another was asked. */
  readonly askedModel?: string;
  readonly lane?: string;
  /** Position in its lane, from 1. */
  readonly turn?: number;
  /** HTTP status that was sent; 0 when none was. */
  readonly status: number;
  readonly outcome: ExchangeOutcome;
  /** What the answer reported; absent where a scripted answer was not sent whole. */
  readonly usage?: Usage;
  /** Why the model stopped, in the vendor's word. */
  readonly stopReason?: string;
  /** The vendor's word for a failure that the answer tells. */
  readonly errorType?: string;
  /** What became of it, in a sentence for people, where it was refused or the service failed. */
  readonly detail?: string;
  /** Which rule of the faults spoilt it, from 1, and how. */
  readonly fault?: ExchangeFault;
  /** How many times the client says that it has tried before. */
  readonly retry?: number;
  /** What the client says of itself: its conversation, and which agent in it asks. */
  readonly client?: ClientFacts;
  /** What was decided for the client: see {@link Sampling}. */
  readonly applied?: readonly string[];
  /** What the service says may still be asked of it. */
  readonly limits?: readonly RateLimit[];
  /** Milliseconds after which the service wants to be asked again. */
  readonly retryAfterMs?: number;
  /** Bytes of the answer's body that were sent. */
  readonly sentBytes?: number;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Milliseconds from the request's headers to the first byte of the answer; absent when there was none. */
  readonly firstByteMs?: number;
  readonly durationMs: number;
}

/** A fault that an answer met. */
export interface ExchangeFault {
  readonly rule: number;
  readonly kind: FaultKind;
}

/** Which conversation of a CLI asks. */
export interface ClientFacts {
  readonly session?: string;
  /** Absent: the main one, or the CLI does not tell. */
  readonly agent?: string;
}

/** One limit of a model service. */
export interface RateLimit {
  /** For instance `requests`, `tokens`, `input-tokens`. */
  readonly unit: string;
  readonly limit?: number;
  readonly remaining?: number;
  /** ISO 8601. */
  readonly resetsAt?: string;
}

const count = z.number().int().nonnegative();

/** Accepts an {@link Exchange}. */
export const exchangeSchema: z.ZodType<Exchange> = z.strictObject({
  sessionId: z.string().nullable(),
  protocol: z.enum(PROTOCOLS).nullable(),
  method: z.string(),
  path: z.string(),
  ordinal: count.exactOptional(),
  window: z.string().exactOptional(),
  asksModel: z.literal(true).exactOptional(),
  model: z.string().exactOptional(),
  askedModel: z.string().exactOptional(),
  lane: z.string().exactOptional(),
  turn: count.exactOptional(),
  status: count,
  outcome: z.enum(OUTCOMES),
  usage: usageSchema.exactOptional(),
  stopReason: z.string().exactOptional(),
  errorType: z.string().exactOptional(),
  detail: z.string().exactOptional(),
  fault: z.strictObject({ rule: count, kind: z.enum(FAULT_KINDS) }).exactOptional(),
  retry: count.exactOptional(),
  client: z.strictObject({ session: z.string().exactOptional(), agent: z.string().exactOptional() }).exactOptional(),
  applied: z.array(z.string()).readonly().exactOptional(),
  limits: z.array(z.strictObject({
    unit: z.string(), limit: z.number().exactOptional(), remaining: z.number().exactOptional(), resetsAt: z.string().exactOptional(),
  })).readonly().exactOptional(),
  retryAfterMs: z.number().nonnegative().exactOptional(),
  sentBytes: count.exactOptional(),
  startedAt: z.string(),
  firstByteMs: z.number().nonnegative().exactOptional(),
  durationMs: z.number().nonnegative(),
});
