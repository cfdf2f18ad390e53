/**
 * Splits a command line that was joined by POSIX quoting rules back into its words. It undoes quoting and nothing else:
 * no expansion, no operators. Undefined when a quote is not closed.
 */
export function splitShellWords(text: string): readonly string[] | undefined {
  // Nearly always the words are a shell, a flag and one quoted script.
  const usual = /^([\w./-]+) (-\w+) '([^']*)'$/.exec(text);
  if (usual !== null) return usual.slice(1);
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === ' ' || char === '\t' || char === '\n') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (char === "'") {
      const end = text.indexOf("'", at + 1);
      if (end === -1) return undefined;
      word = (word ?? '') + text.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      const quoted = doubleQuoted(text, at + 1);
      if (quoted === undefined) return undefined;
      word = (word ?? '') + quoted.text;
      at = quoted.end;
    } else if (char === '\\') {
      if (at + 1 >= text.length) return undefined;
      at += 1;
      word = (word ?? '') + text.charAt(at);
    } else {
      word = (word ?? '') + char;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

function doubleQuoted(text: string, start: number): { readonly text: string; readonly end: number } | undefined {
  const parts: string[] = [];
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return { text: parts.join(''), end: at };
    const next = text.charAt(at + 1);
    if (char === '\\' && '$`"\\\n'.includes(next) && next !== '') {
      if (next !== '\n') parts.push(next);
      at += 1;
    } else {
      parts.push(char);
    }
  }
  return undefined;
}
