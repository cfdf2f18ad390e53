import { relative, resolve } from 'node:path';
import { discoverProject } from '../plan/discover.js';
import { inColumns } from '../report/columns.js';
import { plainJsonLine } from '../report/plain-text.js';
import { EXIT } from './exit-codes.js';
import { say } from './output.js';
import { settingsOf, type SettingFlags } from './settings.js';

/** Options of `niceeval config`: those of `niceeval run` that set something, and how it is told. */
export interface ConfigFlags extends SettingFlags {
  readonly json?: boolean;
  readonly dir: string;
}

/** `niceeval config`. */
export async function configCommand({ json, dir, ...flags }: ConfigFlags): Promise<number> {
  const project = await discoverProject(resolve(dir));
  const settings = settingsOf(project, flags);
  if (json === true) {
    await say(`${plainJsonLine({ format: 'niceeval.config', root: project.root, settings })}\n`);
    return EXIT.ok;
  }
  await say(inColumns([
    ['setting', 'for', 'value', 'from'],
    ...settings.map(({ name, experimentId = '', value, source, file }) => [name, experimentId, value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value), file === undefined ? source : `${source} (${relative(project.root, file)})`]),
  ]));
  return EXIT.ok;
}
