import { dirname, resolve } from 'node:path';
import { integrityReportOf, type IntegrityOptions } from '../assert/integrity-claim.js';
import type { WorkspaceChanges } from '../evidence/file-changes.js';
import type { IntegrityReport } from '../evidence/integrity.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import { IntegrityWatch } from '../workspace/integrity/watch.js';
import type { WorkspaceLedger } from '../workspace/ledger.js';

/** What one Attempt finds of tampering. */
export class AttemptIntegrity {
  readonly #options: IntegrityOptions;
  readonly #watch: IntegrityWatch;

  private constructor(options: IntegrityOptions, watch: IntegrityWatch) {
    this.#options = options;
    this.#watch = watch;
  }

  /** `undefined`: the eval does not ask for it. */
  static of({ evalFile, evalDefinition: { integrity } }: PlannedAttempt, sandbox: OwnedSandbox): AttemptIntegrity | undefined {
    if (integrity === undefined) return undefined;
    const options = integrity === true ? {} : integrity;
    const hidden = new Map((options.hidden ?? []).map((path) => [path, resolve(dirname(evalFile), path)]));
    return new AttemptIntegrity(options, new IntegrityWatch(sandbox, { toolchain: options.toolchain ?? [], hidden }));
  }

  /** A window was opened and its agent is about to begin. */
  async beforeWindow(ledger: WorkspaceLedger | undefined, label: string): Promise<void> {
    if (ledger !== undefined) await this.#watch.beforeWindow(ledger.state, label);
  }

  /** A window was closed: its agent has ended, or waits. */
  afterWindow(): Promise<void> {
    return this.#watch.afterWindow();
  }

  report(changes: WorkspaceChanges): IntegrityReport {
    return integrityReportOf(this.#options, changes, this.#watch.findings);
  }
}
