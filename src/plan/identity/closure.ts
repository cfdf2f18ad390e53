import { readFileSync, realpathSync, statSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createJiti } from 'jiti';
import { sourceFactsOf, type SourceFacts } from './source.js';

/** All that a module reaches by its imports. */
export interface Closure {
  /** Files of the project by path relative to its root, each with the SHA-256 of its bytes; of the module itself, of what defines. */
  readonly files: Readonly<Record<string, string>>;
  /** Packages as `name@version`, in order; `name@absent` where there is none. A name may have two versions. */
  readonly packages: readonly string[];
  /** Absolute, links resolved. */
  readonly modules: ReadonlySet<string>;
  /** What may be reached besides, one sentence each. */
  readonly unknown: readonly string[];
}

interface Module extends SourceFacts {
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

/** Reads each module once. */
export interface Closures {
  /** @param file Absolute. @throws where the module itself cannot be read. */
  of(file: string): Closure;
}

const BUILTIN = new Set(builtinModules);
/** What jiti, like a bundler, takes for the name that a build will give. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = { '.js': ['.ts', '.tsx'], '.mjs': ['.mts'], '.cjs': ['.cts'], '.jsx': ['.tsx'] };

/** @param root The project's folder, absolute. */
export function createClosures(root: string): Closures {
  const top = realpathSync(root);
  const jiti = createJiti(join(top, 'niceeval.config.ts'), { fsCache: false });
  const modules = new Map<string, Module | undefined>();
  const closures = new Map<string, Closure>();

  function moduleAt(file: string): Module | undefined {
    if (!modules.has(file)) modules.set(file, readModule(file));
    return modules.get(file);
  }

  function readModule(file: string): Module | undefined {
    let bytes: Uint8Array;
    try {
      bytes = readFileSync(file);
    } catch {
      return undefined;
    }
    const facts = sourceFactsOf(file, bytes);
    const imports: string[] = [];
    const packages: string[] = [];
    for (const specifier of facts.specifiers) {
      const name = packageNameOf(specifier);
      const found = name === undefined ? fileOf(specifier, file) : undefined;
      if (found !== undefined) imports.push(found);
      else if (name !== undefined && !isOurs(name)) {
        const known = packageOf(name, file);
        // A package that lies in the project itself is as much its source as what lies beside the module.
        const own = known?.isInstalled === true ? undefined : resolved(specifier, file);
        if (own !== undefined && isProjectFile(own)) imports.push(own);
        else packages.push(`${name}@${known?.version ?? 'absent'}`);
      }
    }
    return { ...facts, imports, packages };
  }

  function fileOf(specifier: string, from: string): string | undefined {
    if (specifier.startsWith('.') || specifier.startsWith('/')) {
      const plain = specifier.startsWith('/') ? specifier : join(dirname(from), specifier);
      const ending = /\.\w+$/.exec(plain)?.[0] ?? '';
      const near = [plain, ...(ENDINGS[ending] ?? []).map((other) => `${plain.slice(0, -ending.length)}${other}`)].find(isFile);
      if (near !== undefined) return realpathSync(near);
    }
    return resolved(specifier, from);
  }

  function resolved(specifier: string, from: string): string | undefined {
    try {
      const url = jiti.esmResolve(specifier, { parentURL: pathToFileURL(from).href, try: true });
      const path = url?.startsWith('file:') === true ? fileURLToPath(url) : undefined;
      return path !== undefined && isFile(path) ? realpathSync(path) : undefined;
    } catch {
      return undefined;
    }
  }

  function isProjectFile(file: string): boolean {
    return file.startsWith(`${top}${sep}`) && !file.includes(`${sep}node_modules${sep}`);
  }

  function closureOf(file: string): Closure {
    const entry = realpathSync(file);
    const files: Record<string, string> = {};
    const packages = new Set<string>();
    const unknown: string[] = [];
    const seen = new Set([entry]);
    for (const each of seen) {
      const module = moduleAt(each);
      const path = relative(top, each).split(sep).join('/');
      if (module === undefined) {
        if (each === entry) throw new Error(`${path} cannot be read`);
        continue;
      }
      files[path] = each === entry ? module.definitionSha256 : module.sha256;
      if (module.unknown !== undefined) unknown.push(`${path}: ${module.unknown}. A change of it is not seen when results are used again.`);
      for (const used of module.packages) packages.add(used);
      for (const next of module.imports) seen.add(next);
    }
    return { files, packages: [...packages].sort(), modules: seen, unknown };
  }

  return {
    of(file) {
      const known = closures.get(file) ?? closureOf(file);
      closures.set(file, known);
      return known;
    },
  };
}

/** The package that a specifier names. `undefined`: it names a file, or something of the module's own package. */
function packageNameOf(specifier: string): string | undefined {
  return /^(?![./#])(?:node:[^/]+|@[^/]+\/[^/]+|[^/:]+)/.exec(specifier)?.[0];
}

/** Node and niceeval itself; the version of the latter counts anyway. */
function isOurs(name: string): boolean {
  return name === 'niceeval' || name.startsWith('node:') || BUILTIN.has(name);
}

/** The nearest installed package of a name. `isInstalled` is false for a link into the sources of somebody. */
function packageOf(name: string, from: string): { readonly version: string; readonly isInstalled: boolean } | undefined {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name);
    try {
      const { version } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as { readonly version?: unknown };
      return { version: typeof version === 'string' ? version : 'unversioned', isInstalled: realpathSync(place).includes(`${sep}node_modules${sep}`) };
    } catch {
      if (folder === dirname(folder)) return undefined;
    }
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
