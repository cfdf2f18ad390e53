import type { SandboxSpec } from '../sandbox.js';
import { isPrepareStep, type PrepareStep } from './step.js';

/** A specification that can be given steps. Frozen: `prepare` gives a new one. */
export interface SandboxTemplate extends SandboxSpec {
  /**
   * Adds steps that are carried out once, when the image is prepared; every Attempt starts from what they made, and
   * nothing of it counts as a change.
   *
   * @throws TypeError for anything that is no step.
   */
  prepare(...steps: readonly PrepareStep[]): SandboxTemplate;
}

/** Steps of an eval that leaves image and backend to the experiment. Frozen: `prepare` gives a new one. */
export interface SandboxLayer {
  readonly kind: 'sandbox-layer';
  readonly steps?: readonly PrepareStep[];
  /** As that of a template. The template's steps come first. */
  prepare(...steps: readonly PrepareStep[]): SandboxLayer;
}

/** Steps on top of whatever image the experiment says, or on the default one. */
export function sandboxLayer(): SandboxLayer {
  return layerOf([]);
}

/** A specification with the method that adds steps; the method is no data of it. */
export function preparable(spec: SandboxSpec): SandboxTemplate {
  return withPrepare(spec, (added) => preparable({ ...spec, steps: [...spec.steps ?? [], ...added] }));
}

function layerOf(steps: readonly PrepareStep[]): SandboxLayer {
  const layer = { kind: 'sandbox-layer' as const, ...(steps.length === 0 ? {} : { steps }) };
  return withPrepare(layer, (added) => layerOf([...steps, ...added]));
}

function withPrepare<T extends object, R>(plain: T, add: (steps: readonly PrepareStep[]) => R): T & { prepare(...steps: readonly PrepareStep[]): R } {
  const prepare = (...steps: readonly PrepareStep[]): R => {
    if (steps.length === 0 || !steps.every(isPrepareStep)) {
      throw new TypeError('prepare() takes steps: what upload(), command(), shell(), fromFolder(), fromGit() or fromTar() made.');
    }
    return add(steps);
  };
  // Not enumerable, so that it is in no key, copy or comparison of what is only data.
  return Object.freeze(Object.defineProperty({ ...plain }, 'prepare', { value: prepare })) as T & { prepare: typeof prepare };
}
