import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../lifetime/error.js';
import type { Pricing } from '../evidence/cost.js';
import { Semaphore } from '../lifetime/semaphore.js';
import type { Plan, PlannedAttempt } from '../plan/plan.js';
import type { SandboxProvider, SandboxSpec } from '../sandbox/sandbox.js';
import { runAttempt } from './attempt.js';
import type { AttemptWorld, KeepSandbox } from './attempt-world.js';
import { createJudges } from './judging.js';
import { createModelAccess } from './model-access.js';
import { createNetworkPool } from './network-pool.js';
import { abortionOf } from './patience.js';
import type { AttemptSink, RunEvent, RunSink } from './ports.js';
import { StrayFailures } from './stray-failures.js';
import { attemptSummaryOf, countsOf, type AttemptSummary, type RunResult } from './run-result.js';

/** From this many Attempts for each place on, networks are made and used again for Attempts that need none. */
const WORTH_A_NETWORK = 6;

type World = Pick<AttemptWorld, 'models' | 'imageStates' | 'deserted' | 'strays' | 'judges'> & { readonly images: ReadonlyMap<SandboxSpec, Promise<void>> };

/** How a plan is carried out. */
export interface RunOptions {
  readonly runId: string;
  /** How many Attempts run at once. */
  readonly concurrency: number;
  readonly provider: SandboxProvider;
  readonly sink: RunSink;
  /** Interrupts the run: what is under way ends, nothing new starts. */
  readonly signal: AbortSignal;
  /** Aborted after `signal` by whoever has no patience left: what was begun is waited for no longer, cleanup is. Default: nobody. */
  readonly hasten?: AbortSignal;
  /** Prices of the project, for estimates. Default: only the built-in list. */
  readonly pricing?: Pricing;
  /** Where the key of a judge is looked up. Default: the environment of this process. */
  readonly env?: (name: string) => string | undefined;
  /** Which sandboxes are left alive for people to look inside. Default: none. */
  readonly keep?: KeepSandbox;
  readonly onEvent: (event: RunEvent) => void;
}

/**
 * Carries out a plan. Everything that was opened belongs to the provider, which the caller closes.
 * Each Attempt waits for its own image, without taking a place. One whose image cannot be made is errored.
 */
export async function run(plan: Plan, options: RunOptions): Promise<RunResult> {
  setMaxListeners(0, options.signal, ...(options.hasten === undefined ? [] : [options.hasten])); // One listener per Attempt is no leak.
  const startedAt = new Date();
  const begun = performance.now();
  await options.sink.begin({ runId: options.runId, sandbox: options.provider.name, startedAt: startedAt.toISOString(), attempts: plan.attempts });
  options.onEvent({ type: 'run.started', runId: options.runId, planned: plan.attempts.length, at: startedAt.toISOString() });
  for (const message of [options.provider.caveat, ...plan.warnings]) if (message !== undefined) options.onEvent({ type: 'run.warning', message });
  const images = startImages(plan, options);

  // A run lives until it has ended, even while every Attempt only waits for an author's own promise.
  const timer = setInterval(() => undefined, 60_000);
  using _alive = { [Symbol.dispose]: () => clearInterval(timer) };
  using strays = new StrayFailures(({ reason }) => options.onEvent({ type: 'run.warning', message: `Something failed outside of every Attempt: ${messageOf(reason)}` }));
  const judges = createJudges({ env: options.env ?? ((name) => process.env[name]), signal: options.signal });
  for (const problem of judges.problemsOf(plan.attempts.map(({ judge }) => judge))) options.onEvent({ type: 'run.warning', message: problem });
  const world: World = { images, judges, models: createModelAccess(options.provider), imageStates: new Map(), strays, ...desertedNetworks(plan, options) };
  const slots = new Semaphore(options.concurrency);
  const lanes = laneLimits(plan);
  const results = await Promise.all(plan.attempts.map((attempt) => dispatch(attempt, options, world, slots, lanes)));

  const attempts = results.filter((result) => result !== undefined);
  const result: RunResult = {
    runId: options.runId,
    sandbox: options.provider.name,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - begun),
    interrupted: options.signal.aborted,
    counts: countsOf(attempts),
    attempts,
  };
  await options.sink.seal(result);
  options.onEvent({ type: 'run.finished', result });
  return result;
}

