import { createJiti } from 'jiti';
import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import * as niceeval from '../index.js';
import * as adapter from '../agents/index.js';
import * as loaders from '../define/loaders/index.js';
import * as expect from '../expect/index.js';
import * as sandbox from '../sandbox/index.js';
import { discovering, type DataInput } from '../define/loaders/discovery.js';
import { messageOf } from '../lifetime/error.js';

/** A module of the author's, loaded. */
export type Loaded =
  | { readonly state: 'loaded'; readonly exported: unknown }
  | { readonly state: 'failed'; readonly problem: string };

/** Loads TypeScript without a build step. */
export interface ModuleLoader {
  /** The default export of a file, `undefined` where it has none, or why it cannot be loaded, with file and position. */
  load(file: string): Promise<Loaded>;
}

/**
 * @param root The project's folder, for messages. `import ... from "niceeval"` in a loaded file means this very copy,
 *   wherever the project lies, so that its definitions are the ones that this copy knows.
 * @param register Gets every data file that a module reads by `niceeval/loaders` while it is loaded.
 */
export function createModuleLoader(root: string, register: (input: DataInput) => void): ModuleLoader {
  const jiti = createJiti(import.meta.url, {
    moduleCache: true,
    fsCache: false,
    virtualModules: { 'niceeval': niceeval, 'niceeval/adapter': adapter, 'niceeval/expect': expect, 'niceeval/sandbox': sandbox, 'niceeval/loaders': loaders },
  });
  // The cache is the process's own: what an earlier discovery loaded may have changed, and would read its data no more.
  const folders = [root, realpathSync(root)].map((folder) => folder + sep);
  for (const file of Object.keys(jiti.cache)) if (folders.some((folder) => file.startsWith(folder)) && !file.includes(`${sep}node_modules${sep}`)) delete jiti.cache[file];
  return {
    async load(file) {
      try {
        const module = await discovering({ root, register }, () => jiti.import<object>(file));
        // Without a default export the loader gives the named ones under the name of one.
        return { state: 'loaded', exported: 'default' in module ? module.default : undefined };
      } catch (error) {
        return { state: 'failed', problem: problemOf(root, file, error) };
      }
    },
  };
}

/** The file with what is wrong in it; the loader's own code frame is left out. */
function problemOf(root: string, file: string, error: unknown): string {
  const own = relative(root, file);
  const message = messageOf(error);
  // The loader's parser: "ParseError: <what>  \n <file>:<line from 1>:<column from 0>".
  const parsed = /^ParseError: (?<what>.*?)\s*\n\s*(?<where>.+):(?<line>\d+):(?<column>\d+)\s*$/.exec(message)?.groups;
  if (parsed === undefined) return `${own}: ${message.split('\n')[0] ?? ''}`;
  const { what = '', where = '', line = '', column = '' } = parsed;
  const position = `${line}:${Number(column) + 1}`;
  return where === file ? `${own}:${position}: syntax error: ${what}` : `${own}: syntax error at ${relative(root, where)}:${position}: ${what}`;
}
