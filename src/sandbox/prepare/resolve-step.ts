import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isLocalRepo } from './git-names.js';
import type { PrepareStep } from './step.js';

/** The step with absolute host paths. @param folder Of the file that defines it. */
export function resolveStep(step: PrepareStep, folder: string): PrepareStep {
  switch (step.kind) {
    case 'upload': case 'folder': case 'tar': return { ...step, hostPath: resolve(folder, step.hostPath) };
    case 'git': return isLocalRepo(step.repo) ? { ...step, repo: resolve(folder, step.repo) } : step;
    case 'command': case 'shell': return step;
  }
}

/** Why a resolved step cannot be carried out, as far as a look at this machine tells. `undefined`: nothing is known against it. */
export async function stepProblem(step: PrepareStep): Promise<string | undefined> {
  switch (step.kind) {
    case 'upload': return await kindOf(step.hostPath) === 'missing' ? `${step.hostPath} cannot be uploaded: it is not there` : undefined;
    case 'folder': return await kindOf(step.hostPath) === 'folder' ? undefined : `the workspace ${step.hostPath} is not a folder`;
    case 'tar': return await kindOf(step.hostPath) === 'file' ? undefined : `the archive ${step.hostPath} is not a file`;
    case 'git': return !isLocalRepo(step.repo) || await kindOf(step.repo) !== 'missing' ? undefined : `the repository ${step.repo} is not there`;
    case 'command': case 'shell': return undefined;
  }
}

async function kindOf(path: string): Promise<'folder' | 'file' | 'missing'> {
  return stat(path).then((facts) => (facts.isDirectory() ? 'folder' : 'file'), () => 'missing');
}
