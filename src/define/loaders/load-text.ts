import { readDataText } from './data-file.js';

/**
 * The text of a file of the project, for instance a task. Works only at the top level of a module, while niceeval loads it.
 *
 * @param path Relative to the project's root, or `new URL("./file", import.meta.url)`.
 * @returns The text without a byte order mark.
 * @throws DefinitionError for a file that is not there, lies outside the project or is no UTF-8, and at run time.
 */
export function loadText(path: string | URL): string {
  return readDataText('loadText', path).text;
}
