import { z } from 'zod';

/** How one claim came out. `errored`: the author's own condition threw. */
export type ClaimState = 'matched' | 'mismatched' | 'unavailable' | 'errored';

/** A claim after it was evaluated, once, on frozen evidence. */
export interface Claim {
  /** Position in the order in which claims were made, from 1. */
  readonly ordinal: number;
  /** What is claimed, in words, for instance `turn 1 called tool "Edit"`. */
  readonly description: string;
  /** The author's own name for it. */
  readonly label?: string;
  /** Unavailable is forgiven. A mismatch is not. */
  readonly optional: boolean;
  readonly state: ClaimState;
  /** For `mismatched`. */
  readonly expected?: string;
  readonly received?: string;
  /** For `unavailable` and `errored`: why. */
  readonly reason?: string;
}

export const claimSchema: z.ZodType<Claim> = z.object({
  ordinal: z.number().int().positive(),
  description: z.string(),
  label: z.string().exactOptional(),
  optional: z.boolean(),
  state: z.enum(['matched', 'mismatched', 'unavailable', 'errored']),
  expected: z.string().exactOptional(),
  received: z.string().exactOptional(),
  reason: z.string().exactOptional(),
});

/** Configures a claim that was made. Each method works once. */
export interface FileClaimHandle {
  /** Names the claim in tables. 1 to 256 characters. */
  label(text: string): this;
  /** Forgives that the evidence is missing. A mismatch still fails. */
  optional(): this;
}

/** A claim that can be evaluated at once. */
export interface ClaimHandle extends FileClaimHandle {
  /**
   * Evaluates this claim and all before it now. When it does not hold, the test ends here, without an error of its
   * own; the claim decides the verdict.
   */
  orStop(): Promise<void>;
}
