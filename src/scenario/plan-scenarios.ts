import { dirname, relative } from 'node:path';
import type { AgentConditions } from '../agents/conditions.js';
import { agentUnder } from '../agents/conditions.js';
import { defineEval } from '../define/eval.js';
import { DefinitionError } from '../define/errors.js';
import { defineExperiment, type ExperimentDefinition } from '../define/experiment.js';
import { messageOf } from '../lifetime/error.js';
import { attemptIdOf } from '../plan/attempt-id.js';
import type { Project } from '../plan/discover.js';
import { AuthoringError } from '../plan/errors.js';
import { experimentGroupOf } from '../plan/group.js';
import { servicesOf, type Plan, type PlannedAttempt } from '../plan/plan.js';
import { profileId } from '../plan/profiles.js';
import { sandboxFor } from '../plan/sandbox-for.js';
import { scriptFor } from '../plan/script-for.js';
import type { Backend, BackendName } from '../sandbox/backend.js';
import { fromFolder } from '../sandbox/prepare/workspace-sources.js';
import type { SandboxSpec } from '../sandbox/sandbox.js';
import { conditionsOf, DEFAULT_APPROVALS, DEFAULT_SANDBOX, networkOf, writeAccessOf } from './policy.js';
import type { NamedProfile, Profiles } from './profiles.js';
import { compilePatterns } from './pattern.js';
import type { ScenarioLine } from './read-scenarios.js';
import type { ApprovalPolicy, SandboxPolicy } from './scenario.js';
import { testOf } from './scenario-test.js';
import { withSendLimit } from './send-limit.js';

/** How scenarios are carried out, besides what their lines say. */
export interface ScenarioSettings {
  /** Of scenarios that say none. */
  readonly approvals?: ApprovalPolicy;
  readonly sandboxPolicy?: SandboxPolicy;
  readonly mcp: boolean;
  readonly hooks: boolean;
  readonly allowCommands: boolean;
  /** 0 to 1. Absent: the agent's own. */
  readonly compactAt?: number;
  /** Absent: none. */
  readonly syntheticPairs?: number;
  /** Milliseconds that a scenario may take. Default: what the configuration says, else no limit. */
  readonly scenarioTimeoutMs?: number;
  /** Milliseconds that the answer to one message may take. Absent: no limit of its own. */
  readonly waitTimeoutMs?: number;
  /** The files of the workspace: an absolute folder, and globs of what is left behind. */
  readonly workspace: { readonly folder: string; readonly ignore: readonly string[] };
}

/** What scenarios are planned with. */
export interface PlanScenariosOptions {
  /** Absolute. For messages and as the file of their evals. */
  readonly file: string;
  readonly project: Pick<Project, 'root' | 'config' | 'configFile'>;
  readonly profiles: Profiles;
  readonly settings: ScenarioSettings;
  readonly backend: Pick<Backend, 'fit' | 'lacks'> & { readonly name: BackendName };
}

/** A plan with one Attempt for each scenario, in the order of the file, and the profile of each. */
export interface ScenarioPlan {
  readonly plan: Plan;
  /** By the id of the scenario. */
  readonly profileOf: ReadonlyMap<string, string>;
}

/** What all scenarios of one profile under the same conditions share. */
interface Setting {
  readonly experiment: ExperimentDefinition;
  readonly sandbox: SandboxSpec;
  readonly script: PlannedAttempt['script'];
}

/**
 * Makes an Attempt of each scenario.
 *
 * @throws AuthoringError with every problem, before anything was started.
 */
export async function planScenarios(lines: readonly ScenarioLine[], options: PlanScenariosOptions): Promise<ScenarioPlan> {
  const problems = new Set<string>();
  const settings = new Map<string, Promise<Setting | string>>();
  const attempts: PlannedAttempt[] = [];
  const profileOf = new Map<string, string>();
  for (const { line, scenario } of lines) {
    const tell = (problem: string): void => { problems.add(`${relative(options.project.root, options.file)}:${line}: ${problem}`); };
    const profile = options.profiles.of(scenario.profile);
    if (typeof profile === 'string') {
      tell(`profile: ${profile}.`);
      continue;
    }
    const conditions = conditionsFor(scenario, options.settings);
    const key = JSON.stringify([profile.name, conditions]);
    const setting = settings.get(key) ?? settingOf(profile, conditions, options);
    settings.set(key, setting);
    const ready = await setting;
    if (typeof ready === 'string') {
      tell(`${ready}.`);
      continue;
    }
    const patterns = await compilePatterns(scenario.expected?.assistant_matches_regex ?? []);
    profileOf.set(scenario.id, profile.name);
    attempts.push(attemptOf(options, { id: scenario.id, profile, setting: ready, test: testOf(scenario, { patterns, allowCommands: options.settings.allowCommands }), tags: scenario.tags ?? [] }));
  }
  if (problems.size > 0) throw new AuthoringError([...problems].slice(0, MOST_PROBLEMS).concat(problems.size > MOST_PROBLEMS ? [`... and ${problems.size - MOST_PROBLEMS} more.`] : []));
  return { plan: Object.freeze({ attempts: Object.freeze(attempts), warnings: Object.freeze([]) }), profileOf };
}

