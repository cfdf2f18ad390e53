import { readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { EvalDefinition } from '../../define/eval.js';
import type { ExperimentDefinition } from '../../define/experiment.js';
import type { JsonValue } from '../../evidence/json.js';
import type { FaultPlan } from '../../gateway/faults/fault-plan.js';
import type { Script } from '../../gateway/script.js';
import { completeJudgeConfig, type JudgeConfig } from '../../judge/config.js';
import type { GitSources } from '../../sandbox/prepare/git-sources.js';
import type { NetworkPhases } from '../../sandbox/network-access.js';
import { redactedBytes } from '../../sandbox/redactor.js';
import type { SandboxSpec } from '../../sandbox/sandbox.js';
import type { Discovered, Project } from '../discover.js';
import { canonicalJson, sha256 } from './canonical-json.js';
import { createClosures, type Closure } from './closure.js';
import { createRecipes, isMovingRef } from './recipe.js';

/** One eval by one experiment, with all that was settled for the two. */
export interface IdentifiedPair {
  readonly found: Discovered<EvalDefinition>;
  readonly experiment: Discovered<ExperimentDefinition>;
  readonly sandbox: SandboxSpec;
  readonly network: Partial<NetworkPhases>;
  readonly judge: JudgeConfig | undefined;
  readonly script: Script | undefined;
  /** How its answers are spoilt. */
  readonly faults: FaultPlan | undefined;
  /** Where its services are, and what is decided for their clients. `null`: it asks none. */
  readonly services: JsonValue;
  /** Answers come from a cassette, at least some of them. */
  readonly replays: boolean;
}

/** The identities of one plan. What they rest on is read once. */
export interface Identities {
  /**
   * SHA-256, hexadecimal, over everything that decides what an Attempt does: two Attempts with the same one ask the same question.
   * Limits of time, repeats and labels are not in it, nor is any secret. `undefined`: something that it rests on cannot be read.
   */
  of(pair: IdentifiedPair): Promise<string | undefined>;
  /** What identities do not see, one sentence for each file. */
  readonly warnings: ReadonlySet<string>;
  /** Steps that fetch whatever a name means on that day, one sentence each. */
  readonly movingRefs: ReadonlySet<string>;
}

const VERSION = (JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { readonly version: string }).version;

/**
 * @param options.backend The name of the place where Attempts run.
 * @param options.git The caller closes it.
 */
export function createIdentities(project: Project, { backend, git }: { readonly backend: string | undefined; readonly git: GitSources }): Identities {
  const closures = createClosures(project.root);
  const recipes = createRecipes(git);
  const warnings = new Set<string>();
  const movingRefs = new Set<string>();
  const inputs = project.inputs.map((input) => ({ ...input, ...(input.module === undefined ? {} : { module: realPathOf(input.module) }) }));
  const sources = onceEach((file: string) => sourceOf(closures.of(file)));
  const scripts = onceEach((script: Script) => sha256(canonicalJson(script)));
  const agents = onceEach(agentOf);

  function sourceOf(closure: Closure): string {
    for (const line of closure.unknown) warnings.add(line);
    const own = inputs.filter(({ module }) => module === undefined || closure.modules.has(module));
    const data = [...new Map(own.map(({ path, sha256: content }) => [path, content]))].sort(([a], [b]) => (a < b ? -1 : 1));
    return sha256(canonicalJson({ files: closure.files, packages: closure.packages, data }));
  }

  /** The agent's options are in the sources of the experiment; what they name on this machine is read. */
  async function agentOf({ file, definition: { agent } }: Discovered<ExperimentDefinition>): Promise<unknown> {
    const files = await Promise.all((agent.inputFiles ?? []).map((path) => recipes.digestOf(resolve(dirname(file), path))));
    return { name: agent.name, kind: agent.kind, evidenceCoverage: agent.evidenceCoverage, files };
  }

  async function recipeOf({ steps = [], ...spec }: SandboxSpec): Promise<unknown> {
    for (const step of steps.filter(isMovingRef)) movingRefs.add(`fromGit("${step.repo}" at "${step.ref}"): a later commit of this name is not seen when results are used again. Name a commit.`);
    return { ...spec, steps: await Promise.all(steps.map((step) => recipes.identityOf(step))) };
  }

  async function contentOf({ found, experiment, sandbox, network, judge, script, faults, services }: IdentifiedPair): Promise<unknown> {
    const { agent, model, reasoningEffort, flags = {} } = experiment.definition;
    const settings = canonicalJson({ model, reasoningEffort, flags });
    return {
      format: 'niceeval.identity/v1',
      niceeval: VERSION,
      eval: { id: found.id, source: sources(found.file) },
      experiment: { id: experiment.id, source: sources(experiment.file) },
      agent: await agents(experiment),
      settings: Buffer.from(redactedBytes(agent.sensitiveValues ?? [], Buffer.from(settings))).toString(),
      gateway: gatewayOf({ script, services }),
      ...(faults === undefined ? {} : { faults }),
      network,
      judge: judge === undefined ? null : judgeOf(judge),
      sandbox: agent.kind === 'sandbox' ? { backend: backend ?? null, recipe: await recipeOf(sandbox) } : null,
    };
  }

  function gatewayOf({ script, services }: Pick<IdentifiedPair, 'script' | 'services'>): JsonValue {
    if (script !== undefined) return { mode: 'scripted', script: scripts(script) };
    return services === null ? null : { mode: 'forward', services };
  }

  return {
    warnings,
    movingRefs,
    async of(pair) {
      // What a cassette holds, and whether a service was asked as well, is in no file of the project.
      if (pair.replays && pair.services !== null) return undefined;
      try {
        return sha256(canonicalJson(await contentOf(pair)));
      } catch {
        // The run itself tells what cannot be read; until then nothing is the same as it.
        return undefined;
      }
    },
  };
}

/** Neither the name of the variable with the key nor the limit of time changes what the judge is asked. */
function judgeOf(config: JudgeConfig): unknown {
  const { model, protocol, endpoint } = completeJudgeConfig(config);
  return { model, protocol, endpoint };
}

/** Where links lead in the end; a file that has gone since keeps its path. */
function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function onceEach<K, V>(work: (key: K) => V): (key: K) => V {
  const known = new Map<K, { readonly value: V }>();
  return (key) => {
    const found = known.get(key) ?? { value: work(key) };
    known.set(key, found);
    return found.value;
  };
}
