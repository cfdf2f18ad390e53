import { modelPriceSchema, type Pricing } from '../evidence/cost.js';
import type { JudgeConfig } from '../judge/config.js';
import { brandDefinition, checkCount, checkJudge, checkKeys, checkMembers, checkText } from './brand.js';
import { DefinitionError } from './errors.js';
import { defineExperiment, type ExperimentDefinition, type ExperimentInput } from './experiment.js';
import { checkLimits, type Limits } from './limits.js';
import { messageOf } from '../lifetime/error.js';

/** An agent with its model, by a name. */
export type ProfileInput = Pick<ExperimentInput, 'agent' | 'model' | 'reasoningEffort' | 'flags' | 'gateway' | 'sandbox' | 'network'>;

/** What {@link defineConfig} takes. */
export interface ConfigInput {
  /** How many Attempts run at once. Default: 2. `--concurrency` wins. */
  readonly maxConcurrency?: number;
  /** How many images are made at once. Default: 2. `--build-concurrency` wins. */
  readonly maxBuildConcurrency?: number;
  /** How often an Attempt that the infrastructure broke is begun again, unless its experiment says. Default: 2. `--retries` wins over both. */
  readonly retries?: number;
  /** What a whole run may spend; a number is US dollars. Default: no limit. `--budget` wins. */
  readonly budget?: number | Limits;
  /** Milliseconds that one Attempt may take, when neither the experiment nor the eval says. Default: no limit. */
  readonly timeoutMs?: number;
  /**
   * US dollars per million tokens, by the id of a model or by `provider/*`. Wins over the built-in price list; only
   * estimates are made of it.
   */
  readonly pricing?: Pricing;
  /** Who can be run by name, without an experiment of their own: `niceeval run --profile <name>`. */
  readonly profiles?: { readonly [name: string]: ProfileInput };
  /** The profile of scenarios that name none, where the command names none either: one of `profiles`, or `fake`. Default: none. */
  readonly defaultProfile?: string;
  /** The model that `t.judge` asks, where neither the eval nor the experiment names one. */
  readonly judge?: JudgeConfig;
}

/** The project's configuration. */
export interface ConfigDefinition extends ConfigInput {
  readonly profiles?: { readonly [name: string]: ExperimentDefinition };
}

/**
 * Defines the configuration: export it by default from `niceeval.config.ts`.
 *
 * @throws DefinitionError for an unknown field or a value of the wrong kind.
 */
export function defineConfig(input: ConfigInput): ConfigDefinition {
  checkKeys('defineConfig', input, ['maxConcurrency', 'maxBuildConcurrency', 'retries', 'budget', 'timeoutMs', 'pricing', 'profiles', 'defaultProfile', 'judge']);
  checkCount('defineConfig', 'maxConcurrency', input.maxConcurrency);
  checkCount('defineConfig', 'maxBuildConcurrency', input.maxBuildConcurrency);
  checkCount('defineConfig', 'retries', input.retries, 0);
  checkLimits('defineConfig', 'budget', input.budget, { takesWall: true });
  checkCount('defineConfig', 'timeoutMs', input.timeoutMs);
  checkJudge('defineConfig', input.judge);
  checkMembers('defineConfig', 'pricing', input.pricing, {
    of: 'prices: { inputPerMTok, outputPerMTok, cacheReadPerMTok?, cacheWritePerMTok? }, numbers of at least 0',
    fits: (price) => modelPriceSchema.safeParse(price).success,
  });
  checkText('defineConfig', 'defaultProfile', input.defaultProfile);
  const { profiles, ...rest } = input;
  if (input.defaultProfile !== undefined && input.defaultProfile !== 'fake' && !Object.hasOwn(profiles ?? {}, input.defaultProfile)) {
    throw new DefinitionError(`defineConfig: \`defaultProfile\` names "${input.defaultProfile}", and \`profiles\` has no such profile.`);
  }
  return brandDefinition('config', { ...rest, ...(profiles === undefined ? {} : { profiles: profilesOf(profiles) }) });
}

const PROFILE_NAME = /^[\w][\w.-]*$/;

function profilesOf(profiles: unknown): { readonly [name: string]: ExperimentDefinition } {
  if (!isJsonObjectLike(profiles)) throw new DefinitionError('defineConfig: `profiles` must be an object of profiles by their names.');
  return Object.fromEntries(Object.entries(profiles).map(([name, profile]) => {
    if (!PROFILE_NAME.test(name)) throw new DefinitionError(`defineConfig: the profile ${JSON.stringify(name)} needs a name of letters, digits, dots, dashes and underscores.`);
    try {
      checkKeys('the profile', profile, ['agent', 'model', 'reasoningEffort', 'flags', 'gateway', 'sandbox', 'network']);
      return [name, defineExperiment(profile as ProfileInput)];
    } catch (error) {
      throw new DefinitionError(`defineConfig: profile "${name}": ${messageOf(error).replace(/^defineExperiment: /, '')}`, { cause: error });
    }
  }));
}

function isJsonObjectLike(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