const MOST_PROBLEMS = 20;

function conditionsFor({ approval_policy, sandbox_policy, system_instructions }: ScenarioLine['scenario'], settings: ScenarioSettings): AgentConditions {
  const { approvals, sandboxPolicy, mcp, hooks, compactAt, syntheticPairs } = settings;
  return {
    ...conditionsOf(approval_policy ?? approvals ?? DEFAULT_APPROVALS, sandbox_policy ?? sandboxPolicy ?? DEFAULT_SANDBOX),
    mcp,
    hooks,
    ...(system_instructions === undefined ? {} : { systemInstructions: system_instructions }),
    ...(compactAt === undefined ? {} : { compactAt }),
    ...(syntheticPairs === undefined ? {} : { syntheticPairs }),
  };
}

/** What a profile under conditions comes to, or why that cannot be. */
async function settingOf(profile: NamedProfile, conditions: AgentConditions, { file, project, settings, backend }: PlanScenariosOptions): Promise<Setting | string> {
  const named = `profile "${profile.name}"`;
  const { definition } = profile;
  const folder = dirname(profile.file);
  const agent = agentUnder(definition.agent, conditions, { ...definition, experimentFolder: folder });
  if (typeof agent === 'string') return `${named}: ${agent}`;
  if (agent.kind !== 'sandbox') return `${named}: the agent "${agent.name}" has no sandbox, so that no policy can be kept`;
  const unsupported = agent.check?.({ ...definition, experimentFolder: folder });
  if (unsupported !== undefined) return `${named}: ${unsupported.replace(/\.$/, '')}`;
  const open = backend.lacks.includes('network') ? undefined : networkOf(conditions);
  // A profile that opens its network itself is shut by a policy that says so, and not opened further by one that does not.
  const network = conditions.network ? definition.network ?? open : undefined;
  const problems: string[] = [];
  const { network: _own, ...rest } = definition;
  const experiment = experimentOf({ ...rest, agent: settings.waitTimeoutMs === undefined ? agent : withSendLimit(agent, settings.waitTimeoutMs), ...(network === undefined ? {} : { network }) });
  if (typeof experiment === 'string') return `${named}: ${experiment}`;
  const { folder: workspace, ignore } = settings.workspace;
  const evaluation = { id: '', file, definition: defineEval({ workspace: fromFolder(workspace, { ignore }), test: () => undefined }) };
  const own = { id: profileId(profile.name), file: profile.file, definition: experiment };
  const script = await scriptFor(project, own, problems);
  const spec = await sandboxFor({ ...project, evals: [], experiments: [], inputs: [] }, own, evaluation, problems);
  const writes = writeAccessOf(conditions, agent.homeFolders ?? []);
  const sandbox: SandboxSpec = writes === undefined ? spec : { ...spec, writes };
  const { refused } = backend.fit(sandbox);
  if (refused.length > 0) problems.push(`--sandbox ${backend.name} cannot give the ${refused.join(' and the ')} that the sandbox policy or the profile asks for${writes === undefined ? '' : '; say --sandbox-policy full_access, or take another backend'}`);
  return problems.length > 0 ? `${named}: ${problems.join('; ').replace(/\.$/, '')}` : { experiment, sandbox, script };
}

function experimentOf(definition: Parameters<typeof defineExperiment>[0]): ExperimentDefinition | string {
  try {
    return defineExperiment(definition);
  } catch (error) {
    if (error instanceof DefinitionError) return messageOf(error).replace(/^defineExperiment: /, '').replace(/\.$/, '');
    throw error;
  }
}

function attemptOf(
  { file, project, settings }: PlanScenariosOptions,
  { id, profile, setting, test, tags }: { readonly id: string; readonly profile: NamedProfile; readonly setting: Setting; readonly test: Parameters<typeof defineEval>[0]['test']; readonly tags: readonly string[] },
): PlannedAttempt {
  const experimentId = profileId(profile.name);
  const { experiment, sandbox, script } = setting;
  const services = servicesOf(experiment);
  const limitMs = settings.scenarioTimeoutMs ?? project.config.timeoutMs;
  return {
    id: attemptIdOf(experimentId, id, 1),
    evalId: id,
    experimentId,
    group: experimentGroupOf(experimentId),
    experimentFile: profile.file,
    index: 1,
    evalFile: file,
    evalDefinition: defineEval({ test, ...(tags.length === 0 ? {} : { tags }) }),
    experiment,
    sandbox,
    ...(experiment.network === undefined ? {} : { network: experiment.network }),
    ...(limitMs === undefined ? {} : { timeout: { limitMs, source: settings.scenarioTimeoutMs === undefined ? 'config' as const : '--scenario-timeout-ms' as const } }),
    ...(script === undefined ? {} : { script }),
    ...(services === undefined ? {} : { services }),
  };
}
