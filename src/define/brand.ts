import { pathSelector } from '../assert/file-paths.js';
import { isJsonObject, jsonValueSchema } from '../evidence/json.js';
import { show } from '../expect/match.js';
import { judgeConfigProblem } from '../judge/config.js';
import { messageOf } from '../lifetime/error.js';
import { NETWORK_PHASES, networkAccessProblem } from '../sandbox/network-access.js';
import { DefinitionError } from './errors.js';

/** What a definition is of. */
export type DefinitionKind = 'eval' | 'experiment' | 'config';

const BRAND = Symbol.for('niceeval.definition');

/** Marks and freezes what a define function made. */
export function brandDefinition<T extends object>(kind: DefinitionKind, definition: T): T {
  return Object.freeze(Object.defineProperty({ ...definition }, BRAND, { value: kind }));
}

/** True for what the define function of this kind made, also in another copy of the package. */
export function isDefinition(value: unknown, kind: DefinitionKind): boolean {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === kind;
}

/** @throws DefinitionError naming the first key that is not known. */
export function checkKeys(factory: string, input: unknown, known: readonly string[]): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) throw new DefinitionError(`${factory} needs an object.`);
  const unknown = Object.keys(input).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new DefinitionError(`${factory} does not know the field "${unknown}". It knows ${known.join(', ')}.`);
}

/** @throws DefinitionError unless the value is absent or a whole number of at least `least`. */
export function checkCount(factory: string, field: string, value: unknown, least = 1): void {
  if (value === undefined || (typeof value === 'number' && Number.isInteger(value) && value >= least)) return;
  throw new DefinitionError(`${factory}: \`${field}\` must be a whole number of at least ${least}, not ${show(value)}.`);
}

/** @throws DefinitionError unless the value is absent or the configuration of a judge. */
export function checkJudge(factory: string, value: unknown): void {
  const problem = value === undefined ? undefined : judgeConfigProblem(value);
  if (problem !== undefined) throw new DefinitionError(`${factory}: \`judge\`: ${problem}.`);
}

/** @throws DefinitionError unless the value is absent or says where the sandbox may talk to in some phases. */
export function checkNetwork(factory: string, value: unknown): void {
  if (value === undefined) return;
  if (!isJsonObject(value)) throw new DefinitionError(`${factory}: \`network\` must be an object with some of ${NETWORK_PHASES.join(', ')}.`);
  for (const [phase, access] of Object.entries(value)) {
    if (!(NETWORK_PHASES as readonly string[]).includes(phase)) throw new DefinitionError(`${factory}: \`network\` does not know the phase "${phase}". It knows ${NETWORK_PHASES.join(', ')}.`);
    const problem = networkAccessProblem(access);
    if (problem !== undefined) throw new DefinitionError(`${factory}: \`network.${phase}\`: ${problem}.`);
  }
}

const INTEGRITY_LISTS = ['protect', 'toolchain', 'hidden', 'allow'];

/** @throws DefinitionError unless the value is absent, true, or lists of paths. */
export function checkIntegrity(factory: string, value: unknown): void {
  if (value === undefined || value === true) return;
  if (!isJsonObject(value)) throw new DefinitionError(`${factory}: \`integrity\` must be true or an object with some of ${INTEGRITY_LISTS.join(', ')}.`);
  for (const [name, paths] of Object.entries(value)) {
    if (!INTEGRITY_LISTS.includes(name)) throw new DefinitionError(`${factory}: \`integrity\` does not know "${name}". It knows ${INTEGRITY_LISTS.join(', ')}.`);
    const isList = Array.isArray(paths) && paths.every((path) => typeof path === 'string' && path !== '' && !path.includes('\0'));
    if (!isList) throw new DefinitionError(`${factory}: \`integrity.${name}\` must be a list of paths.`);
    if (name === 'protect' || name === 'allow') for (const path of paths as readonly string[]) checkSelector(factory, `integrity.${name}`, path);
    const wrong = name === 'toolchain' ? (paths as readonly string[]).find((path) => !path.startsWith('/') || path.split('/').includes('..')) : undefined;
    if (wrong !== undefined) throw new DefinitionError(`${factory}: \`integrity.toolchain\` needs absolute paths, not ${show(wrong)}.`);
  }
}

function checkSelector(factory: string, field: string, path: string): void {
  try {
    pathSelector(path);
  } catch (error) {
    throw new DefinitionError(`${factory}: \`${field}\`: ${messageOf(error)}`, { cause: error });
  }
}

/** @throws DefinitionError unless the value is absent or a text. */
export function checkText(factory: string, field: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') throw new DefinitionError(`${factory}: \`${field}\` must be a text, not ${show(value)}.`);
}

/** @throws DefinitionError unless the value is absent or a plain object whose members are JSON. */
export function checkJson(factory: string, field: string, value: unknown): void {
  checkMembers(factory, field, value, { of: 'JSON values', fits: (member) => jsonValueSchema.safeParse(member).success });
}

/** @throws DefinitionError unless the value is absent or a plain object whose members all fit. */
export function checkMembers(factory: string, field: string, value: unknown, members: { readonly of: string; readonly fits: (member: unknown) => boolean }): void {
  if (value === undefined) return;
  const rule = `${factory}: \`${field}\` must be an object of ${members.of}`;
  if (!isJsonObject(value)) throw new DefinitionError(`${rule}.`);
  const stranger = Object.entries(value).find(([, member]) => !members.fits(member));
  if (stranger !== undefined) throw new DefinitionError(`${rule}; look at "${stranger[0]}".`);
}
