import type { SandboxProvider, SandboxSpec } from './sandbox.js';
import { localFit } from './local/spec-fit.js';

/** How a backend takes what an author asks for. Both lists name the options, for instance `image "node:22"`. */
export interface SpecFit {
  /** Cannot be had, and without them the sandbox would be another one. */
  readonly refused: readonly string[];
  /** Are not kept to. */
  readonly ignored: readonly string[];
}

/** What an eval or a run may ask of a backend beyond a sandbox. */
export type BackendFeature = 'network' | 'gradeIn' | 'keep';

/** A choice of `--sandbox`. */
export interface Backend {
  /** What it cannot do; whoever asks for it is told before anything starts. */
  readonly lacks: readonly BackendFeature[];
  /** How it takes a spec. Pure. */
  readonly fit: (spec: SandboxSpec) => SpecFit;
  /**
   * Loads the backend and connects to what it needs. The caller closes it.
   *
   * @param options.runId Names the run in all that is made: letters, digits and dashes.
   * @param options.buildsAtOnce How many images are made at once. Default: 2.
   * @throws EngineUnavailableError when its engine does not answer.
   */
  readonly open: (options: { readonly runId: string; readonly buildsAtOnce?: number }) => Promise<SandboxProvider>;
}

/** All backends, by the name that `--sandbox` takes. */
export const BACKENDS = {
  docker: {
    lacks: [],
    fit: () => ({ refused: [], ignored: [] }),
    open: async (options) => (await import('./docker/provider.js')).openDockerProvider(options),
  },
  local: {
    lacks: ['network', 'gradeIn', 'keep'],
    fit: localFit,
    open: async (options) => (await import('./local/provider.js')).openLocalProvider(options),
  },
} as const satisfies Readonly<Record<string, Backend>>;

/** The name of a backend. */
export type BackendName = keyof typeof BACKENDS;

/** The names, the default first. */
export const BACKEND_NAMES = Object.keys(BACKENDS) as readonly BackendName[];
