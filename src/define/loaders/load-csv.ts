import { parse } from 'csv-parse/sync';
import { messageOf } from '../../lifetime/error.js';
import { DefinitionError } from '../errors.js';
import { readDataText } from './data-file.js';
import { checkDecoder, decoded, type TellingDecoder } from './decoder.js';

/** A row with what the parser knows of it. */
interface ReadRow {
  readonly record: Readonly<Record<string, string>>;
  readonly raw: string;
  /** `lines`: the line that the row ends on. */
  readonly info: { readonly lines: number };
}

/**
 * The rows of a CSV file of the project (RFC 4180), each an object of texts by the names in the first row. Blank lines are
 * passed over; every row has as many fields as the first one. Works only at the top level of a module, while niceeval loads it.
 *
 * @param path As that of `loadText`.
 * @param decode Checks one row and gives it a type.
 * @throws DefinitionError as `loadText`, for what is no CSV and for a row that the decoder refuses, with the line, from 1.
 */
export function loadCsv<T>(path: string | URL, decode: TellingDecoder<T>): readonly T[] {
  checkDecoder('loadCsv', decode);
  const { text, call } = readDataText('loadCsv', path);
  if (text.trim() === '') throw new DefinitionError(`${call}: the first row, which names the columns, is missing.`);
  return rowsOf(text, call).map(({ record, raw, info }) => {
    const breaks = raw.trim().match(/\r\n|\r|\n/g)?.length ?? 0;
    return decoded(decode, record, `${call}: line ${info.lines - breaks}`);
  });
}

function rowsOf(text: string, call: string): readonly ReadRow[] {
  try {
    return parse(text, { columns: (names: readonly string[]) => checkedNames(names, call), info: true, raw: true, skip_empty_lines: true }) as unknown as readonly ReadRow[];
  } catch (error) {
    throw error instanceof DefinitionError ? error : new DefinitionError(`${call} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Of two columns with one name the first would be lost. */
function checkedNames(names: readonly string[], call: string): string[] {
  const problem = names.find((name, index) => name === '' || name === '__proto__' || names.indexOf(name) !== index);
  if (problem !== undefined) throw new DefinitionError(`${call}: the first row has ${problem === '' ? 'a column without a name' : `the column ${JSON.stringify(problem)}, which comes twice or cannot be a name`}.`);
  return [...names];
}
