/** What the command line ends with. */
export const EXIT = {
  /** Everything passed, and was told where it was to be told. */
  ok: 0,
  /** An Attempt failed or errored, a report could not be written, or the world broke. */
  failed: 1,
  /** A bad command, or something that an author must mend. Nothing was started. */
  usage: 2,
  /** No container engine answers. */
  noEngine: 3,
  /** `niceeval parse` has told a transcript, but not every line of it could be read. */
  unreadableLines: 3,
  interrupted: 130,
} as const;

/** What `niceeval scenarios` ends with, where that is something else: its exit codes are those that its users know. */
export const SCENARIO_EXIT = {
  /** A bad command, a bad file, or a broken machine. */
  broken: 1,
  /** A scenario failed. */
  failed: 2,
  /** `niceeval scenarios compare` found a regression. */
  regression: 3,
} as const;
