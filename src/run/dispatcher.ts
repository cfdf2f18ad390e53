import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../lifetime/error.js';
import type { Plan, PlannedAttempt } from '../plan/plan.js';
import type { SandboxSpec } from '../sandbox/sandbox.js';
import { runAttempt } from './attempt.js';
import { unbegunResultOf } from './attempt-result.js';
import type { AttemptWorld } from './attempt-world.js';
import type { Budgets } from './budgets.js';
import { ExperimentSetupError, type ExperimentHooks } from './experiment-hooks.js';
import { wasFaulted } from './gateway-count.js';
import { pacedModelOf } from './paced-model.js';
import type { RateMemory } from './rate-memory.js';
import { createPace, pacedBy } from './pace.js';
import type { AttemptSink, RunSink } from './ports.js';
import { mayStartOne, thisMachine } from './ramp.js';
import type { AttemptResult, RetryRecord } from './result.js';
import { afterAttempt, DEFAULT_RETRIES, type AfterAttempt } from './retry.js';
import type { RunOptions } from './run.js';
import { attemptSummaryOf, type AttemptSummary, type NotRun, type RunResult } from './run-result.js';
import { schedule, type Job, type JobEnding, type Schedule } from './scheduler.js';
import { sealed } from './sealed.js';
import { withoutSecrets } from './without-secrets.js';

/** What all Attempts of a run share. */
export type RunWorld = Pick<AttemptWorld, 'models' | 'imageStates' | 'deserted' | 'strays' | 'judges'> & {
  readonly images: ReadonlyMap<SandboxSpec, Promise<void>>;
  /** Outcomes of other runs, by the id of the Attempt that they stand for. */
  readonly reused: ReadonlyMap<string, AttemptSummary>;
  readonly budgets: Budgets;
  readonly rates: RateMemory;
  readonly hooks: ExperimentHooks;
  readonly warn: (message: string) => void;
  readonly secrets: readonly string[];
};

type WhyNot = Pick<NotRun, 'reason' | 'detail'>;

interface AttemptJob extends Job {
  readonly attempt: PlannedAttempt;
  readonly queuedAt: number;
  /** Tries that the infrastructure broke. */
  readonly retries: RetryRecord[];
  /** What the last of them came to. */
  last?: AttemptResult;
}

/** Carries the Attempts of a plan out, in the order that the scheduler finds, and decides after each what it means for the others. */
export class Dispatcher {
  readonly #options: RunOptions;
  readonly #world: RunWorld;
  readonly #plan: Plan;
  readonly #jobs: readonly AttemptJob[];
  readonly #finished = new Map<string, AttemptSummary>();
  readonly #notRun: NotRun[] = [];
  #infraFailures = 0;
  #timer: NodeJS.Timeout | undefined;
  #schedule: Schedule<AttemptJob, WhyNot> | undefined;

  constructor(plan: Plan, options: RunOptions, world: RunWorld) {
    this.#options = options;
    this.#world = world;
    this.#plan = plan;
    this.#jobs = plan.attempts.filter(({ id }) => !world.reused.has(id)).map((attempt) => this.#jobOf(attempt));
  }

