import { brandDefinition, checkCount, checkKeys } from './brand.js';

/** What {@link defineConfig} takes. */
export interface ConfigInput {
  /** How many Attempts run at once. Default: 2. `--concurrency` wins. */
  readonly maxConcurrency?: number;
  /** Milliseconds that one Attempt may take, when neither the experiment nor the eval says. Default: no limit. */
  readonly timeoutMs?: number;
}

/** The project's configuration. */
export type ConfigDefinition = ConfigInput;

/**
 * Defines the configuration: export it by default from `niceeval.config.ts`.
 *
 * @throws DefinitionError for an unknown field or a value of the wrong kind.
 */
export function defineConfig(input: ConfigInput): ConfigDefinition {
  checkKeys('defineConfig', input, ['maxConcurrency', 'timeoutMs']);
  checkCount('defineConfig', 'maxConcurrency', input.maxConcurrency);
  checkCount('defineConfig', 'timeoutMs', input.timeoutMs);
  return brandDefinition('config', input);
}
