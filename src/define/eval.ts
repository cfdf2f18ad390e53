import type { IntegrityOptions } from '../assert/integrity-claim.js';
import type { JsonValue } from '../evidence/json.js';
import type { NetworkPhases } from '../sandbox/network-access.js';
import type { SandboxLayer } from '../sandbox/prepare/preparable.js';
import type { WorkspaceSource } from '../sandbox/prepare/step.js';
import type { SandboxSpec } from '../sandbox/sandbox.js';
import type { JudgeConfig } from '../judge/config.js';
import { brandDefinition, checkCount, checkIntegrity, checkJson, checkJudge, checkKeys, checkNetwork, checkText } from './brand.js';
import { checkSandbox, checkWorkspace } from './check-sandbox.js';
import type { ScoreTestContext, TestContext } from './context.js';
import { DefinitionError } from './errors.js';

/** What every eval may say. */
interface AnyEvalInput {
  readonly description?: string;
  /** For `--tag`. */
  readonly tags?: readonly string[];
  /** Kept in the record. JSON. */
  readonly metadata?: { readonly [key: string]: JsonValue };
  /** Milliseconds that one Attempt may take. Default: what the configuration says, else no limit. */
  readonly timeoutMs?: number;
  /**
   * Where it runs, or by `sandboxLayer().prepare(...)` only what is added to where the experiment says. Default: what the
   * experiment says, else the project's own sandbox image.
   */
  readonly sandbox?: SandboxSpec | SandboxLayer;
  /**
   * The files that the agent starts from, laid into the working directory once, before all other steps: a folder relative
   * to the eval's file, or what `fromFolder`, `fromGit` or `fromTar` made. An agent without a sandbox gets none. Default: none.
   */
  readonly workspace?: string | WorkspaceSource;
  /** Looks for tampering: facts in the record, and the claim `t.sandbox.integrity()`. `true`: only what needs no paths. Default: nobody looks. */
  readonly integrity?: true | IntegrityOptions;
  /** Absolute folders of the sandbox whose changes are recorded besides those of the working directory and the agent's home. Default: none. */
  readonly watch?: readonly string[];
  /**
   * Where `t.sandbox` works after a send. `same`: in the agent's own sandbox. `fresh`: in a second one of the same image, with nothing of
   * the agent's but its working directory; then every send comes before. Default: `same`.
   */
  readonly gradeIn?: 'same' | 'fresh';
  /** Where the sandbox may talk to in each phase. Default: what the experiment says, else the gateway and nothing else. */
  readonly network?: Partial<NetworkPhases>;
  /** Which model `judge` asks; `true`: what the experiment or the configuration says. Default: the same. */
  readonly judge?: true | JudgeConfig;
}

/** What {@link defineEval} takes. */
export interface EvalInput extends AnyEvalInput {
  /** The task and the claims. */
  readonly test: (t: TestContext) => Promise<void> | void;
}

/** What {@link defineScoreEval} takes. */
export interface ScoreEvalInput extends AnyEvalInput {
  /** The task, the claims and what they are worth. */
  readonly test: (t: ScoreTestContext) => Promise<void> | void;
}

/** An eval. Its id is its path below `evals/`. */
export type EvalDefinition =
  | (EvalInput & { readonly evaluationKind: 'pass' })
  | (ScoreEvalInput & { readonly evaluationKind: 'score' });

const KEYS = ['description', 'tags', 'metadata', 'timeoutMs', 'sandbox', 'workspace', 'network', 'integrity', 'watch', 'gradeIn', 'judge', 'test'];

/**
 * Defines an eval: export it by default from `evals/<id>.eval.ts`.
 *
 * @throws DefinitionError for a missing `test`, an unknown field or a value of the wrong kind.
 */
export function defineEval(input: EvalInput): EvalDefinition {
  checkEval('defineEval', input);
  return brandDefinition('eval', { ...input, evaluationKind: 'pass' as const });
}

/**
 * Defines an eval that gives points: a claim is worth what `.score(n)` says, and `t.score(n)` gives what the test worked
 * out itself. It passes unless something errored or a claim with `.gate()` does not hold.
 *
 * @throws DefinitionError like `defineEval`.
 */
export function defineScoreEval(input: ScoreEvalInput): EvalDefinition {
  checkEval('defineScoreEval', input);
  return brandDefinition('eval', { ...input, evaluationKind: 'score' as const });
}

function checkEval(factory: string, input: EvalInput | ScoreEvalInput): void {
  if (typeof input === 'object' && input !== null && 'id' in input) {
    throw new DefinitionError(`${factory} takes no \`id\`: the id of an eval is its path below evals/. Rename the file instead.`);
  }
  checkKeys(factory, input, KEYS);
  if (typeof input.test !== 'function') {
    throw new DefinitionError(`${factory}: \`test\` is missing. Give it a function that sends the task and makes claims: \`async test(t) { ... }\`.`);
  }
  checkText(factory, 'description', input.description);
  if (input.tags !== undefined && (!Array.isArray(input.tags) || input.tags.some((tag) => typeof tag !== 'string' || tag.trim() === ''))) {
    throw new DefinitionError(`${factory}: \`tags\` must be a list of words.`);
  }
  checkJson(factory, 'metadata', input.metadata);
  checkCount(factory, 'timeoutMs', input.timeoutMs);
  checkNetwork(factory, input.network);
  checkIntegrity(factory, input.integrity);
  const isWatchable = (root: unknown): boolean => typeof root === 'string' && /^\/[^\0]*[^/\0]$/.test(root) && !root.split('/').some((part) => part === '..' || part === '.');
  if (input.watch !== undefined && (!Array.isArray(input.watch) || !input.watch.every(isWatchable))) throw new DefinitionError(`${factory}: \`watch\` must be a list of absolute folders, for instance ["/etc"].`);
  if (input.gradeIn !== undefined && input.gradeIn !== 'same' && input.gradeIn !== 'fresh') throw new DefinitionError(`${factory}: \`gradeIn\` must be "same" or "fresh".`);
  checkSandbox(factory, input.sandbox, { takesLayer: true });
  checkWorkspace(factory, input.workspace);
  if (input.judge !== true) checkJudge(factory, input.judge);
}
