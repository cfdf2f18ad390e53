import { ImageError } from '../errors.js';
import { messageOf } from '../../lifetime/error.js';
import type { GitSources } from '../prepare/git-sources.js';
import { materialOf } from '../prepare/material.js';
import { stepText, type PrepareStep } from '../prepare/step.js';
import { stepFailure } from '../prepare/step-failure.js';
import type { ImageNotice, ImageSource } from '../sandbox.js';
import type { LocalSandbox } from './local-sandbox.js';

const STEP_LIMIT_MS = 30 * 60_000;

/** What steps need besides the sandbox. */
export interface PrepareOptions { readonly git: GitSources; readonly signal: AbortSignal; }

/** Which commits the steps bring, and what is to be known of them. @throws ImageError for a step that cannot be carried out. */
export async function lookAtSteps(steps: readonly PrepareStep[], options: PrepareOptions): Promise<{ readonly sources: readonly ImageSource[]; readonly notices: readonly ImageNotice[] }> {
  const [sources, notices]: [ImageSource[], ImageNotice[]] = [[], []];
  for (const step of steps) {
    const material = await materialOf(step, options);
    if (material.kind !== 'files' || material.source === undefined) continue;
    await using opened = await material.open();
    sources.push(material.source);
    notices.push(...opened.notices);
  }
  return { sources, notices };
}

/**
 * Carries all steps out in a sandbox that was just opened: a folder of this machine has no image that could keep what they make.
 *
 * @throws ImageError that names the step.
 */
export async function carryOutHere(sandbox: LocalSandbox, steps: readonly PrepareStep[], options: PrepareOptions): Promise<void> {
  for (const [index, step] of steps.entries()) {
    try {
      await carryOut(sandbox, step, options);
    } catch (error) {
      throw new ImageError(`Step ${index + 1} of ${steps.length}, ${stepText(step)}: ${messageOf(error)}`, { cause: error });
    }
  }
}

async function carryOut(sandbox: LocalSandbox, step: PrepareStep, { git, signal }: PrepareOptions): Promise<void> {
  const material = await materialOf(step, { git, signal });
  if (material.kind === 'files') {
    await using opened = await material.open();
    await sandbox.lay(opened.tree, material.target);
    return;
  }
  const { env = {}, timeoutMs = STEP_LIMIT_MS } = material.step;
  const given = { env, timeoutMs, signal };
  const { exitCode, stdout, stderr } = material.step.kind === 'shell'
    ? await sandbox.runShell(material.step.script, given)
    : await sandbox.runCommand(material.step.argv[0] ?? '', material.step.argv.slice(1), given);
  if (exitCode !== 0) throw stepFailure({ exitCode, output: stderr || stdout, env });
}
