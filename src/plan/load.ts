import { createJiti } from 'jiti';
import { relative } from 'node:path';
import * as niceeval from '../index.js';
import * as adapter from '../agents/index.js';
import * as expect from '../expect/index.js';
import * as sandbox from '../sandbox/index.js';
import { messageOf } from '../lifetime/error.js';

/** A module of the author's, loaded. */
export type Loaded =
  | { readonly state: 'loaded'; readonly exported: unknown }
  | { readonly state: 'failed'; readonly problem: string };

/** Loads TypeScript without a build step. */
export interface ModuleLoader {
  /** The default export of a file, or why there is none, with file and position. */
  load(file: string): Promise<Loaded>;
}

/**
 * @param root The project's folder, for messages. `import ... from "niceeval"` in a loaded file means this very copy,
 *   wherever the project lies, so that its definitions are the ones that this copy knows.
 */
export function createModuleLoader(root: string): ModuleLoader {
  const jiti = createJiti(import.meta.url, {
    moduleCache: true,
    fsCache: false,
    virtualModules: { 'niceeval': niceeval, 'niceeval/adapter': adapter, 'niceeval/expect': expect, 'niceeval/sandbox': sandbox },
  });
  return {
    async load(file) {
      try {
        return { state: 'loaded', exported: await jiti.import(file, { default: true }) };
      } catch (error) {
        return { state: 'failed', problem: `${relative(root, file)}: ${describe(error)}` };
      }
    },
  };
}

/** The message with its position; the loader's own code frame is left out. */
function describe(error: unknown): string {
  const first = messageOf(error).split('\n')[0] ?? '';
  const isSyntax = error instanceof Error && (error.name === 'SyntaxError' || /ParseError|SyntaxError/.test(first));
  return isSyntax ? `syntax error: ${first.replace(/^(ParseError|SyntaxError):\s*/, '').trim()}` : first;
}
