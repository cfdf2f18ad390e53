import type { RawSink } from '../agents/agent.js';
import type { ProgressInput } from '../define/context.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { AttemptResult } from './result.js';
import type { FailureKind } from '../evidence/failure-kind.js';
import type { AttemptSummary, NotRun, RunResult } from './run-result.js';

/** Something that happened while a run was under way. */
export type RunEvent =
  | { readonly type: 'run.started'; readonly runId: string; readonly planned: number; readonly at: string }
  | { readonly type: 'image.progress'; readonly line: string }
  | { readonly type: 'experiment.progress'; readonly experimentId: string; readonly message: string }
  | { readonly type: 'attempt.started'; readonly attempt: string; readonly evalId: string; readonly experimentId: string; readonly index: number; readonly at: string }
  | { readonly type: 'attempt.progress'; readonly attempt: string; readonly evalId: string; readonly experimentId: string; readonly progress: ProgressInput }
  /** The infrastructure broke it, and it will be begun again. */
  | { readonly type: 'attempt.retrying'; readonly attempt: string; readonly evalId: string; readonly experimentId: string; readonly try: number; readonly kind: FailureKind; readonly reason: string; readonly message: string; readonly afterMs: number }
  | { readonly type: 'attempt.finished'; readonly result: AttemptResult }
  /** Its outcome is taken from another run. */
  | { readonly type: 'attempt.reused'; readonly summary: AttemptSummary }
  | { readonly type: 'attempt.not-run'; readonly notRun: NotRun }
  | { readonly type: 'run.warning'; readonly message: string }
  | { readonly type: 'run.finished'; readonly result: RunResult };

/** Where one Attempt is kept while it runs, and sealed when it has ended. */
export interface AttemptSink {
  /** Opens a file for raw output of one send. */
  openRaw(name: string): Promise<RawSink>;
  /** Keeps a file that the agent wrote, whole. `path` is hostile; a later file of the same path replaces it. */
  keepFile(path: string, bytes: Uint8Array): Promise<void>;
  /** A folder for kept file contents. Whoever writes there replaces the agent's secrets. */
  readonly blobFolder: string;
  /** Called once, after teardown. */
  seal(result: AttemptResult): Promise<void>;
}

/** What is known of a run before anything has started. */
export interface RunBeginning extends Pick<RunResult, 'runId' | 'sandbox' | 'startedAt'> {
  readonly attempts: readonly Pick<PlannedAttempt, 'id' | 'evalId' | 'experimentId' | 'index'>[];
  /** Outcomes of other runs that it takes over. Absent: none. */
  readonly reused?: readonly AttemptSummary[];
  /** The run whose evidence is judged again. Absent: its Attempts are carried out. */
  readonly regradedFrom?: string;
}

/** Where a run is kept. */
export interface RunSink {
  /** Called once, before the first Attempt is opened. */
  begin(beginning: RunBeginning): Promise<void>;
  openAttempt(attempt: PlannedAttempt): Promise<AttemptSink>;
  /** Called once, last. */
  seal(result: RunResult): Promise<void>;
}
