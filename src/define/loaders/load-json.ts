import { messageOf } from '../../lifetime/error.js';
import { DefinitionError } from '../errors.js';
import { readDataText } from './data-file.js';
import { checkDecoder, decoded, type TellingDecoder } from './decoder.js';

/**
 * The content of a JSON file of the project. Works only at the top level of a module, while niceeval loads it.
 *
 * @param path As that of `loadText`.
 * @param decode Checks the data and gives it a type.
 * @throws DefinitionError as `loadText`, for what is no JSON, and for data that the decoder refuses.
 */
export function loadJson<T>(path: string | URL, decode: TellingDecoder<T>): T {
  checkDecoder('loadJson', decode);
  const { text, call } = readDataText('loadJson', path);
  return decoded(decode, parsed(text, call), call);
}

/**
 * The lines of a JSON Lines file, one value each. Blank lines are passed over. The rest is as with `loadJson`; a message
 * names the line, from 1.
 */
export function loadJsonLines<T>(path: string | URL, decode: TellingDecoder<T>): readonly T[] {
  checkDecoder('loadJsonLines', decode);
  const { text, call } = readDataText('loadJsonLines', path);
  return text.split('\n').flatMap((line, index) => {
    const where = `${call}: line ${index + 1}`;
    return line.trim() === '' ? [] : [decoded(decode, parsed(line, where), where)];
  });
}

function parsed(text: string, where: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DefinitionError(`${where} is no JSON: ${messageOf(error)}`, { cause: error });
  }
}
