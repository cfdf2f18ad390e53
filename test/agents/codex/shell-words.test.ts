import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitShellWords } from '../../../src/agents/codex/shell-words.js';

describe('splitShellWords', () => {
  it.each([
    ["/bin/bash -lc 'cat README.md'", ['/bin/bash', '-lc', 'cat README.md']],
    ['/bin/bash -lc true', ['/bin/bash', '-lc', 'true']],
    [`/bin/bash -lc 'it'"'"'s "a"'`, ['/bin/bash', '-lc', 'it\'s "a"']],
    ['/bin/bash -lc "it\'s \\$HOME \\"x\\" \\n"', ['/bin/bash', '-lc', 'it\'s $HOME "x" \\n']],
    ["bash -lc 'a\nb'", ['bash', '-lc', 'a\nb']],
    ["sh -c ''", ['sh', '-c', '']],
    ['a\\ b  c', ['a b', 'c']],
    ['', []],
  ])('gives back the words of %j', (text, words) => {
    expect(splitShellWords(text)).toStrictEqual(words);
  });

  it.each(["'open", '"open', 'open\\'])('gives nothing for %j, whose quote is not closed', (text) => {
    expect(splitShellWords(text)).toBeUndefined();
  });

  it('gives back any words that were quoted one by one', () => {
    const quote = (word: string): string => `'${word.replaceAll("'", `'"'"'`)}'`;
    fc.assert(fc.property(fc.array(fc.string()), (words) => {
      expect(splitShellWords(words.map(quote).join(' '))).toStrictEqual(words);
    }));
  });
});
