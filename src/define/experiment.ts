import type { Agent } from '../agents/agent.js';
import { isAgent } from '../agents/define-agent.js';
import type { JsonValue } from '../evidence/json.js';
import type { JudgeConfig } from '../judge/config.js';
import type { NetworkPhases } from '../sandbox/network-access.js';
import type { SandboxSpec } from '../sandbox/sandbox.js';
import { brandDefinition, checkCount, checkJson, checkJudge, checkKeys, checkMembers, checkNetwork, checkText } from './brand.js';
import { checkSandbox } from './check-sandbox.js';
import { DefinitionError } from './errors.js';
import { checkGateway, type GatewayInput } from './gateway.js';
import type { AttemptFailureClassifier } from './failure-class.js';
import { checkLimits, type Limits } from './limits.js';

/** What an `evals` function is asked about. */
export interface EvalDescriptor {
  readonly id: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly metadata: { readonly [key: string]: JsonValue };
}

/** What the hooks of an experiment are given. */
export interface ExperimentHookContext {
  readonly experimentId: string;
  /** Ids of the evals that the run carries out by this experiment. */
  readonly selectedEvalIds: readonly string[];
  /** Aborted when the run is interrupted or the hook's time is up. */
  readonly signal: AbortSignal;
  /** Tells people what it is doing. */
  readonly progress: (message: string) => void;
}

/** Code of the author's that runs on the host, once a run. */
export type ExperimentHook = (context: ExperimentHookContext) => void | Promise<void>;

/** What {@link defineExperiment} takes. */
export interface ExperimentInput {
  readonly agent: Agent;
  readonly model?: string;
  readonly reasoningEffort?: string;
  /** `"*"` (default), ids or prefixes of ids, or a function that picks. */
  readonly evals?: '*' | readonly string[] | ((descriptor: EvalDescriptor) => boolean);
  /** Attempts per eval. Default: 1. `--attempts` wins. */
  readonly attempts?: number;
  /** Handed to the agent and to the test. JSON. */
  readonly flags?: { readonly [flag: string]: JsonValue };
  /** Kept in the record, seen by nobody else. */
  readonly labels?: { readonly [label: string]: string | number };
  readonly description?: string;
  /** Where Attempts run, unless the eval says otherwise. Default: the project's own sandbox image. */
  readonly sandbox?: SandboxSpec;
  /** Milliseconds that one Attempt may take. Wins over the eval's. */
  readonly timeoutMs?: number;
  /** How many Attempts of this experiment may run at once. Default: only the run's own limit. */
  readonly maxConcurrency?: number;
  /** After one passed Attempt of an eval the others of it are not begun, so that its pass rate is no longer one of independent tries. Default: false. */
  readonly earlyExit?: boolean;
  /** What all Attempts of this experiment may spend together; a number is US dollars. At the limit nothing more is begun. Default: no limit. */
  readonly budget?: number | Limits;
  /** What one Attempt may spend; looked at before each send. Default: no limit. */
  readonly attemptBudget?: number | Omit<Limits, 'wallMs'>;
  /** How often an Attempt that the infrastructure broke is begun again. Default: the configuration's, else 2. */
  readonly retries?: number;
  /** Decides what is done about an errored Attempt. Never asked about a wrong answer. */
  readonly classifyFailure?: AttemptFailureClassifier;
  /** Runs on the host before the first Attempt that is really carried out. What it throws makes every Attempt errored. */
  readonly setup?: ExperimentHook;
  /** Runs on the host after the last Attempt, whenever `setup`'s turn had come, also when that threw. At most 30 s; a failure is a warning. */
  readonly teardown?: ExperimentHook;
  /** How the model is asked. Default: `forward()` for agents that cannot work without a model, else there is none. */
  readonly gateway?: GatewayInput;
  /** Where the sandbox may talk to in each phase; wins over the eval's. Default: the gateway and nothing else. */
  readonly network?: Partial<NetworkPhases>;
  /** The model that `t.judge` asks. The eval's own wins. */
  readonly judge?: JudgeConfig;
}

/** An experiment. Its id is its path below `experiments/`. */
export type ExperimentDefinition = ExperimentInput;

const KEYS = [
  'agent', 'model', 'reasoningEffort', 'evals', 'attempts', 'flags', 'labels', 'description', 'sandbox', 'timeoutMs', 'maxConcurrency', 'gateway', 'network', 'judge',
  'earlyExit', 'budget', 'attemptBudget', 'retries', 'classifyFailure', 'setup', 'teardown',
];

/**
 * Defines an experiment: export it by default from `experiments/<id>.ts`.
 *
 * @throws DefinitionError for a missing or look-alike `agent`, an unknown field or a value of the wrong kind.
 */
export function defineExperiment(input: ExperimentInput): ExperimentDefinition {
  checkKeys('defineExperiment', input, KEYS);
  if (input.agent === undefined) {
    throw new DefinitionError('defineExperiment: `agent` is missing. Give it one, for instance `agent: claudeCode()` from "niceeval/adapter".');
  }
  if (!isAgent(input.agent)) {
    throw new DefinitionError('defineExperiment: `agent` was not made by defineAgent, defineSandboxAgent or a factory like claudeCode().');
  }
  for (const field of ['model', 'reasoningEffort', 'description'] as const) checkText('defineExperiment', field, input[field]);
  if (!isEvalsChoice(input.evals)) throw new DefinitionError('defineExperiment: `evals` must be "*", a list of ids or prefixes of ids, or a function.');
  checkJson('defineExperiment', 'flags', input.flags);
  checkMembers('defineExperiment', 'labels', input.labels, {
    of: 'texts and finite numbers', fits: (label) => typeof label === 'string' || (typeof label === 'number' && Number.isFinite(label)),
  });
  checkJudge('defineExperiment', input.judge);
  checkNetwork('defineExperiment', input.network);
  checkSandbox('defineExperiment', input.sandbox, { takesLayer: false });
  checkCount('defineExperiment', 'attempts', input.attempts);
  checkCount('defineExperiment', 'timeoutMs', input.timeoutMs);
  checkCount('defineExperiment', 'maxConcurrency', input.maxConcurrency);
  checkLimits('defineExperiment', 'budget', input.budget, { takesWall: true });
  checkLimits('defineExperiment', 'attemptBudget', input.attemptBudget, { takesWall: false });
  checkCount('defineExperiment', 'retries', input.retries, 0);
  if (input.earlyExit !== undefined && typeof input.earlyExit !== 'boolean') throw new DefinitionError('defineExperiment: `earlyExit` must be true or false.');
  for (const field of ['classifyFailure', 'setup', 'teardown'] as const) {
    if (input[field] !== undefined && typeof input[field] !== 'function') throw new DefinitionError(`defineExperiment: \`${field}\` must be a function.`);
  }
  const unsupported = input.agent.check?.(input);
  if (unsupported !== undefined) throw new DefinitionError(`defineExperiment: ${unsupported}`);
  checkGateway('defineExperiment', input.gateway);
  return brandDefinition('experiment', input);
}

function isEvalsChoice(evals: unknown): boolean {
  return evals === undefined || evals === '*' || typeof evals === 'function' || (Array.isArray(evals) && evals.every((selector) => typeof selector === 'string'));
}
