/** Names a claim. Each method works once, before the claim is evaluated. */
export interface NamedHandle {
  /** An id of your own that stays the same over runs; unique within an Attempt. 1 to 256 characters. */
  key(id: string): this;
  /** Names the claim in tables. 1 to 256 characters. */
  label(text: string): this;
  /** The title of a group that it is shown in, inside those of `t.group`. 1 to 256 characters. */
  group(title: string): this;
}

/** Ends the test where a claim does not hold. */
interface Stopping {
  /**
   * Evaluates this claim and all before it now. When it does not hold, the test ends here, without an error of its
   * own, and the claim fails the Attempt, whatever else was said of it.
   */
  orStop(): Promise<void>;
}

/** A claim about what the agent changed. It is evaluated when the test has ended, so it has no `orStop`. */
export interface FileClaimHandle extends NamedHandle {
  /** Forgives that the evidence is missing. A mismatch still fails. */
  optional(): this;
  /** Says that a mismatch fails the Attempt. It does so anyhow. */
  gate(): this;
  /** Only records the claim: neither a mismatch nor missing evidence decides anything. */
  soft(): this;
}

/** A claim that holds or not. */
export interface ClaimHandle extends FileClaimHandle, Stopping {}

/** A number from 0 to 1. It needs `gate` or `atLeast`. */
export interface MeasurementHandle extends NamedHandle, Stopping {
  /** Fails the Attempt below `least`, 0 to 1. */
  gate(least: number): this;
  /** Records whether it reached `least`, 0 to 1; never fails the Attempt. */
  atLeast(least: number): this;
  /** Forgives that nothing could be measured. */
  optional(): this;
}

/** A claim about what the agent changed, in an eval that gives points. */
export interface ScoreFileClaimHandle extends NamedHandle {
  /** Worth so many points when it holds, else none. A finite number of at least 0. */
  score(points: number): this;
  /** Fails the Attempt when it does not hold, points or not. */
  gate(): this;
}

/** A claim in an eval that gives points. Without `score` and `gate` it is only recorded. */
export interface ScoreClaimHandle extends ScoreFileClaimHandle, Stopping {}

/** A measurement in an eval that gives points. */
export interface ScoreMeasurementHandle extends NamedHandle, Stopping {
  /** Worth so many points times the measurement. */
  score(points: number): this;
  gate(least: number): this;
  atLeast(least: number): this;
}

/** The handles of one kind of eval. */
export interface HandleSet {
  readonly claim: object;
  readonly file: object;
  readonly measurement: object;
}

/** Of an eval that passes or fails. */
export interface PassHandles extends HandleSet {
  readonly claim: ClaimHandle;
  readonly file: FileClaimHandle;
  readonly measurement: MeasurementHandle;
}

/** Of an eval that gives points. */
export interface ScoreHandles extends HandleSet {
  readonly claim: ScoreClaimHandle;
  readonly file: ScoreFileClaimHandle;
  readonly measurement: ScoreMeasurementHandle;
}

/** What one handle of any kind can do; which of it a claim allows is checked when it is called. */
export interface AnyHandle extends NamedHandle, Stopping {
  optional(): this;
  gate(least?: number): this;
  soft(): this;
  atLeast(least: number): this;
  score(points: number): this;
}
