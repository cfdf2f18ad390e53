import { dirname, relative } from 'node:path';
import type { EvalDefinition } from '../define/eval.js';
import type { ExperimentDefinition } from '../define/experiment.js';
import { docker } from '../sandbox/docker/spec.js';
import { resolveStep, stepProblem } from '../sandbox/prepare/resolve-step.js';
import type { PrepareStep } from '../sandbox/prepare/step.js';
import { fromFolder } from '../sandbox/prepare/workspace-sources.js';
import type { SandboxSpec } from '../sandbox/sandbox.js';
import type { Discovered, Project } from './discover.js';

/** Steps with the file that they are written in. */
interface Written { readonly file: string; readonly steps: readonly PrepareStep[]; }

/**
 * Where one eval runs by one experiment: the eval's word, then the experiment's, then the default. The steps are the
 * eval's workspace, then those of the template, then those of the eval's layer; host paths are relative to the file that
 * says them.
 *
 * @param problems Gets a line for each step that cannot be carried out.
 */
export async function sandboxFor(
  project: Project,
  experiment: Discovered<ExperimentDefinition>,
  found: Discovered<EvalDefinition>,
  problems: string[],
): Promise<SandboxSpec> {
  const { sandbox: own, workspace } = found.definition;
  const template = own?.kind === 'sandbox-spec' ? { file: found.file, spec: own } : { file: experiment.file, spec: experiment.definition.sandbox ?? docker() };
  const written: readonly Written[] = [
    { file: found.file, steps: workspace === undefined ? [] : [typeof workspace === 'string' ? fromFolder(workspace) : workspace] },
    { file: template.file, steps: template.spec.steps ?? [] },
    { file: found.file, steps: own?.kind === 'sandbox-layer' ? own.steps ?? [] : [] },
  ];
  const steps: PrepareStep[] = [];
  for (const part of written) {
    for (const step of part.steps.map((each) => resolveStep(each, dirname(part.file)))) {
      const problem = await stepProblem(step);
      if (problem !== undefined) problems.push(`${relative(project.root, part.file)}: ${problem}. The path is relative to this file.`);
      steps.push(step);
    }
  }
  const { steps: _relative, ...plain } = template.spec;
  return { ...plain, ...(steps.length === 0 ? {} : { steps }) };
}
