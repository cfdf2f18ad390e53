import type { Command, CommandNode } from 'unbash';
import type { Stdin } from './launch.js';
import type { ShellState } from './state.js';
import { assignmentWord, bodyText, wordOf, type Word, wordFrom } from './word.js';

/** The command word and the arguments of a command. */
export function commandWords(node: Command): readonly Word[] {
  if (node.name === undefined) return [];
  const words: Word[] = [wordOf(node.name)];
  let end = node.name.end;
  for (const item of node.suffix) {
    if (item.type !== 'Word' && item.type !== 'Assignment') continue;
    const word = item.type === 'Word' ? wordOf(item) : assignmentWord(item);
    const before = words.at(-1);
    // The grammar tells `a>(b)` as two words that touch; the shell makes one of them.
    if (item.pos === end && before !== undefined) words[words.length - 1] = wordFrom([...before.pieces, ...word.pieces], before.text + word.text);
    else words.push(word);
    end = item.end;
  }
  return words;
}

/** What redirections put on the standard input of a command. Absent: nothing. */
export function stdinOf(node: Command): Stdin | undefined {
  let stdin: Stdin | undefined;
  for (const redirect of node.redirects) {
    const { descriptor } = redirect;
    if (!redirect.operator.startsWith('<') || (descriptor !== undefined && !(descriptor.type === 'FileDescriptor' && descriptor.value === 0))) continue;
    if (redirect.type === 'Redirect') {
      stdin = { kind: 'unknown', what: 'a redirection' };
      continue;
    }
    const text = redirect.type === 'HereDoc' ? bodyText(redirect) : redirect.target === undefined ? undefined : wordOf(redirect.target).literal;
    stdin = text === undefined ? { kind: 'unknown', what: 'text that expansion decides' } : { kind: 'text', text };
  }
  return stdin;
}

/** What a part of a pipeline prints, for `cat` of a here-document and for `echo` of plain words. Absent: not known. */
export function printedOn(node: CommandNode, state: ShellState): string | undefined {
  if (node.type !== 'Command' || node.redirects.some(({ operator }) => operator.startsWith('>') || operator.startsWith('&'))) return undefined;
  const [name, ...args] = commandWords(node).map(({ literal }) => literal);
  if (name === undefined || state.definitions.has(name)) return undefined;
  if (name === 'cat' && (args.length === 0 || (args.length === 1 && args[0] === '-'))) {
    const stdin = stdinOf(node);
    return stdin?.kind === 'text' ? stdin.text : undefined;
  }
  if (name !== 'echo' || args[0]?.startsWith('-') === true) return undefined;
  // What a backslash prints is not the same in each shell.
  return args.every((arg) => arg !== undefined && !arg.includes('\\')) ? args.join(' ') : undefined;
}
