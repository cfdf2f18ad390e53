import { ImageError } from '../errors.js';
import type { Material } from '../prepare/material.js';
import { isWorkspaceSource, type CommandStep, type ShellStep } from '../prepare/step.js';
import { digested } from '../prepare/tree.js';
import { stepFailure } from '../prepare/step-failure.js';
import { shellArgv } from '../shell-argv.js';
import type { ImageNotice } from '../sandbox.js';
import type { BuildContainer } from './build-container.js';

const STEP_LIMIT_MS = 30 * 60_000;

/**
 * Carries out one step in a container.
 *
 * @throws ImageError for a command that fails, with the end of its output, and for files that changed since they were looked at.
 */
export async function carryOut(container: BuildContainer, material: Material, signal: AbortSignal): Promise<readonly ImageNotice[]> {
  if (material.kind === 'run') {
    await runStep(container, material.step, signal);
    return [];
  }
  await using opened = await material.open();
  const { tree, digest } = digested(opened.tree);
  await container.lay(tree, material.target);
  if (material.digest !== undefined && digest() !== material.digest) throw new ImageError('its files changed while they were read. Run it again when they are at rest.');
  if (isWorkspaceSource(material.step)) await container.handOverWorkdir();
  return opened.notices;
}

async function runStep(container: BuildContainer, step: CommandStep | ShellStep, signal: AbortSignal): Promise<void> {
  const { env = {}, user, timeoutMs = STEP_LIMIT_MS } = step;
  const argv = step.kind === 'command' ? step.argv : shellArgv(step.script);
  const shown = step.kind === 'command' ? step.argv.join(' ') : step.script;
  const { exitCode, output } = await container.run(argv, { ...(user === undefined ? {} : { user }), env, timeoutMs, signal, shown });
  if (exitCode !== 0) throw stepFailure({ exitCode, output, env });
}
