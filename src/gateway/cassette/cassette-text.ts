import { isJsonObject, parseJson, type JsonValue } from '../../evidence/json.js';
import { CassetteError } from '../errors.js';
import { CASSETTE_FORMAT, cassetteLineSchema, type CassetteExchange, type CassetteHeader, type CassetteLine, type SessionKey } from './cassette.js';
import { shown } from './excerpt.js';

/** What the file of a cassette says. */
export interface CassetteText {
  readonly session: SessionKey;
  /** Names the rules that made the outlines. */
  readonly normalisation: string;
  /** In the order in which the requests came. */
  readonly exchanges: readonly CassetteExchange[];
}

const RECORD_AGAIN = 'Record the Attempt again (`--record DIR`), or take the file from a backup';

/** The file of a cassette: JSON Lines, a header first, an `end` last. */
export function cassetteTextOf({ session, normalisation, exchanges }: CassetteText): string {
  const header: CassetteHeader = { type: 'cassette', format: CASSETTE_FORMAT, session: { experimentId: session.experimentId, evalId: session.evalId, attempt: session.attempt }, normalisation };
  const lines: readonly object[] = [header, ...exchanges.map((exchange) => ({ type: 'exchange', ...exchange })), { type: 'end', exchanges: exchanges.length }];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/**
 * Reads the file of a cassette.
 *
 * @param file Its name, for messages.
 * @throws CassetteError that names the line and what to do: another format, a line that does not fit, a torn end.
 */
export function readCassetteText(text: string, file: string): CassetteText {
  const lines = text.split('\n');
  const torn = lines.pop();
  const fault = (line: number, problem: string, remedy = `${RECORD_AGAIN}.`): CassetteError => new CassetteError({ file, line, problem, remedy });
  const first = lineOf(lines[0], 1, fault);
  if (first.type !== 'cassette') throw fault(1, 'is no header of a cassette');
  const exchanges: CassetteExchange[] = [];
  for (let number = 2; number <= lines.length; number += 1) {
    const line = lineOf(lines[number - 1], number, fault);
    if (line.type === 'cassette') throw fault(number, 'is a second header');
    if (line.type === 'end') {
      if (number < lines.length || torn !== '') throw fault(number + 1, 'comes after the end');
      if (line.exchanges !== exchanges.length) throw fault(number, `ends ${line.exchanges} exchanges, but there are ${exchanges.length}: lines are missing`);
      return { session: first.session, normalisation: first.normalisation, exchanges };
    }
    if (line.ordinal !== exchanges.length + 1) throw fault(number, `has the ordinal ${line.ordinal} in the place of ${exchanges.length + 1}`);
    const { type: _, ...exchange } = line;
    exchanges.push(exchange);
  }
  throw fault(lines.length + 1, 'is torn: there is no line that ends it');
}

function lineOf(text: string | undefined, number: number, fault: (line: number, problem: string, remedy?: string) => CassetteError): CassetteLine {
  const value = text === undefined ? undefined : parseJson(text);
  if (value === undefined) throw fault(number, text === undefined || text === '' ? 'is empty' : 'is no JSON');
  checkFormat(value, number, fault);
  const read = cassetteLineSchema.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  throw fault(number, `does not fit at "${shown((issue?.path ?? []).map(String).join('.')).slice(0, 200)}": ${shown(issue?.message ?? '').slice(0, 200)}`);
}

function checkFormat(value: JsonValue, number: number, fault: (line: number, problem: string, remedy?: string) => CassetteError): void {
  if (number !== 1 || !isJsonObject(value)) return;
  const { format } = value;
  if (typeof format !== 'string' || format === CASSETTE_FORMAT || !format.startsWith('niceeval.cassette/')) return;
  throw fault(1, `has the format "${shown(format).slice(0, 60)}", and this niceeval reads "${CASSETTE_FORMAT}"`, 'Use the niceeval that recorded it, or record the Attempt again (`--record DIR`).');
}
