import { z } from 'zod';

/**
 * What shows that an Attempt may not prove what it seems to:
 * - `protected-changed`: the agent changed a path that the eval protects;
 * - `toolchain-changed`: a program that the eval names is not the one of before;
 * - `hidden-present`: a file that the eval keeps back was in the sandbox when a send began;
 * - `future-history`: a git repository held commits that its HEAD does not lead to when the first send began;
 * - `planted-plugin`: the agent added or changed a file that a test runner, an interpreter or a shell loads by itself.
 */
export const INTEGRITY_KINDS = ['protected-changed', 'toolchain-changed', 'hidden-present', 'future-history', 'planted-plugin'] as const;

export const integrityFactSchema = z.object({
  kind: z.enum(INTEGRITY_KINDS),
  /** In the sandbox: absolute, or relative to the working directory; in the text form of a path. */
  path: z.string(),
  /** What was seen, for people. */
  detail: z.string(),
});

/** One such fact. */
export type IntegrityFact = z.infer<typeof integrityFactSchema>;

export const integrityReportSchema = z.object({
  facts: z.array(integrityFactSchema).readonly(),
  /** What could not be looked at, and why. */
  unchecked: z.array(z.string()).readonly(),
});

/** All that was found. */
export type IntegrityReport = z.infer<typeof integrityReportSchema>;
