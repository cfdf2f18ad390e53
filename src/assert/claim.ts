import { z } from 'zod';
import type { MatchOutcome } from '../expect/match.js';

/**
 * How one claim came out. `measured`: a number that decides nothing by itself. `errored`: the author's own condition threw,
 * or the claim cannot be used as it was made.
 */
export type ClaimState = 'matched' | 'mismatched' | 'unavailable' | 'measured' | 'errored';

/** `boolean`: it holds or not. `measurement`: a number from 0 to 1. `points`: given by the author's own code. */
export type ClaimKind = 'boolean' | 'measurement' | 'points';

/** The candidate that came nearest to what was claimed, and where it differs. */
export interface Nearest {
  readonly what: string;
  readonly expected: string;
  readonly received: string;
  /** A JSON Pointer, or a line of a text. */
  readonly path?: string;
}

/** How a claim's condition came out. */
export type ClaimOutcome = MatchOutcome & { readonly nearest?: Nearest };

/** A claim after it was evaluated, once, on frozen evidence. */
export interface Claim {
  /** Position in the order in which claims were made, from 1. */
  readonly ordinal: number;
  readonly kind: ClaimKind;
  /** What is claimed, in words, for instance `turn 1 called tool "Edit"`. */
  readonly description: string;
  /** The author's own name for it. */
  readonly label?: string;
  /** The author's id for it, the same over runs; unique within an Attempt. */
  readonly key?: string;
  /** The titles of the groups around it, outermost first. */
  readonly groups?: readonly string[];
  /** A mismatch fails the Attempt. */
  readonly gates: boolean;
  /** Unavailable is forgiven. A mismatch is not. */
  readonly optional: boolean;
  readonly state: ClaimState;
  /** For `mismatched`. */
  readonly expected?: string;
  readonly received?: string;
  readonly path?: string;
  readonly nearest?: Nearest;
  /** For `unavailable` and `errored`: why; for people, and for machines. */
  readonly reason?: string;
  readonly code?: string;
  /** For `matched`: what it rests on, where that is not plain. */
  readonly note?: string;
  /** What was measured, from 0 to 1. */
  readonly score?: number;
  /** From which measurement on it holds. */
  readonly threshold?: number;
  /** What it is worth. `earned` is absent when that cannot be told. */
  readonly points?: { readonly possible: number; readonly earned?: number };
  /** What a measurement rests on, for instance the answer of a judge. JSON. */
  readonly evidence?: unknown;
}

const nearestSchema = z.object({ what: z.string(), expected: z.string(), received: z.string(), path: z.string().exactOptional() });

export const claimSchema: z.ZodType<Claim> = z.object({
  ordinal: z.number().int().positive(),
  kind: z.enum(['boolean', 'measurement', 'points']),
  description: z.string(),
  label: z.string().exactOptional(),
  key: z.string().exactOptional(),
  groups: z.array(z.string()).readonly().exactOptional(),
  gates: z.boolean(),
  optional: z.boolean(),
  state: z.enum(['matched', 'mismatched', 'unavailable', 'measured', 'errored']),
  expected: z.string().exactOptional(),
  received: z.string().exactOptional(),
  path: z.string().exactOptional(),
  nearest: nearestSchema.exactOptional(),
  reason: z.string().exactOptional(),
  code: z.string().exactOptional(),
  note: z.string().exactOptional(),
  score: z.number().exactOptional(),
  threshold: z.number().exactOptional(),
  points: z.object({ possible: z.number(), earned: z.number().exactOptional() }).exactOptional(),
  evidence: z.unknown().optional(),
});
