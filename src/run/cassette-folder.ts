import { join } from 'node:path';
import { MOST_BODY_BYTES, type CassetteExchange, type SessionKey } from '../gateway/cassette/cassette.js';
import { cassetteTextOf, readCassetteText, type CassetteText } from '../gateway/cassette/cassette-text.js';
import { normalisationOf } from '../gateway/cassette/normalise.js';
import { outlineOf } from '../gateway/cassette/outline.js';
import { CassetteError } from '../gateway/errors.js';
import { loadBody, readFileBelow, writeFileBelow } from './cassette-files.js';
import { cassettePathOf } from './cassette-path.js';
import { createCassetteWriter, type CassetteWriter } from './cassette-writer.js';

/** The largest file of a cassette, in bytes, without its bodies. */
const MOST_FILE_BYTES = 256 * 1024 * 1024;

/** What is taken for the same, and what may never be stored. */
export interface CassetteOptions {
  /** Sources of regular expressions for what varies. Default: none. */
  readonly volatile?: readonly string[];
  /** Exact texts that are replaced before anything is stored. Default: none. */
  readonly secrets?: readonly string[];
}

/** What was recorded for one session. Its bodies were there, and what their names say, when it was read. */
export interface Cassette {
  readonly session: SessionKey;
  /** The path of its file. */
  readonly file: string;
  readonly exchanges: readonly CassetteExchange[];
  /**
   * The bytes of a body that an exchange names.
   *
   * @throws CassetteError when it is no longer there or was changed.
   */
  body(sha256: string): Promise<Uint8Array>;
}

/** A folder of cassettes: a file for each session, and bodies that all of them share. */
export interface CassetteFolder {
  /** Begins a cassette. Nothing of what is there is touched before it is closed. */
  record(session: SessionKey, options?: CassetteOptions): CassetteWriter;
  /**
   * Begins a cassette that holds what is there already, if anything, before what is added.
   *
   * @throws CassetteError as `read` does.
   */
  append(session: SessionKey, options?: CassetteOptions): Promise<CassetteWriter>;
  /**
   * Reads a cassette and checks each of its bodies. Outlines that other rules made are made anew.
   *
   * @returns `undefined` when there is none.
   * @throws CassetteError that names the file, the line and what to do.
   */
  read(session: SessionKey, options?: Pick<CassetteOptions, 'volatile'>): Promise<Cassette | undefined>;
}

/** Opens a folder of cassettes. It need not be there: the first cassette that is closed makes it. */
export function openCassetteFolder(root: string): CassetteFolder {
  const begin = (session: SessionKey, before: readonly CassetteExchange[], { volatile = [], secrets = [] }: CassetteOptions): CassetteWriter => {
    const path = cassettePathOf(session);
    return createCassetteWriter({
      root, volatile, secrets, before,
      finish: (exchanges) => writeFileBelow(root, path, cassetteTextOf({ session, normalisation: normalisationOf(volatile), exchanges })),
    });
  };
  const read = (session: SessionKey, { volatile = [] }: Pick<CassetteOptions, 'volatile'> = {}): Promise<Cassette | undefined> => readCassette(root, session, volatile);
  return {
    record: (session, options = {}) => begin(session, [], options),
    append: async (session, options = {}) => begin(session, (await read(session, options))?.exchanges ?? [], options),
    read,
  };
}

async function readCassette(root: string, session: SessionKey, volatile: readonly string[]): Promise<Cassette | undefined> {
  const path = cassettePathOf(session);
  const file = join(root, path);
  const bytes = await readFileBelow(root, path, MOST_FILE_BYTES);
  if (bytes === undefined) return undefined;
  const text = readCassetteText(bytes.toString('utf8'), file);
  checkSession(text, session, file);
  const sizes = new Map<string, number>();
  const exchanges: CassetteExchange[] = [];
  const current = text.normalisation === normalisationOf(volatile);
  for (const exchange of text.exchanges) {
    const { request, response, outline, ordinal } = exchange;
    const load = async (sha256: string, sizeBytes: number): Promise<Uint8Array> => {
      // A body of a conversation may be large; it is looked at once.
      sizes.set(sha256, sizeBytes);
      const body = await loadBody(root, sha256, sizeBytes);
      if (body === undefined) throw missing(file, ordinal + 1, sha256);
      return body;
    };
    if (sizes.get(response.body) !== response.sizeBytes) await load(response.body, response.sizeBytes);
    const known = request.body !== null && sizes.get(request.body) === request.sizeBytes;
    const body = request.body === null || (known && current) ? null : await load(request.body, request.sizeBytes);
    exchanges.push(current ? exchange : { ...exchange, outline: outlineOf({ protocol: outline.protocol, method: outline.method, path: outline.path, body }, { volatile }) });
  }
  return {
    session: text.session, file, exchanges,
    async body(sha256) {
      const body = await loadBody(root, sha256, sizes.get(sha256) ?? MOST_BODY_BYTES);
      if (body === undefined) throw missing(file, undefined, sha256);
      return body;
    },
  };
}

function checkSession({ session }: CassetteText, asked: SessionKey, file: string): void {
  if (session.experimentId === asked.experimentId && session.evalId === asked.evalId && session.attempt === asked.attempt) return;
  throw new CassetteError({ file, line: 1, problem: 'is the cassette of another session: the file was renamed or copied', remedy: 'Put it back in its place, or record the Attempt again (`--record DIR`).' });
}

function missing(file: string, line: number | undefined, sha256: string): CassetteError {
  return new CassetteError({
    file, ...(line === undefined ? {} : { line }), problem: `names the body ${sha256}, which is not in the folder`,
    remedy: 'Copy `bodies/` together with `sessions/`, or record the Attempt again (`--record DIR`).',
  });
}
