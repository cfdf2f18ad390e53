import { access, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { glob } from 'tinyglobby';
import { isDefinition, type DefinitionKind } from '../define/brand.js';
import type { ConfigDefinition } from '../define/config.js';
import type { EvalDefinition } from '../define/eval.js';
import type { ExperimentDefinition } from '../define/experiment.js';
import { AuthoringError } from './errors.js';
import { createModuleLoader, type ModuleLoader } from './load.js';

/** A definition with the id that its path gives. */
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
  readonly evals: readonly Discovered<EvalDefinition>[];
  readonly experiments: readonly Discovered<ExperimentDefinition>[];
}

const FACTORIES = { eval: 'defineEval', experiment: 'defineExperiment', config: 'defineConfig' } as const;

/**
 * Finds and loads `niceeval.config.ts`, `evals/**\/*.eval.ts` and `experiments/**\/*.ts` below a folder.
 *
 * @throws AuthoringError with every problem of every file.
 */
export async function discoverProject(root: string): Promise<Project> {
  if (!await isFolder(root)) throw new AuthoringError([`${root} is not a folder. Name the project's folder with --dir.`]);
  const loader = createModuleLoader(root);
  const problems: string[] = [];
  const config = await loadConfig(loader, root, problems);
  const evals = await loadAll<EvalDefinition>(loader, root, problems, { kind: 'eval', folder: 'evals', pattern: '**/*.eval.{ts,tsx,mts,js,mjs}' });
  const experiments = await loadAll<ExperimentDefinition>(loader, root, problems, {
    kind: 'experiment', folder: 'experiments', pattern: '**/*.{ts,tsx,mts,js,mjs}',
  });
  if (problems.length > 0) throw new AuthoringError(problems);
  return { root, config, evals, experiments };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then((facts) => facts.isDirectory(), () => false);
}

async function loadAll<T>(
  loader: ModuleLoader,
  root: string,
  problems: string[],
  where: { readonly kind: DefinitionKind; readonly folder: string; readonly pattern: string },
): Promise<readonly Discovered<T>[]> {
  const base = join(root, where.folder);
  const files = await glob(where.pattern, { cwd: base, onlyFiles: true, ignore: ['**/*.d.ts', '**/node_modules/**'] });
  const found: Discovered<T>[] = [];
  for (const name of files.sort()) {
    const definition = await loadOne<T>(loader, root, join(base, name), where.kind, problems);
    const id = name.replace(/\\/g, '/').replace(/(\.eval)?\.(ts|tsx|mts|js|mjs)$/, '');
    const twin = found.find((other) => other.id === id);
    if (twin !== undefined) problems.push(`${relative(root, join(base, name))}: its id "${id}" is also that of ${relative(root, twin.file)}. Rename one of them.`);
    else if (definition !== undefined) found.push({ id, file: join(base, name), definition });
  }
  return found;
}

async function loadConfig(loader: ModuleLoader, root: string, problems: string[]): Promise<ConfigDefinition> {
  for (const name of ['niceeval.config.ts', 'niceeval.config.mts', 'niceeval.config.js', 'niceeval.config.mjs']) {
    const file = join(root, name);
    const exists = await access(file).then(() => true, () => false);
    if (exists) return await loadOne<ConfigDefinition>(loader, root, file, 'config', problems) ?? {};
  }
  return {};
}

async function loadOne<T>(loader: ModuleLoader, root: string, file: string, kind: DefinitionKind, problems: string[]): Promise<T | undefined> {
  const loaded = await loader.load(file);
  if (loaded.state === 'failed') {
    problems.push(loaded.problem);
    return undefined;
  }
  if (isDefinition(loaded.exported, kind)) return loaded.exported as T;
  problems.push(
    `${relative(root, file)}: its default export was not made by ${FACTORIES[kind]}. `
      + `Write \`export default ${FACTORIES[kind]}({ ... })\` with ${FACTORIES[kind]} imported from "niceeval".`,
  );
  return undefined;
}
