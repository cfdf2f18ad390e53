/** One thing that every subject of a suite owes. Checks do not depend on each other and may run in any order. */
export interface ConformanceCheck {
  /** A sentence about behaviour that begins with the subject's name. */
  readonly title: string;
  /**
   * Needs no `this`, so it can be handed to a runner as it is.
   *
   * @throws the error of its suite when the subject does not conform.
   */
  readonly run: () => Promise<void>;
}

/** A check that is over as soon as it has looked. */
export function checkOf(title: string, look: () => void): ConformanceCheck {
  return {
    title,
    run: () => new Promise((resolve) => {
      look();
      resolve();
    }),
  };
}
