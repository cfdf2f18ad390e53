import { z } from 'zod';
import { PROTOCOLS, type ProtocolName } from '../protocol.js';
import type { TurnError } from '../script.js';

/** Answers of a model that are spoilt on purpose. */
export interface FaultPlan {
  /** Decides what `probability` comes to. Default: 0. */
  readonly seed?: number;
  /** The first one that applies to a request wins. */
  readonly rules: readonly FaultRule[];
}

/** One kind of fault, and which requests meet it. */
export type FaultRule = FaultCondition & Fault;

/** Which requests to a model. All parts that are present must hold. */
export interface FaultCondition {
  /** Their places among the Attempt's requests to a model, from 1, in the order in which they come; a client's retry is a request too. Default: all. */
  readonly requests?: readonly number[] | RequestRange;
  readonly protocol?: ProtocolName;
  /** Part of the path. The Gemini API names the model there. */
  readonly pathIncludes?: string;
  /** 0 to 1. What is drawn for a request of an Attempt is the same in every run. Default: 1. */
  readonly probability?: number;
  /** How many requests of an Attempt meet the rule at most. Default: no limit. */
  readonly times?: number;
}

/** From `from` to `to`, both included, every `every`th of them. */
export interface RequestRange {
  /** Default: 1. */
  readonly from?: number;
  /** Default: no end. */
  readonly to?: number;
  /** Default: 1. */
  readonly every?: number;
}

/** What is done to an answer: one of these. */
export type Fault =
  /** The service fails, in the shape of its vendor. It is not asked. */
  | TurnError
  /** The answer goes silent and stays open: `true`, before its first byte, and the service is not asked. */
  | { readonly stall: true | StreamPlace }
  /** The body comes in so small pieces, with a pause between them. */
  | { readonly trickle: { readonly bytes: number; readonly everyMs: number } }
  /** The connection breaks. `before-head`: before anything was said, and the service is not asked. */
  | { readonly cut: 'before-head' | StreamPlace }
  /** The data of an event, counted from 1, are no JSON; the rest goes on. An answer that is no stream counts as one event. */
  | { readonly malformed: { readonly atEvent: number } };

/**
 * A place in the body of an answer; 0 is before its first byte. Events are those of a stream; an answer that is none has no events, and
 * its place is before its body.
 */
export type StreamPlace = { readonly afterBytes: number } | { readonly afterEvents: number };

/** The names of faults. */
export const FAULT_KINDS = ['status', 'stall', 'trickle', 'cut', 'malformed'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

const HOUR_MS = 3_600_000;
const count = z.number().int().nonnegative();
const place = z.number().int().positive();
const phrase = z.string().min(1).max(2_000);

const condition = {
  requests: z.union([
    z.array(place).max(10_000).readonly(),
    z.strictObject({ from: place.exactOptional(), to: place.exactOptional(), every: place.exactOptional() }),
  ]).exactOptional(),
  protocol: z.enum(PROTOCOLS).exactOptional(),
  pathIncludes: phrase.exactOptional(),
  probability: z.number().min(0).max(1).exactOptional(),
  times: place.exactOptional(),
};

const streamPlace = z.union([z.strictObject({ afterBytes: count }), z.strictObject({ afterEvents: count })]);

const ruleSchema: z.ZodType<FaultRule> = z.union([
  z.strictObject({
    ...condition,
    status: z.number().int().min(400).max(599),
    type: phrase.exactOptional(),
    message: phrase.exactOptional(),
    retryAfterSeconds: z.number().nonnegative().exactOptional(),
  }),
  z.strictObject({ ...condition, stall: z.union([z.literal(true), streamPlace]) }),
  z.strictObject({ ...condition, trickle: z.strictObject({ bytes: place, everyMs: z.number().nonnegative().max(HOUR_MS) }) }),
  z.strictObject({ ...condition, cut: z.union([z.literal('before-head'), streamPlace]) }),
  z.strictObject({ ...condition, malformed: z.strictObject({ atEvent: place }) }),
]);

/** Accepts a {@link FaultPlan}. */
export const faultPlanSchema: z.ZodType<FaultPlan> = z.strictObject({
  seed: z.number().int().exactOptional(),
  rules: z.array(ruleSchema).max(1_000).readonly(),
});

/** What a fault is called. */
export function faultKindOf(fault: Fault): FaultKind {
  return FAULT_KINDS.find((kind) => kind in fault) ?? 'status';
}
