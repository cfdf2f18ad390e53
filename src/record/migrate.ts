import { isJsonObject } from '../evidence/json.js';
import { SCHEMA_VERSIONS } from './schema.js';

type File = keyof typeof SCHEMA_VERSIONS;
type Fields = Readonly<Record<string, unknown>>;

/** Per file: what makes version n to version n + 1, from 1 on. */
const STEPS: { readonly [file in File]: readonly ((fields: Fields) => Fields)[] } = {
  run: [endedRun],
  attempt: [],
  claims: [],
  changes: [],
};

/** What a file of an older version says, in the words of the present one; or why that cannot be told. */
export type Migrated = { readonly state: 'migrated'; readonly value: unknown } | { readonly state: 'refused'; readonly reason: string };

/** Brings a parsed file to the present version, step by step. Pure; what it is given stays as it is. */
export function migrate(file: File, value: unknown): Migrated {
  if (!isJsonObject(value) || value['format'] !== `niceeval.${file}`) return { state: 'refused', reason: `it is no niceeval.${file}` };
  const version = value['schemaVersion'];
  const newest = SCHEMA_VERSIONS[file];
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) return { state: 'refused', reason: `its schemaVersion is ${JSON.stringify(version)}, which is none` };
  if (version > newest) return { state: 'refused', reason: `its schemaVersion is ${version}, and this niceeval reads up to ${newest}: take a newer one` };
  const steps = STEPS[file].slice(version - 1);
  return { state: 'migrated', value: steps.reduce<Fields>((fields, step, index) => ({ ...step(fields), schemaVersion: version + index + 1 }), value) };
}

/** Version 1 was written when the run had ended, and told only of Attempts that had started. */
function endedRun(run: Fields): Fields {
  const attempts = Array.isArray(run['attempts']) ? run['attempts'] as readonly unknown[] : [];
  const planned = attempts.filter(isJsonObject).map(({ id, evalId, experimentId, index }) => ({ id, evalId, experimentId, index }));
  return { ...run, state: 'ended', sealedBy: 'run-file', planned };
}