/** Begins to make all images. Each promise settles when its image is there or cannot be made; the Attempt itself learns which. */
function startImages(plan: Plan, options: RunOptions): ReadonlyMap<SandboxSpec, Promise<void>> {
  const byContent = new Map<string, Promise<void>>();
  const bySpec = new Map<SandboxSpec, Promise<void>>();
  for (const { sandbox, experiment } of plan.attempts) {
    if (experiment.agent.kind !== 'sandbox') continue;
    const key = JSON.stringify(sandbox);
    const made = byContent.get(key)
      ?? options.provider.prepareImage(sandbox, (line) => options.onEvent({ type: 'image.progress', line }), options.signal).then(() => undefined, () => undefined);
    byContent.set(key, made);
    bySpec.set(sandbox, made);
  }
  return bySpec;
}

/**
 * A sandbox that joins a network which is there starts in half the time of one that gets none of its own (seen with
 * Docker 20.10), but making a network costs as much as several starts.
 */
function desertedNetworks(plan: Plan, options: RunOptions): Pick<World, 'deserted'> {
  const attempts = plan.attempts.filter(({ script, network, experiment }) => script === undefined && network === undefined && experiment.agent.kind === 'sandbox');
  if (options.provider.openClosedNetwork === undefined || attempts.length < WORTH_A_NETWORK * options.concurrency) return {};
  return { deserted: createNetworkPool(options.provider, () => Promise.resolve()) };
}

/** One limit for each experiment that sets one. */
function laneLimits(plan: Plan): ReadonlyMap<string, Semaphore> {
  return new Map(plan.attempts.flatMap(({ experimentId, experiment }) => (
    experiment.maxConcurrency === undefined ? [] : [[experimentId, new Semaphore(experiment.maxConcurrency)] as const]
  )));
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

/** `undefined`: the run was interrupted before the Attempt could start. */
async function dispatch(
  attempt: PlannedAttempt,
  options: RunOptions,
  world: World,
  slots: Semaphore,
  lanes: ReadonlyMap<string, Semaphore>,
): Promise<AttemptSummary | undefined> {
  const queued = performance.now();
  const leave: (() => void)[] = [];
  try {
    await Promise.race([world.images.get(attempt.sandbox), abortionOf(options.signal)]);
    options.signal.throwIfAborted();
    // The experiment's own limit first: an Attempt that waits for it must not hold a place of the run.
    for (const limit of [lanes.get(attempt.experimentId), slots]) if (limit !== undefined) leave.push(await limit.acquire(options.signal));
  } catch {
    for (const release of leave) release();
    return undefined;
  }
  try {
    options.onEvent({
      type: 'attempt.started', attempt: attempt.id, evalId: attempt.evalId, experimentId: attempt.experimentId, at: new Date().toISOString(),
    });
    const result = await runAttempt(attempt, {
      ...world, provider: options.provider, sink: await openedSink(attempt, options.sink), signal: options.signal, queuedMs: performance.now() - queued,
      ...(options.pricing === undefined ? {} : { pricing: options.pricing }),
      ...(options.keep === undefined ? {} : { keep: options.keep }),
      ...(options.hasten === undefined ? {} : { hasten: options.hasten }),
      onProgress: (progress) => options.onEvent({ type: 'attempt.progress', attempt: attempt.id, evalId: attempt.evalId, experimentId: attempt.experimentId, progress }),
    });
    options.onEvent({ type: 'attempt.finished', result });
    return attemptSummaryOf(result);
  } finally {
    for (const release of leave) release();
  }
}
