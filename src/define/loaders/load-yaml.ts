import { parseDocument } from 'yaml';
import { messageOf } from '../../lifetime/error.js';
import { DefinitionError } from '../errors.js';
import { readDataText } from './data-file.js';
import { checkDecoder, decoded, type TellingDecoder } from './decoder.js';

/**
 * The content of a YAML 1.2 file of the project: one document. Works only at the top level of a module, while niceeval
 * loads it. A tag that nobody knows, a key that comes twice and aliases that grow without measure are refused.
 *
 * @param path As that of `loadText`.
 * @param decode Checks the data and gives it a type.
 * @throws DefinitionError as `loadText`, for what is no YAML, with the line, and for data that the decoder refuses.
 */
export function loadYaml<T>(path: string | URL, decode: TellingDecoder<T>): T {
  checkDecoder('loadYaml', decode);
  const { text, call } = readDataText('loadYaml', path);
  return decoded(decode, parsed(text, call), call);
}

function parsed(text: string, where: string): unknown {
  const document = parseDocument(text, { logLevel: 'silent' });
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) throw new DefinitionError(`${where} cannot be read: ${firstLine(problem.message)}`, { cause: problem });
  try {
    return document.toJS();
  } catch (error) {
    throw new DefinitionError(`${where} cannot be read: ${firstLine(messageOf(error))}`, { cause: error });
  }
}

/** The parser adds a picture of the place below its message. */
function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/:$/, '');
}
