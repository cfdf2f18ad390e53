import { resolve } from 'node:path';
import { discoverProject } from '../plan/discover.js';
import { inColumns } from '../report/columns.js';
import { plainJsonLine } from '../report/plain-text.js';
import { EXIT } from './exit-codes.js';
import { remark, say } from './output.js';

/** Options of `niceeval list`. */
export interface ListFlags {
  readonly tag: readonly string[];
  readonly json?: boolean;
  readonly dir: string;
}

/** `niceeval list`. */
export async function listCommand({ tag, json, dir }: ListFlags): Promise<number> {
  const project = await discoverProject(resolve(dir));
  const evals = project.evals
    .filter(({ definition }) => tag.length === 0 || tag.some((wanted) => definition.tags?.includes(wanted)))
    .map(({ id, definition: { description = '', tags = [], evaluationKind } }) => ({ id, evaluationKind, tags, description }));
  const experiments = project.experiments.map(({ id, definition: { agent, model } }) => ({ id, agent: agent.name, ...(model === undefined ? {} : { model }) }));
  if (json === true) {
    await say(`${plainJsonLine({ format: 'niceeval.list', evals, experiments })}\n`);
    return EXIT.ok;
  }
  if (evals.length === 0) remark(tag.length === 0 ? 'no eval: put one into evals/<id>.eval.ts' : `no eval has the tag ${tag.join(' or ')}`);
  if (experiments.length === 0) remark('no experiment: put one into experiments/<id>.ts');
  await say(inColumns([
    ...evals.map(({ id, tags, description }) => ['eval', id, tags.join(', '), description]),
    ...experiments.map(({ id, agent, model = '' }) => ['experiment', id, agent, model]),
  ]));
  return EXIT.ok;
}