  /** Attempts in the order of the plan. */
  async ended(): Promise<Pick<RunResult, 'attempts' | 'notRun'>> {
    const { concurrency, signal, onEvent } = this.#options;
    for (const [id, summary] of this.#world.reused) {
      this.#finished.set(id, summary);
      onEvent({ type: 'attempt.reused', summary });
    }
    const lanes = this.#jobs.flatMap(({ lane, attempt: { experiment } }) => (experiment.maxConcurrency === undefined ? [] : [[lane, experiment.maxConcurrency] as const]));
    const needsSandbox = this.#jobs.some(({ attempt }) => attempt.experiment.agent.kind === 'sandbox');
    this.#schedule = schedule(this.#jobs, {
      places: concurrency,
      lanePlaces: new Map(lanes),
      pace: pacedBy(createPace({ now: () => performance.now(), random: Math.random }), { rates: this.#world.rates, now: () => performance.now() }),
      ...(needsSandbox ? { mayStart: (attempts) => mayStartOne(thisMachine(), attempts) } : {}),
      signal,
      whenAborted: { reason: 'interrupted', detail: 'the run was interrupted' },
      start: (job, opened) => this.#start(job, opened),
      onDropped: (job, why) => this.#dropped(job, why),
    });
    for (const { attempt } of this.#jobs) this.#endIfReusedIsEnough(attempt);
    await this.#schedule.ended;
    clearTimeout(this.#timer);
    const attempts = this.#plan.attempts.flatMap(({ id }) => this.#finished.get(id) ?? []);
    return { attempts, notRun: this.#notRun };
  }

  #jobOf(attempt: PlannedAttempt): AttemptJob {
    const { experimentId, experiment, sandbox } = attempt;
    return {
      attempt, lane: this.#options.inOrder === true ? '' : experimentId, ready: this.#world.images.get(sandbox) ?? Promise.resolve(), queuedAt: performance.now(), retries: [],
      // Without a name of its own the agent's default model is one model.
      ...(experiment.agent.needsEndpoint || experiment.model !== undefined ? { model: pacedModelOf({ experiment }) } : {}),
    };
  }

  async #start(job: AttemptJob, opened: () => void): Promise<JobEnding> {
    try {
      return await this.#carryOut(job, opened);
    } catch (error) {
      // Nothing of the run's own may take others down.
      this.#world.warn(`Attempt ${job.attempt.id} was lost: ${messageOf(error)}`);
      this.#notRunFor(job, { reason: 'halted', detail: messageOf(error) });
      return { kind: 'done' };
    }
  }

  async #carryOut(job: AttemptJob, opened: () => void): Promise<JobEnding> {
    const { attempt, retries } = job;
    const now = performance.now();
    const forbidden = this.#world.budgets.forbids(attempt, now);
    if (forbidden !== undefined) {
      this.#dropped(job, { reason: 'budget', detail: forbidden });
      return { kind: 'done' };
    }
    this.#world.budgets.begin(attempt, now);
    this.#watchTime();
    const own = retries.length === 0 ? attempt : { ...attempt, id: `${attempt.id}.try${retries.length + 1}` };
    const result = await this.#tryOnce(own, job, opened);
    this.#world.budgets.settle(attempt, result);
    const after = afterAttempt(result, retries.length + 1, {
      limit: this.#options.retries ?? attempt.experiment.retries ?? this.#options.defaultRetries ?? DEFAULT_RETRIES,
      ...(attempt.experiment.classifyFailure === undefined ? {} : { classify: attempt.experiment.classifyFailure }),
      random: Math.random,
      warn: this.#world.warn,
    });
    const rateLimited = result.failure?.kind === 'rate-limit' && !wasFaulted(result.gateway);
    if (after.then === 'again' && !this.#options.signal.aborted) {
      this.#tellRetry(job, result, after);
      return { kind: 'again', afterMs: after.afterMs, rateLimited };
    }
    this.#finish(job, result);
    if (after.then === 'end' && after.scope !== 'attempt') this.#halt(attempt, after.scope, after.reason ?? '');
    return { kind: 'done', rateLimited };
  }

  async #tryOnce(attempt: PlannedAttempt, { queuedAt, retries }: AttemptJob, opened: () => void): Promise<AttemptResult> {
    const { evalId, experimentId } = attempt;
    const { provider, signal, pricing, keep, hasten, onEvent } = this.#options;
    const { budgets, hooks } = this.#world;
    onEvent({ type: 'attempt.started', attempt: attempt.id, evalId, experimentId, index: attempt.index, at: new Date().toISOString() });
    const sink = await openedSink(attempt, this.#options.sink);
    try {
      await hooks.ready(attempt);
    } catch (error) {
      if (error instanceof ExperimentSetupError) return sealed(unbegunResultOf(attempt, { phase: 'experiment.setup', code: error.code, message: error.message }, false), sink);
      return sealed(unbegunResultOf(attempt, { phase: 'experiment.setup', code: 'interrupted', message: 'the run was interrupted' }, true), sink);
    }
    return runAttempt(attempt, {
      ...this.#world, provider, sink, signal, queuedMs: performance.now() - queuedAt, retries,
      ...(pricing === undefined ? {} : { pricing }),
      ...(keep === undefined ? {} : { keep }),
      ...(hasten === undefined ? {} : { hasten }),
      onOpened: opened,
      onSpent: (spent) => budgets.spend(attempt, attempt.id, spent),
      ...(budgets.limits(attempt) ? { forbidsSend: () => budgets.forbidsSend(attempt, attempt.id, performance.now()) } : {}),
      onProgress: (progress) => onEvent({ type: 'attempt.progress', attempt: attempt.id, evalId, experimentId, progress }),
    });
  }

