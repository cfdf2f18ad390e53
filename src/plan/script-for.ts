import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import type { ExperimentDefinition } from '../define/experiment.js';
import { ScriptError } from '../gateway/errors.js';
import { parseScript, scriptOf, type Script } from '../gateway/script.js';
import type { Discovered, Project } from './discover.js';
import type { PlannedAttempt } from './plan.js';

/**
 * The script that an experiment's gateway plays. `undefined`: it plays none, or it cannot be read.
 *
 * @param problems Gets a line for what is wrong with it.
 */
export async function scriptFor(project: Pick<Project, 'root'>, experiment: Pick<Discovered<ExperimentDefinition>, 'file' | 'definition'>, problems: string[]): Promise<PlannedAttempt['script']> {
  const { gateway } = experiment.definition;
  if (gateway?.mode !== 'scripted') return undefined;
  const own = relative(project.root, experiment.file);
  if (typeof gateway.script !== 'string') return readScript(own, gateway.script, { read: scriptOf, problems });
  const file = resolve(dirname(experiment.file), gateway.script);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text !== undefined) return readScript(relative(project.root, file), text, { read: parseScript, problems });
  problems.push(`${own}: the script "${gateway.script}" cannot be read. The path is relative to the experiment's file.`);
  return undefined;
}

function readScript<T>(name: string, written: T, { read, problems }: { readonly read: (written: T, name: string) => Script; readonly problems: string[] }): PlannedAttempt['script'] {
  try {
    return { name, script: read(written, name) };
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    problems.push(...error.problems.map((problem) => `${name}: ${problem}`));
    return undefined;
  }
}
