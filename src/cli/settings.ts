import type { Project } from '../plan/discover.js';
import { BACKEND_NAMES, type BackendName } from '../sandbox/backend.js';
import { BUILT_IN } from './defaults.js';

/** Flags of `niceeval run` that set something. */
export interface SettingFlags {
  readonly attempts?: number;
  readonly concurrency?: number;
  readonly timeout?: number;
  readonly sandbox?: BackendName;
  readonly buildConcurrency?: number;
  readonly retries?: number;
}

/** A setting as a run would take it. */
export interface Setting {
  readonly name: string;
  /** Absent: it holds for the whole run. */
  readonly experimentId?: string;
  /** JSON. Absent: none is set, which is no limit and nothing special. */
  readonly value?: string | number | object;
  readonly source: 'flag' | 'experiment' | 'config' | 'built-in';
  /** Absolute. Where it is written. */
  readonly file?: string;
}

/**
 * Every setting with its value and where it comes from: a flag wins over the experiment, that over the configuration, that over what is
 * built in. An eval's own `timeoutMs` and `judge` stand between the experiment and the configuration, eval by eval, and are not here.
 */
export function settingsOf({ config, experiments }: Project, flags: SettingFlags): readonly Setting[] {
  const firstOf = (name: string, candidates: readonly Omit<Setting, 'name' | 'experimentId'>[], experimentId?: string): Setting => {
    const found = candidates.find(({ value }) => value !== undefined) ?? { source: 'built-in' as const };
    return { name, ...(experimentId === undefined ? {} : { experimentId }), ...found };
  };
  const given = (source: Setting['source'], value: Setting['value'], file?: string): Omit<Setting, 'name'> => ({ source, ...(value === undefined ? {} : { value }), ...(file === undefined || value === undefined ? {} : { file }) });
  const [defaultBackend] = BACKEND_NAMES;
  return [
    firstOf('sandbox', [given('flag', flags.sandbox), given('built-in', defaultBackend)]),
    firstOf('maxConcurrency', [given('flag', flags.concurrency), given('config', config.maxConcurrency), given('built-in', BUILT_IN.maxConcurrency)]),
    firstOf('maxBuildConcurrency', [given('flag', flags.buildConcurrency), given('config', config.maxBuildConcurrency), given('built-in', BUILT_IN.maxBuildConcurrency)]),
    firstOf('budget', [given('config', config.budget)]),
    firstOf('pricing', [given('config', config.pricing)]),
    ...experiments.flatMap(({ id, file, definition: { agent, model, reasoningEffort, attempts, maxConcurrency, timeoutMs, retries, earlyExit, budget, attemptBudget, judge, network, flags: own, labels, gateway, evals } }) => [
      firstOf('agent', [given('experiment', agent.name, file)], id),
      firstOf('model', [given('experiment', model, file)], id),
      firstOf('reasoningEffort', [given('experiment', reasoningEffort, file)], id),
      firstOf('evals', [given('experiment', typeof evals === 'function' ? 'a function' : evals, file), given('built-in', '*')], id),
      firstOf('attempts', [given('flag', flags.attempts), given('experiment', attempts, file), given('built-in', BUILT_IN.attempts)], id),
      firstOf('maxConcurrency', [given('experiment', maxConcurrency, file)], id),
      firstOf('timeoutMs', [given('flag', flags.timeout), given('experiment', timeoutMs, file), given('config', config.timeoutMs)], id),
      firstOf('retries', [given('flag', flags.retries), given('experiment', retries, file), given('config', config.retries), given('built-in', BUILT_IN.retries)], id),
      firstOf('earlyExit', [given('experiment', earlyExit === undefined ? undefined : String(earlyExit), file), given('built-in', 'false')], id),
      firstOf('budget', [given('experiment', budget, file)], id),
      firstOf('attemptBudget', [given('experiment', attemptBudget, file)], id),
      firstOf('gateway', [given('experiment', gateway, file)], id),
      firstOf('network', [given('experiment', network, file)], id),
      firstOf('judge', [given('experiment', judge, file), given('config', config.judge)], id),
      firstOf('flags', [given('experiment', own, file)], id),
      firstOf('labels', [given('experiment', labels, file)], id),
    ]),
  ];
}
