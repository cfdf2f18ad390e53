import { dirname, relative } from 'node:path';
import type { EvalDefinition } from '../define/eval.js';
import type { EvalDescriptor, ExperimentDefinition } from '../define/experiment.js';
import type { JudgeConfig } from '../judge/config.js';
import { show } from '../expect/match.js';
import { baseUrlOf, type ForwardInput } from '../define/gateway.js';
import type { JsonValue } from '../evidence/json.js';
import { VENDORS } from '../gateway/upstream.js';
import type { Script } from '../gateway/script.js';
import type { NetworkPhases } from '../sandbox/network-access.js';
import type { BackendFeature, SpecFit } from '../sandbox/backend.js';
import { GitSources } from '../sandbox/prepare/git-sources.js';
import type { SandboxSpec } from '../sandbox/sandbox.js';
import type { Discovered, Project } from './discover.js';
import { attemptIdOf } from './attempt-id.js';
import { AuthoringError } from './errors.js';
import { experimentGroupOf } from './group.js';
import { createIdentities, type Identities } from './identity/identity.js';
import { decide, type Decision, type PriorOutcomes, type ReuseOptions } from './reuse.js';
import { sandboxFor } from './sandbox-for.js';
import { scriptFor } from './script-for.js';

/** What a caller picks and overrides. */
export interface PlanOptions {
  /** Ids or prefixes of ids of evals. None: all. */
  readonly selectors: readonly string[];
  /** Ids or prefixes of ids of experiments. None: all. */
  readonly experiments: readonly string[];
  /** Only evals that have one of these tags. None: all. */
  readonly tags: readonly string[];
  readonly attempts?: number;
  readonly timeoutMs?: number;
  /** Where the Attempts will run, and how it takes what authors ask of a sandbox. Absent: it takes everything. */
  readonly backend?: { readonly name: string; readonly fit: (spec: SandboxSpec) => SpecFit; readonly lacks: readonly BackendFeature[] };
  /** What earlier runs came to. Absent: everything runs. */
  readonly prior?: PriorOutcomes;
  /** What of it is used. Default: whatever is final. */
  readonly reuse?: ReuseOptions;
  /** Answers come from cassettes, which are other answers than those of a service. Default: false. */
  readonly replays?: boolean;
  /** Sandboxes that are to stay alive; an Attempt that does not run has none. Default: none. */
  readonly keepSandbox?: 'all' | 'failed';
}

/** One eval, by one experiment, once. */
export interface PlannedAttempt {
  /** Names the Attempt in records and folders: letters, digits, dots and dashes; unique in the run. */
  readonly id: string;
  readonly evalId: string;
  readonly experimentId: string;
  /** The first part of the experiment's id. */
  readonly group?: string;
  /** Absolute. Relative host paths of the experiment start in its folder. */
  readonly experimentFile: string;
  /** From 1. */
  readonly index: number;
  readonly evalFile: string;
  readonly evalDefinition: EvalDefinition;
  readonly experiment: ExperimentDefinition;
  /** With the workspace and all steps, their host paths absolute. */
  readonly sandbox: SandboxSpec;
  /** What somebody says of its network, phase by phase. Absent: nobody says anything. */
  readonly network?: Partial<NetworkPhases>;
  /** Absent: no limit. `source` says who set it. */
  readonly timeout?: { readonly limitMs: number; readonly source: '--timeout' | '--scenario-timeout-ms' | 'experiment' | 'eval' | 'config' };
  /** Who answers `t.judge`: the eval's word, then the experiment's, then the configuration's. Absent: nobody. */
  readonly judge?: JudgeConfig;
  /** Which services the gateway asks. Absent with a script, or without a gateway. */
  readonly services?: ForwardInput;
  /** The script that the gateway plays. */
  readonly script?: { readonly name: string; readonly script: Script };
  /** The same for Attempts that ask the same question, see {@link Identities}. Absent: it cannot be told. */
  readonly identity?: string;
  /** Absent: it runs. */
  readonly decision?: Decision;
}

