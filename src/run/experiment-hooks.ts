import type { ExperimentHook, ExperimentHookContext } from '../define/experiment.js';
import { startDeadline } from '../lifetime/deadline.js';
import { messageOf, NiceEvalError } from '../lifetime/error.js';
import type { PlannedAttempt } from '../plan/plan.js';
import { abortionOf } from './patience.js';

const TEARDOWN_LIMIT_MS = 30_000;

/** The set-up of an experiment broke, so none of its Attempts can say anything. */
export class ExperimentSetupError extends NiceEvalError {
  readonly code = 'experiment-setup-failed';
  constructor(experimentId: string, thrown: unknown) {
    super(`The set-up of experiment ${experimentId} failed: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** What the hooks of a run need. */
export interface HookOptions {
  readonly attempts: readonly PlannedAttempt[];
  readonly signal: AbortSignal;
  readonly progress: (experimentId: string, message: string) => void;
  readonly warn: (message: string) => void;
}

/** Runs each experiment's set-up once, when its first Attempt is about to begin, and its teardown at the end. */
export class ExperimentHooks implements AsyncDisposable {
  readonly #options: HookOptions;
  readonly #begun = new Map<string, { readonly attempt: PlannedAttempt; readonly setup: Promise<void> }>();

  constructor(options: HookOptions) {
    this.#options = options;
  }

  /** @throws ExperimentSetupError to each Attempt of an experiment whose set-up failed, the signal's reason when the run is interrupted. */
  ready(attempt: PlannedAttempt): Promise<void> {
    const { experimentId, experiment } = attempt;
    if (experiment.setup === undefined && experiment.teardown === undefined) return Promise.resolve();
    const begun = this.#begun.get(experimentId) ?? { attempt, setup: this.#run(experiment.setup, attempt, this.#options.signal).catch((error: unknown) => {
      this.#options.signal.throwIfAborted();
      throw new ExperimentSetupError(experimentId, error);
    }) };
    this.#begun.set(experimentId, begun);
    return begun.setup;
  }

  /** Tears down what was set up, also in part. A failure is a warning. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#begun.values()].map(async ({ attempt, setup }) => {
      await setup.catch(() => undefined);
      const deadline = startDeadline(TEARDOWN_LIMIT_MS, { budget: 'teardown' });
      await this.#run(attempt.experiment.teardown, attempt, deadline.signal)
        .catch((error: unknown) => this.#options.warn(`The teardown of experiment ${attempt.experimentId} failed: ${messageOf(error)}`));
      deadline.close();
    }));
  }

  async #run(hook: ExperimentHook | undefined, { experimentId }: PlannedAttempt, signal: AbortSignal): Promise<void> {
    if (hook === undefined) return;
    const context: ExperimentHookContext = {
      experimentId,
      selectedEvalIds: [...new Set(this.#options.attempts.filter((attempt) => attempt.experimentId === experimentId).map(({ evalId }) => evalId))],
      signal,
      progress: (message) => this.#options.progress(experimentId, message),
    };
    await Promise.race([(async () => hook(context))(), abortionOf(signal).then(() => signal.throwIfAborted())]);
  }
}
