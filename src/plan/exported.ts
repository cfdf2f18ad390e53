import { isDefinition, type DefinitionKind } from '../define/brand.js';

/** What a file exports by default: definitions, each with what its id has after the file's own. */
export interface ExportedDefinitions<T> {
  /** `suffix` is empty for a single definition, else `/0000` or `/<key>`. */
  readonly definitions: readonly { readonly suffix: string; readonly definition: T }[];
  /** Clauses about the file, without its name. */
  readonly problems: readonly string[];
}

const FACTORIES = { eval: 'defineEval', experiment: 'defineExperiment', config: 'defineConfig' } as const;
/** The field that nothing but a definition has. */
const MARKS = { eval: 'test', experiment: 'agent' } as const;

/** Reads the default export of a file of evals or experiments: one definition, an array of them, or a plain object of them. */
export function exportedDefinitions<T>(exported: unknown, kind: 'eval' | 'experiment'): ExportedDefinitions<T> {
  if (isDefinition(exported, kind)) return { definitions: [{ suffix: '', definition: exported as T }], problems: [] };
  if (Array.isArray(exported)) {
    return itemsOf<T>(Array.from(exported, (item: unknown, index) => [String(index).padStart(4, '0'), item] as const), kind);
  }
  if (isKeyed(exported, kind)) {
    const entries = Object.entries(exported).sort(([a], [b]) => (a < b ? -1 : 1));
    return itemsOf<T>(entries, kind);
  }
  return { definitions: [], problems: [madeByNobody('its default export', kind)] };
}

/** What is wrong with a default export that was not made by the factory of its kind. */
export function madeByNobody(what: string, kind: DefinitionKind): string {
  const factory = FACTORIES[kind];
  return `${what} was not made by ${factory}. Write \`export default ${factory}({ ... })\` with ${factory} imported from "niceeval".`;
}

function itemsOf<T>(entries: readonly (readonly [string, unknown])[], kind: 'eval' | 'experiment'): ExportedDefinitions<T> {
  if (entries.length === 0) return { definitions: [], problems: [`its default export is empty. Export at least one ${kind}, or remove the file.`] };
  const definitions: { readonly suffix: string; readonly definition: T }[] = [];
  const problems: string[] = [];
  for (const [key, item] of entries) {
    const problem = keyProblem(key);
    if (problem !== undefined) problems.push(`the key ${JSON.stringify(key)} of its default export ${problem}.`);
    else if (isDefinition(item, kind)) definitions.push({ suffix: `/${key}`, definition: item as T });
    else problems.push(`${JSON.stringify(key)} of its default export was not made by ${FACTORIES[kind]}. Make each of them by \`${FACTORIES[kind]}({ ... })\` of "niceeval".`);
  }
  return { definitions, problems };
}

/** A plain object of something, and not one definition that somebody copied or wrote by hand. */
function isKeyed(exported: unknown, kind: 'eval' | 'experiment'): exported is object {
  if (typeof exported !== 'object' || exported === null) return false;
  const prototype: unknown = Object.getPrototypeOf(exported);
  if (prototype !== Object.prototype && prototype !== null) return false;
  if ((['eval', 'experiment', 'config'] as const).some((other) => isDefinition(exported, other))) return false;
  return !(MARKS[kind] in exported) || Object.values(exported).some((member) => isDefinition(member, kind));
}

/** A key is one part of a path: ids are prefixes of each other part by part. */
function keyProblem(key: string): string | undefined {
  if (key.trim() === '' || key === '.' || key === '..') return 'is no name';
  if (/[/\\]/.test(key)) return 'has a slash or a backslash, and must be one part of a path';
  return /\p{Cc}/u.test(key) ? 'has a control character' : undefined;
}