/** One eval by one experiment. */
interface Pair {
  readonly experiment: Discovered<ExperimentDefinition>;
  readonly found: Discovered<EvalDefinition>;
  readonly script: PlannedAttempt['script'];
  readonly sandbox: SandboxSpec;
}

/** The frozen list of everything that a run will do. */
export interface Plan {
  readonly attempts: readonly PlannedAttempt[];
  /** What authors ask for and will not get, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Expands a project to the list of its Attempts: experiments by id, evals by id, repeats in order.
 *
 * @throws AuthoringError with every problem, before anything was started.
 */
export async function planRun(project: Project, options: PlanOptions): Promise<Plan> {
  const problems: string[] = [];
  if (project.evals.length === 0) problems.push('No eval was found. An eval is a file evals/<id>.eval.ts with `export default defineEval({ ... })`.');
  if (project.experiments.length === 0) problems.push('No experiment was found. An experiment is a file experiments/<id>.ts with `export default defineExperiment({ ... })`.');
  if (problems.length > 0) throw new AuthoringError(problems);
  const chosen = picked('eval', project.evals, options.selectors, problems);
  const evals = chosen.filter((found) => options.tags.length === 0 || options.tags.some((tag) => found.definition.tags?.includes(tag)));
  const experiments = picked('experiment', project.experiments, options.experiments, problems);
  if (problems.length === 0 && evals.length === 0) problems.push(`No ${chosen.length < project.evals.length ? 'picked eval' : 'eval'} has the tag ${options.tags.map((tag) => `"${tag}"`).join(' or ')}.`);
  const attempts: PlannedAttempt[] = [];
  const warnings = new Set<string>();
  await using git = new GitSources();
  const identities = createIdentities(project, { backend: options.backend?.name, git });
  for (const experiment of experiments) {
    const script = await scriptFor(project, experiment, problems);
    checkWanted(project, experiment, problems);
    checkAgent(project, experiment, problems);
    const wanted = evals.filter((found) => isWanted(project, experiment, found, problems));
    for (const found of wanted) {
      const sandbox = await sandboxFor(project, experiment, found, problems);
      checkSandboxFits(project, experiment, found, problems);
      if (experiment.definition.agent.kind === 'sandbox') checkSandbox(project, { experiment, found, sandbox }, options.backend, { problems, warnings });
      // With a problem nothing is planned, and what it rests on may not be there.
      if (problems.length === 0) attempts.push(...await attemptsOf(project, { experiment, found, script, sandbox }, options, identities));
    }
  }
  if (problems.length === 0 && attempts.length === 0) problems.push('Nothing is left to run: no picked experiment wants a picked eval. Look at the `evals` of the experiments.');
  if (problems.length > 0) throw new AuthoringError([...new Set(problems)]);
  const unseen = options.prior === undefined ? identities.warnings : [...identities.warnings, ...identities.movingRefs];
  return Object.freeze({ attempts: Object.freeze(attempts), warnings: Object.freeze([...warnings, ...unseen]) });
}

function picked<T>(what: string, all: readonly Discovered<T>[], selectors: readonly string[], problems: string[]): readonly Discovered<T>[] {
  for (const selector of selectors) {
    if (!all.some(({ id }) => fits(id, selector))) {
      problems.push(`No ${what} fits "${selector}". There are: ${all.map(({ id }) => id).join(', ')}.`);
    }
  }
  return selectors.length === 0 ? all : all.filter(({ id }) => selectors.some((selector) => fits(id, selector)));
}

/** An id, or the beginning of one that ends where a part of the path ends. */
function fits(id: string, selector: string): boolean {
  const wanted = selector.replace(/^evals\/|^experiments\//, '').replace(/(\/eval|\.eval)?\.(ts|tsx|mts|js|mjs)$/, '').replace(/\/+$/, '');
  return id === selector || id === wanted || id.startsWith(`${wanted}/`);
}

/** An experiment that asks for an eval by a name that no eval has would silently run less than its author thinks. */
function checkWanted(project: Project, experiment: Discovered<ExperimentDefinition>, problems: string[]): void {
  const { evals } = experiment.definition;
  for (const selector of Array.isArray(evals) ? evals as readonly string[] : []) {
    if (project.evals.some(({ id }) => fits(id, selector))) continue;
    const ids = project.evals.map(({ id }) => id).join(', ');
    problems.push(`${relative(project.root, experiment.file)}: its \`evals\` hold "${selector}", which fits no eval. There are: ${ids}.`);
  }
}

/** What an agent needs besides its own settings may lie beside the experiment's file. */
function checkAgent(project: Project, { file, definition }: Discovered<ExperimentDefinition>, problems: string[]): void {
  const problem = definition.agent.check?.({ ...definition, experimentFolder: dirname(file) });
  if (problem !== undefined) problems.push(`${relative(project.root, file)}: ${problem}`);
}

/** What needs a sandbox and has none, and a network that leaves an agent without its model. */
function checkSandboxFits(project: Project, { file, definition }: Discovered<ExperimentDefinition>, found: Discovered<EvalDefinition>, problems: string[]): void {
  for (const field of ['integrity', 'gradeIn'] as const) {
    if (found.definition[field] === undefined || definition.agent.kind === 'sandbox') continue;
    problems.push(`${relative(project.root, found.file)}: \`${field}\` needs a sandbox, and the agent "${definition.agent.name}" of ${relative(project.root, file)} has none.`);
  }
  const network = { ...found.definition.network, ...definition.network };
  if (Object.keys(network).length === 0) return;
  const where = relative(project.root, definition.network === undefined ? found.file : file);
  if (definition.agent.kind !== 'sandbox') problems.push(`${where}: \`network\` cannot be kept: the agent "${definition.agent.name}" has no sandbox.`);
  else if (network.agent === 'none' && definition.agent.needsEndpoint) problems.push(`${where}: \`network.agent\` is "none", but the agent "${definition.agent.name}" needs its model. Say "model-only".`);
}

/** A sandbox that lacks what its author asked for is another sandbox; one without its limits is told of. */
function checkSandbox(
  project: Project,
  { experiment, found, sandbox }: { readonly experiment: Discovered<ExperimentDefinition>; readonly found: Discovered<EvalDefinition>; readonly sandbox: SandboxSpec },
  backend: PlanOptions['backend'],
  told: { readonly problems: string[]; readonly warnings: Set<string> },
): void {
  if (backend === undefined) return;
  for (const [feature, asked, by] of [
    ['network', found.definition.network, found.file], ['network', experiment.definition.network, experiment.file],
    ['gradeIn', found.definition.gradeIn === 'fresh' || undefined, found.file],
  ] as const) {
    if (asked !== undefined && backend.lacks.includes(feature)) told.problems.push(`${relative(project.root, by)}: --sandbox ${backend.name} cannot keep to \`${feature}\`. Leave it out, or take another backend.`);
  }
  const file = found.definition.sandbox?.kind === 'sandbox-spec' ? found.file : experiment.file;
  const where = relative(project.root, file);
  const { refused, ignored } = backend.fit(sandbox);
  if (refused.length > 0) told.problems.push(`${where}: its sandbox has the ${refused.join(' and the ')}, which --sandbox ${backend.name} cannot give. Leave that out, or take another backend.`);
  if (ignored.length > 0) told.warnings.add(`${where}: --sandbox ${backend.name} does not keep to the ${ignored.join(' and the ')} of its sandbox.`);
}

function isWanted(project: Project, experiment: Discovered<ExperimentDefinition>, found: Discovered<EvalDefinition>, problems: string[]): boolean {
  const { evals = '*' } = experiment.definition;
  if (evals === '*') return true;
  if (Array.isArray(evals)) return evals.some((selector: string) => fits(found.id, selector));
  const { description, tags = [], metadata = {} } = found.definition;
  const descriptor: EvalDescriptor = { id: found.id, ...(description === undefined ? {} : { description }), tags, metadata };
  try {
    const answer: unknown = (evals as (descriptor: EvalDescriptor) => boolean)(descriptor);
    if (typeof answer === 'boolean') return answer;
    problems.push(`${relative(project.root, experiment.file)}: its \`evals\` function answered ${show(answer)} for "${found.id}". It must answer true or false, at once.`);
    return false;
  } catch (error) {
    problems.push(`${relative(project.root, experiment.file)}: its \`evals\` function broke on "${found.id}": ${String(error)}`);
    return false;
  }
}

/** The services that an experiment asks: those it names, or the vendors themselves where its agent can do nothing without a model. */
export function servicesOf({ gateway, agent }: ExperimentDefinition): ForwardInput | undefined {
  if (gateway === undefined) return agent.needsEndpoint ? {} : undefined;
  return gateway.mode === 'forward' ? gateway : undefined;
}

/** What identities see of services: where they are, and what is decided for their clients. */
function addressesOf(services: ForwardInput | undefined): JsonValue {
  if (services === undefined) return null;
  const { sampling = {} } = services;
  return {
    ...Object.fromEntries(VENDORS.map((vendor) => [vendor, baseUrlOf(vendor, services[vendor], (name) => process.env[name])])),
    sampling: sampling as { readonly [setting: string]: JsonValue },
  };
}

async function attemptsOf(
  project: Project,
  { experiment, found, script, sandbox }: Pair,
  options: PlanOptions,
  identities: Identities,
): Promise<readonly PlannedAttempt[]> {
  const count = options.attempts ?? experiment.definition.attempts ?? 1;
  const timeout = timeoutOf(project, experiment.definition, found.definition, options);
  const network = { ...found.definition.network, ...experiment.definition.network };
  const { judge: own = true } = found.definition;
  const judge = own === true ? experiment.definition.judge ?? project.config.judge : own;
  const services = servicesOf(experiment.definition);
  const identity = await identities.of({ found, experiment, sandbox, network, judge, script: script?.script, faults: experiment.definition.gateway?.faults, services: addressesOf(services), replays: options.replays ?? false });
  const decisionOf = deciderOf({ evalId: found.id, experimentId: experiment.id, identity, limitMs: timeout?.limitMs }, options);
  return Array.from({ length: count }, (_item, position) => ({
    id: attemptIdOf(experiment.id, found.id, position + 1),
    evalId: found.id,
    experimentId: experiment.id,
    group: experimentGroupOf(experiment.id),
    experimentFile: experiment.file,
    index: position + 1,
    evalFile: found.file,
    evalDefinition: found.definition,
    experiment: experiment.definition,
    sandbox,
    ...(Object.keys(network).length === 0 ? {} : { network }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(judge === undefined ? {} : { judge }),
    ...(script === undefined ? {} : { script }),
    ...(services === undefined ? {} : { services }),
    ...(identity === undefined ? {} : { identity }),
    decision: decisionOf(position + 1),
  }));
}

function deciderOf(
  { evalId, experimentId, identity, limitMs }: { readonly evalId: string; readonly experimentId: string; readonly identity: string | undefined; readonly limitMs: number | undefined },
  { prior, reuse, keepSandbox }: PlanOptions,
): (index: number) => Decision {
  if (prior === undefined) return () => ({ action: 'run', why: 'asked-for' });
  const outcomes = prior.of(experimentId, evalId);
  return (index) => decide(outcomes, { index, identity, limitMs, rerun: reuse?.rerun ?? 'errored', keepSandbox });
}

function timeoutOf(project: Project, experiment: ExperimentDefinition, evalDefinition: EvalDefinition, options: PlanOptions): PlannedAttempt['timeout'] {
  if (options.timeoutMs !== undefined) return { limitMs: options.timeoutMs, source: '--timeout' };
  if (experiment.timeoutMs !== undefined) return { limitMs: experiment.timeoutMs, source: 'experiment' };
  if (evalDefinition.timeoutMs !== undefined) return { limitMs: evalDefinition.timeoutMs, source: 'eval' };
  return project.config.timeoutMs === undefined ? undefined : { limitMs: project.config.timeoutMs, source: 'config' };
}
