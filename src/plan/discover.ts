import { access, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { glob } from 'tinyglobby';
import { isDefinition } from '../define/brand.js';
import type { ConfigDefinition } from '../define/config.js';
import type { EvalDefinition } from '../define/eval.js';
import type { ExperimentDefinition } from '../define/experiment.js';
import type { DataInput } from '../define/loaders/discovery.js';
import { AuthoringError } from './errors.js';
import { exportedDefinitions, madeByNobody } from './exported.js';
import { createModuleLoader, type ModuleLoader } from './load.js';

/** A definition with the id that its path gives, and its key where the file exports many. */
export interface Discovered<T> {
  readonly id: string;
  /** Absolute path of the file. */
  readonly file: string;
  readonly definition: T;
}

/** Everything a project defines. */
export interface Project {
  readonly root: string;
  readonly config: ConfigDefinition;
  /** Absolute. Absent: there is none. */
  readonly configFile?: string;
  readonly evals: readonly Discovered<EvalDefinition>[];
  readonly experiments: readonly Discovered<ExperimentDefinition>[];
  /** Data files that modules read while they were loaded. */
  readonly inputs: readonly DataInput[];
}

/**
 * Finds and loads `niceeval.config.ts`, `evals/**\/*.eval.ts`, `evals/**\/eval.ts` and `experiments/**\/*.ts` below a folder. A file
 * exports one definition, an array of them (`<file>/0000`, ...) or a plain object of them (`<file>/<key>`, by key).
 *
 * @throws AuthoringError with every problem of every file.
 */
export async function discoverProject(root: string): Promise<Project> {
  if (!await isFolder(root)) throw new AuthoringError([`${root} is not a folder. Name the project's folder with --dir.`]);
  const inputs: DataInput[] = [];
  const loader = createModuleLoader(root, (input) => { inputs.push(input); });
  const problems: string[] = [];
  const { config, configFile } = await loadConfig(loader, root, problems);
  const evals = await loadAll<EvalDefinition>(loader, root, problems, { kind: 'eval', folder: 'evals', pattern: '**/{eval,*.eval}.{ts,tsx,mts,js,mjs}' });
  const experiments = await loadAll<ExperimentDefinition>(loader, root, problems, {
    kind: 'experiment', folder: 'experiments', pattern: '**/*.{ts,tsx,mts,js,mjs}',
  });
  if (problems.length > 0) throw new AuthoringError(problems);
  return { root, config, ...(configFile === undefined ? {} : { configFile }), evals, experiments, inputs };
}

/**
 * Loads `niceeval.config.ts` of a folder, and nothing else.
 *
 * @throws AuthoringError when it cannot be loaded.
 */
export async function discoverConfig(root: string): Promise<Pick<Project, 'root' | 'config' | 'configFile'>> {
  const problems: string[] = [];
  const found = await loadConfig(createModuleLoader(root, () => undefined), root, problems);
  if (problems.length > 0) throw new AuthoringError(problems);
  return { root, ...found };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then((facts) => facts.isDirectory(), () => false);
}

async function loadAll<T>(
  loader: ModuleLoader,
  root: string,
  problems: string[],
  where: { readonly kind: 'eval' | 'experiment'; readonly folder: string; readonly pattern: string },
): Promise<readonly Discovered<T>[]> {
  const base = join(root, where.folder);
  const files = await glob(where.pattern, { cwd: base, onlyFiles: true, ignore: ['**/*.d.ts', '**/node_modules/**'] });
  const found = new Map<string, Discovered<T>>();
  for (const name of files.sort()) {
    const file = join(base, name);
    const tell = (problem: string): void => { problems.push(`${relative(root, file)}: ${problem}`); };
    const own = idOf(name, where.kind);
    if (own === undefined) {
      tell('no folder names this eval. Rename it to evals/<id>.eval.ts or evals/<id>/eval.ts.');
      continue;
    }
    const loaded = await loader.load(file);
    // Two files of one id are told of even where one of them cannot be loaded.
    const exported = loaded.state === 'failed' ? { definitions: [{ suffix: '', definition: undefined }], problems: [] } : exportedDefinitions<T>(loaded.exported, where.kind);
    if (loaded.state === 'failed') problems.push(loaded.problem);
    for (const problem of exported.problems) tell(problem);
    for (const { suffix, definition } of exported.definitions) {
      const id = `${own}${suffix}`;
      const twin = found.get(id);
      if (twin !== undefined) tell(`its id "${id}" is also that of ${relative(root, twin.file)}. Rename one of them.`);
      else if (definition !== undefined) found.set(id, { id, file, definition });
    }
  }
  return [...found.values()];
}

/** The id that a path below `evals/` or `experiments/` gives. `undefined`: an `eval.ts` without a folder of its own. */
function idOf(name: string, kind: 'eval' | 'experiment'): string | undefined {
  const path = name.replace(/\\/g, '/');
  const folder = kind === 'eval' ? /^(?:(?<folder>.+)\/)?eval\.(?:ts|tsx|mts|js|mjs)$/.exec(path) : null;
  return folder === null ? path.replace(/(\.eval)?\.(ts|tsx|mts|js|mjs)$/, '') : folder.groups?.folder;
}

async function loadConfig(loader: ModuleLoader, root: string, problems: string[]): Promise<Pick<Project, 'config' | 'configFile'>> {
  for (const name of ['niceeval.config.ts', 'niceeval.config.mts', 'niceeval.config.js', 'niceeval.config.mjs']) {
    const file = join(root, name);
    const exists = await access(file).then(() => true, () => false);
    if (!exists) continue;
    const loaded = await loader.load(file);
    if (loaded.state === 'loaded' && isDefinition(loaded.exported, 'config')) return { config: loaded.exported as ConfigDefinition, configFile: file };
    problems.push(loaded.state === 'failed' ? loaded.problem : `${relative(root, file)}: ${madeByNobody('its default export', 'config')}`);
    return { config: {} };
  }
  return { config: {} };
}
