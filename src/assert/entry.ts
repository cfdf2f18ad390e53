import type { ClaimKind, ClaimOutcome } from './claim.js';

/** A number, or why there is none. */
export type MeasuredOutcome =
  | { readonly status: 'measured'; readonly score: number; readonly note?: string; readonly evidence?: unknown }
  | { readonly status: 'unavailable'; readonly reason: string; readonly code?: string; readonly evidence?: unknown };

interface SpecFacts {
  readonly description: string;
  /** True for a claim about the end of the Attempt, which `orStop` and earlier claims must not ask about. */
  readonly atEnd?: boolean;
  /** Milliseconds that its condition may take. Default: 60,000. */
  readonly limitMs?: number;
}

/**
 * A claim as it is made: its words, and how it is decided. What decides it is called once and works on evidence that was
 * frozen when the claim was made, or on the frozen end of the Attempt.
 */
export type ClaimSpec = SpecFacts & (
  | { readonly kind?: 'boolean'; readonly evaluate: () => ClaimOutcome | Promise<ClaimOutcome> }
  | { readonly kind: 'measurement'; readonly measure: () => MeasuredOutcome | Promise<MeasuredOutcome> }
  | { readonly kind: 'points'; readonly given: number }
);

/** What the author said of a claim through its handle. */
export interface ClaimSettings {
  readonly key?: string;
  readonly label?: string;
  readonly group?: string;
  readonly optional?: true;
  readonly soft?: true;
  /** For a claim that holds or not: true. For a measurement: from what on. */
  readonly gate?: true | number;
  readonly atLeast?: number;
  readonly score?: number;
  readonly orStop?: true;
}

/** What kind of eval a claim is made in: one that passes or fails, or one that gives points. */
export type EvaluationKind = 'pass' | 'score';

/** A claim and where it stands. */
export interface Entry {
  readonly spec: ClaimSpec;
  readonly kind: ClaimKind;
  readonly ordinal: number;
  /** Titles of `t.group` around it. */
  readonly groups: readonly string[];
  settings: ClaimSettings;
}