  #tellRetry(job: AttemptJob, result: AttemptResult, { reason, afterMs }: AfterAttempt & { readonly then: 'again' }): void {
    const { id, evalId, experimentId, failure, error, usage, estimatedCostUSD, timings } = result;
    const message = error?.message ?? result.reasons[0] ?? '';
    const kind = failure?.kind ?? 'harness';
    job.retries.push({ id, kind, reason, message, durationMs: timings.totalMs, usage, ...(estimatedCostUSD === undefined ? {} : { estimatedCostUSD }) });
    job.last = result;
    this.#options.onEvent({ type: 'attempt.retrying', attempt: id, evalId, experimentId, try: job.retries.length, kind, reason, message, afterMs });
  }

  #finish(job: AttemptJob, result: AttemptResult): void {
    const { attempt } = job;
    this.#finished.set(attempt.id, attemptSummaryOf(result));
    this.#options.onEvent({ type: 'attempt.finished', result });
    if (result.failure?.infrastructure === true) this.#countInfraFailure();
    this.#endIfEnough(attempt);
    if (this.#isEarlyExit(attempt) && result.verdict === 'passed') {
      this.#drop((other) => isSameEval(other, attempt), { reason: 'early-exit', detail: `attempt ${attempt.index} passed` });
    }
  }

  /** What was taken over may be enough already. */
  #endIfReusedIsEnough(attempt: PlannedAttempt): void {
    const passed = [...this.#world.reused.values()].find((summary) => summary.verdict === 'passed' && isSameEval(summary, attempt));
    if (passed !== undefined && this.#isEarlyExit(attempt)) this.#drop((other) => isSameEval(other, attempt), { reason: 'early-exit', detail: `attempt ${passed.index} passed` });
    else this.#endIfEnough(attempt);
  }

  #isEarlyExit({ experiment }: PlannedAttempt): boolean {
    return this.#options.earlyExit ?? experiment.earlyExit === true;
  }

  #endIfEnough(attempt: PlannedAttempt): void {
    const { isEnough } = this.#options;
    if (isEnough === undefined) return;
    const own = [...this.#finished.values()].filter((summary) => isSameEval(summary, attempt));
    const tally = { passed: own.filter(({ verdict }) => verdict === 'passed').length, failed: own.filter(({ verdict }) => verdict === 'failed').length };
    if (isEnough(tally)) this.#drop((other) => isSameEval(other, attempt), { reason: 'enough', detail: `${tally.passed} of ${tally.passed + tally.failed} passed, which is precise enough` });
  }

  #countInfraFailure(): void {
    const { maxInfraFailures } = this.#options;
    this.#infraFailures += 1;
    if (maxInfraFailures === undefined || this.#infraFailures !== maxInfraFailures + 1) return;
    this.#world.warn(`The infrastructure broke ${this.#infraFailures} Attempts; ${maxInfraFailures} are allowed. Nothing more is begun.`);
    this.#drop(() => true, { reason: 'halted', detail: `more than ${maxInfraFailures} Attempts were broken by the infrastructure` });
  }

  #halt(attempt: PlannedAttempt, scope: 'eval' | 'experiment', reason: string): void {
    const what = scope === 'eval' ? `eval ${attempt.evalId} by ${attempt.experimentId}` : `experiment ${attempt.experimentId}`;
    this.#world.warn(`Nothing more of ${what} is begun: ${reason}`);
    this.#drop((other) => (scope === 'eval' ? isSameEval(other, attempt) : other.experimentId === attempt.experimentId), { reason: 'halted', detail: reason });
  }

  #drop(fits: (attempt: PlannedAttempt) => boolean, why: WhyNot): void {
    this.#schedule?.drop((job) => fits(job.attempt), why);
  }

  /** A limit of time ends the waiting also where nothing finishes meanwhile. */
  #watchTime(): void {
    clearTimeout(this.#timer);
    const ms = this.#world.budgets.nextEndMs(performance.now());
    if (ms === undefined) return;
    this.#timer = setTimeout(() => {
      const now = performance.now();
      this.#schedule?.drop((job) => this.#world.budgets.forbids(job.attempt, now) !== undefined, { reason: 'budget', detail: 'its time is up' });
      this.#watchTime();
    }, Math.min(ms + 1, 2 ** 31 - 1));
  }

  /** Of one that was to be begun again, the last try is its end. */
  #dropped(job: AttemptJob, why: WhyNot): void {
    const { last } = job;
    if (last === undefined) this.#notRunFor(job, why);
    else this.#finish(job, { ...last, ...(job.retries.length < 2 ? {} : { retries: job.retries.slice(0, -1) }) });
  }

  #notRunFor({ attempt: { id, evalId, experimentId, index } }: AttemptJob, why: WhyNot): void {
    const notRun: NotRun = withoutSecrets({ id, evalId, experimentId, index, ...why }, this.#world.secrets);
    this.#notRun.push(notRun);
    this.#options.onEvent({ type: 'attempt.not-run', notRun });
  }
}

function isSameEval(a: Pick<PlannedAttempt, 'evalId' | 'experimentId'>, b: Pick<PlannedAttempt, 'evalId' | 'experimentId'>): boolean {
  return a.evalId === b.evalId && a.experimentId === b.experimentId;
}

/** A record that cannot be opened fails the Attempt when it is sealed or its raw output comes, not the run. */
async function openedSink(attempt: PlannedAttempt, sink: RunSink): Promise<AttemptSink> {
  try {
    return await sink.openAttempt(attempt);
  } catch (error) {
    const refuse = (): Promise<never> => Promise.reject(new Error(messageOf(error), { cause: error }));
    return { openRaw: refuse, keepFile: refuse, seal: refuse, blobFolder: join(tmpdir(), `niceeval-unrecorded-${attempt.id}`) };
  }
}
