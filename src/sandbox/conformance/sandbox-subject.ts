import type { NetworkPlan, SandboxProvider, SandboxSpec } from '../sandbox.js';

/** What {@link sandboxConformance} takes: a backend, and what to open in it. */
export interface SandboxSubject {
  /** Begins every title. */
  readonly name: string;
  /** Gives the backend, the same one each time. Whoever made it closes it when the last check has ended. */
  readonly provider: () => Promise<SandboxProvider>;
  /** Its sandboxes have `sh`, and the usual `cat`, `printf`, `head`, `sleep`, `setsid`, `ln`, `mkfifo`, `chmod`, `env` and `wc`. */
  readonly spec: SandboxSpec;
  /** The network of the sandboxes. Default: `host` where the backend can close none, else `none`. */
  readonly network?: NetworkPlan;
  /** What the backend cannot do: names of checks, each with the reason. Such a check is listed with `skipped` and does nothing. */
  readonly skips?: Readonly<Record<string, string>>;
}
