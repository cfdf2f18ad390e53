import { z } from 'zod';
import { PROTOCOLS, type ProtocolName } from './protocol.js';
import { usageSchema, type Usage } from '../evidence/usage.js';

const OUTCOMES = [
  'played', 'side', 'unauthorized', 'script-exhausted', 'script-unplayable', 'not-found', 'refused', 'aborted', 'failed',
] as const;

/**
 * How a request ended: `played` a turn of the script, a scripted failure or cut included; `side` answered a request of the CLI's own;
 * `script-unplayable` had a turn that the protocol cannot carry; `refused` broke a limit or a rule of the protocol;
 * `aborted` lost its client, or its session was closed; `failed` met a fault of the gateway.
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
  readonly model?: string;
  readonly lane?: string;
  /** Position in its lane, from 1. */
  readonly turn?: number;
  /** HTTP status that was sent; 0 when none was. */
  readonly status: number;
  readonly outcome: ExchangeOutcome;
  /** What the answer reported; absent unless the answer was sent whole. */
  readonly usage?: Usage;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Milliseconds from the request's headers to the first byte of the answer; absent when there was none. */
  readonly firstByteMs?: number;
  readonly durationMs: number;
}

const count = z.number().int().nonnegative();

/** Accepts an {@link Exchange}. */
export const exchangeSchema: z.ZodType<Exchange> = z.strictObject({
  sessionId: z.string().nullable(),
  protocol: z.enum(PROTOCOLS).nullable(),
  method: z.string(),
  path: z.string(),
  model: z.string().exactOptional(),
  lane: z.string().exactOptional(),
  turn: count.exactOptional(),
  status: count,
  outcome: z.enum(OUTCOMES),
  usage: usageSchema.exactOptional(),
  startedAt: z.string(),
  firstByteMs: z.number().nonnegative().exactOptional(),
  durationMs: z.number().nonnegative(),
});
