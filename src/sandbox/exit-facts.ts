/** What is known of a command when it ended. */
export interface ExitFacts {
  readonly exitCode: number;
  /** False: it never got to run. What was printed is the backend's own message then. */
  readonly started: boolean;
}

const SIGNALS: ReadonlySet<number> = new Set([137, 143]);

/** Whether an exit code is one that stands for a signal which somebody else sends. */
export function isKilled({ exitCode, started }: ExitFacts): boolean {
  return started && SIGNALS.has(exitCode);
}
