import type { ProgressInput } from '../define/context.js';
import type { Pricing } from '../evidence/cost.js';
import type { SandboxProvider } from '../sandbox/sandbox.js';
import type { ImageStates } from '../workspace/ledger.js';
import type { Judges } from './judging.js';
import type { ModelAccess } from './model-access.js';
import type { NetworkPool } from './network-pool.js';
import type { Spent } from './budgets.js';
import type { AttemptSink } from './ports.js';
import type { RetryRecord } from './result.js';
import type { StrayFailures } from './stray-failures.js';

/** Which sandboxes outlive their Attempt: all, or those of Attempts that failed or errored. */
export type KeepSandbox = 'all' | 'failed';

/** What an Attempt needs from the run that it belongs to. */
export interface AttemptWorld {
  readonly provider: SandboxProvider;
  readonly models: ModelAccess;
  /** Networks without anybody in them, for Attempts without a model. Absent: such an Attempt gets no network at all. */
  readonly deserted?: NetworkPool;
  readonly imageStates: ImageStates;
  readonly sink: AttemptSink;
  /** Failures that no test saw. */
  readonly strays: StrayFailures;
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal;
  /** Aborted when whoever interrupted it asks again: nothing is waited for any more that can be left behind. Absent: nobody does. */
  readonly hasten?: AbortSignal;
  readonly queuedMs: number;
  /** Prices of the project. Default: only the built-in list. */
  readonly pricing?: Pricing;
  readonly judges: Judges;
  /** Which sandboxes are left alive for people to look inside. Absent: none. */
  readonly keep?: KeepSandbox;
  /** Earlier tries of the same Attempt. Default: none. */
  readonly retries?: readonly RetryRecord[];
  /** Called when its sandbox is there and set up. Default: nobody cares. */
  readonly onOpened?: () => void;
  /** Told after each turn what has been spent so far. Default: nobody counts. */
  readonly onSpent?: (spent: Spent) => void;
  /** Why the model may not be asked once more. Default: it may. */
  readonly forbidsSend?: () => string | undefined;
  /** Told what a test says of its progress. */
  readonly onProgress: (progress: ProgressInput) => void;
}
