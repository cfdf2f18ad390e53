import { setMaxListeners } from 'node:events';
import type { Limits } from '../define/limits.js';
import { messageOf } from '../lifetime/error.js';
import type { Pricing } from '../evidence/cost.js';
import type { Plan } from '../plan/plan.js';
import type { SandboxProvider, SandboxSpec } from '../sandbox/sandbox.js';
import type { KeepSandbox } from './attempt-world.js';
import { Budgets } from './budgets.js';
import { Dispatcher, type RunWorld } from './dispatcher.js';
import { ExperimentHooks } from './experiment-hooks.js';
import { createJudges } from './judging.js';
import type { CassetteUse } from './attempt-cassette.js';
import { createRateMemory } from './rate-memory.js';
import { createServices, type Services } from './services.js';
import { createModelAccess } from './model-access.js';
import { createNetworkPool } from './network-pool.js';
import type { RunEvent, RunSink } from './ports.js';
import { countsOf, type AttemptSummary, type RunResult } from './run-result.js';
import { withoutSecrets } from './without-secrets.js';
import { StrayFailures } from './stray-failures.js';

/** From this many Attempts for each place on, networks are made and used again for Attempts that need none. */
const WORTH_A_NETWORK = 6;

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
  /** Where keys are looked up. Default: the environment of this process. */
  readonly env?: (name: string) => string | undefined;
  /** What is done with answers of model services. Default: they are neither kept nor replayed. */
  readonly cassettes?: CassetteUse;
  /** The model services. Default: those that `env` has keys for. */
  readonly services?: Services;
  /** Which sandboxes are left alive for people to look inside. Default: none. */
  readonly keep?: KeepSandbox;
  /** What the whole run may spend. Default: no limit. */
  readonly budget?: number | Limits;
  /** How often an Attempt that the infrastructure broke is begun again. Default: what its experiment says, else `defaultRetries`, else 2. */
  readonly retries?: number;
  readonly defaultRetries?: number;
  /** Whether one passed Attempt of an eval is enough, whatever its experiment says. Default: what that says. */
  readonly earlyExit?: boolean;
  /** Whether so many completed Attempts of one eval by one experiment say enough about it. Default: never, all are carried out. */
  readonly isEnough?: (tally: { readonly passed: number; readonly failed: number }) => boolean;
  /** Attempts begin in the order of the plan, whoever carries them out. Default: experiments take turns. */
  readonly inOrder?: boolean;
  /** With more Attempts than that broken by the infrastructure nothing more is begun. Default: no limit. */
  readonly maxInfraFailures?: number;
  /** Tells the outcome of an Attempt of another run that the plan takes over. `undefined`: it cannot be read any more, so it is carried out. */
  readonly reused?: (from: { readonly runId: string; readonly attemptId: string }) => Promise<AttemptSummary | undefined>;
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
  const reused = await reusedOf(plan, options);
  await options.sink.begin({ runId: options.runId, sandbox: options.provider.name, startedAt: startedAt.toISOString(), attempts: plan.attempts, reused: [...reused.values()] });
  options.onEvent({ type: 'run.started', runId: options.runId, planned: plan.attempts.length, at: startedAt.toISOString() });
  const secrets = secretsOf(plan);
  const warn = (message: string): void => options.onEvent({ type: 'run.warning', message: withoutSecrets(message, secrets) });
  for (const message of [options.provider.caveat, ...plan.warnings]) if (message !== undefined) warn(message);

  // A run lives until it has ended, even while every Attempt only waits for an author's own promise.
  const timer = setInterval(() => undefined, 60_000);
  using _alive = { [Symbol.dispose]: () => clearInterval(timer) };
  using strays = new StrayFailures(({ reason }) => warn(`Something failed outside of every Attempt: ${messageOf(reason)}`));
  const env = options.env ?? ((name: string) => process.env[name]);
  const rates = createRateMemory(() => Date.now());
  const judges = createJudges({ env, signal: options.signal });
  for (const problem of judges.problemsOf(plan.attempts.map(({ judge }) => judge))) warn(problem);
  const { attempts, notRun } = await carriedOut(plan, options, {
    reused, judges, strays, secrets, rates, models: createModelAccess(options.provider, { services: options.services ?? createServices(env), rates, cassettes: options.cassettes }), imageStates: new Map(), images: startImages(plan, options, reused), budgets: new Budgets(options.budget, warn), warn, ...desertedNetworks(plan, options),
  });
  const result: RunResult = {
    runId: options.runId,
    sandbox: options.provider.name,
    startedAt: startedAt.toISOString(),
    durationMs: Math.round(performance.now() - begun),
    interrupted: options.signal.aborted,
    counts: countsOf(attempts),
    attempts,
    notRun,
  };
  await options.sink.seal(result);
  options.onEvent({ type: 'run.finished', result });
  return result;
}

/** What no agent of the plan wants to be told. */
function secretsOf({ attempts }: Plan): readonly string[] {
  return [...new Set(attempts.flatMap(({ experiment }) => experiment.agent.sensitiveValues ?? []))];
}

/** Outcomes of other runs that the plan takes over, by the id of the Attempt that they stand for. */
async function reusedOf(plan: Plan, { reused }: RunOptions): Promise<ReadonlyMap<string, AttemptSummary>> {
  const taken = new Map<string, AttemptSummary>();
  for (const { id, decision } of plan.attempts) {
    if (decision?.action !== 'reuse') continue;
    const summary = await reused?.(decision.from);
    if (summary === undefined) continue;
    const { retries: _ofTheOther, retriesCostUSD: _paidThere, ...own } = summary;
    taken.set(id, { ...own, id, reusedFrom: decision.from });
  }
  return taken;
}

async function carriedOut(plan: Plan, options: RunOptions, world: Omit<RunWorld, 'hooks'>): Promise<Pick<RunResult, 'attempts' | 'notRun'>> {
  await using hooks = new ExperimentHooks({
    attempts: plan.attempts, signal: options.signal, warn: world.warn,
    progress: (experimentId, message) => options.onEvent({ type: 'experiment.progress', experimentId, message: withoutSecrets(message, world.secrets) }),
  });
  return await new Dispatcher(plan, options, { ...world, hooks }).ended();
}

/** Begins to make all images. Each promise settles when its image is there or cannot be made; the Attempt itself learns which. */
function startImages(plan: Plan, options: RunOptions, reused: ReadonlyMap<string, unknown>): ReadonlyMap<SandboxSpec, Promise<void>> {
  const byContent = new Map<string, Promise<void>>();
  const bySpec = new Map<SandboxSpec, Promise<void>>();
  for (const { sandbox, experiment } of plan.attempts.filter(({ id }) => !reused.has(id))) {
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
function desertedNetworks(plan: Plan, options: RunOptions): Pick<RunWorld, 'deserted'> {
  const attempts = plan.attempts.filter(({ script, services, network, experiment }) => script === undefined && services === undefined && network === undefined && experiment.agent.kind === 'sandbox');
  if (options.provider.openClosedNetwork === undefined || attempts.length < WORTH_A_NETWORK * options.concurrency) return {};
  return { deserted: createNetworkPool(options.provider, () => Promise.resolve()) };
}
