import type { Assignment, BraceExpansionPart, CommandExpansionPart, DoubleQuotedChild, HereDoc, Word as SyntaxWord, WordPart } from 'unbash';

/**
 * A part of a word that expansion decides. `one`: some text inside one word. `each`: a pattern or braces, so any number
 * of words that all fit the whole word. `split`: an unquoted or `$@` expansion, so any number of words of any text.
 */
export type Hole = 'one' | 'each' | 'split';

/** A piece of a word: literal text, or a hole. */
export type Piece = string | { readonly hole: Hole };

/** One word of a command after quote removal. */
export interface Word {
  /** As the source spells it. */
  readonly text: string;
  /** The whole word. Absent: expansion decides a part of it. */
  readonly literal?: string;
  /** Literal parts and holes in order. */
  readonly pieces: readonly Piece[];
  /** True when it may become no word, or several. */
  readonly splits: boolean;
}

/** A word that is known. */
export function literalWord(literal: string, text = literal): Word {
  return { text, literal, pieces: [literal], splits: false };
}

/** Any number of words that nobody knows. */
export const UNKNOWN_WORDS: Word = { text: '...', pieces: [{ hole: 'split' }], splits: true };

/** A word made of pieces. */
export function wordFrom(pieces: readonly Piece[], text: string): Word {
  if (pieces.every((piece) => typeof piece === 'string')) return literalWord(pieces.join(''), text);
  return { text, pieces, splits: pieces.some((piece) => typeof piece !== 'string' && piece.hole !== 'one') };
}

/** Reads a word of the grammar. */
export function wordOf(word: SyntaxWord): Word {
  const pieces = word.parts === undefined ? [word.value] : word.parts.flatMap((part) => piecesOf(part));
  return wordFrom(withTilde(word.text, pieces), word.text);
}

/** Reads an argument that is spelled like an assignment, for instance `FOO=bar` after `export`. */
export function assignmentWord(assignment: Assignment): Word {
  const { value } = assignment;
  if (value.type === 'ArrayValue' || assignment.index !== undefined) return { ...UNKNOWN_WORDS, text: assignment.text };
  const inner = wordOf(value);
  return wordFrom([`${assignment.name}${assignment.append === true ? '+' : ''}=`, ...inner.pieces], assignment.text);
}

// A tilde counts at the start of a word and, in bash, after the `=` and `:` of a word spelled like an assignment.
function withTilde(text: string, pieces: readonly Piece[]): readonly Piece[] {
  const spelled = text.replace(/^(?:\\\n)+/, '');
  if (spelled.startsWith('~')) {
    const [first, ...rest] = pieces;
    const slash = typeof first === 'string' ? first.indexOf('/') : -1;
    return slash === -1 || typeof first !== 'string' ? [{ hole: 'one' }, ...rest] : [{ hole: 'one' }, first.slice(slash), ...rest];
  }
  const named = /^[A-Za-z_]\w*\+?=/.exec(spelled);
  return named !== null && /[=:]~/.test(spelled) ? [named[0], { hole: 'one' }] : pieces;
}

function piecesOf(part: WordPart): readonly Piece[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value];
    case 'DoubleQuoted':
      return ['', ...part.parts.map((child) => quotedPiece(child))];
    case 'LocaleString': // A message catalogue may replace it.
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
      return [{ hole: 'one' }];
    case 'Glob':
    case 'ExtendedGlob':
      return [{ hole: holds(part.parts) ? 'split' : 'each' }];
    case 'BraceExpansion':
      return [{ hole: bracesHold(part) ? 'split' : 'each' }];
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
      return [{ hole: 'split' }];
  }
}

function holds(parts: readonly WordPart[] | undefined): boolean {
  return (parts ?? []).some((part) => part.type !== 'Literal' && part.type !== 'SingleQuoted');
}

function bracesHold(part: BraceExpansionPart): boolean {
  return holds(part.parts) || /[$`]/.test(part.text);
}

function quotedPiece(part: DoubleQuotedChild): Piece {
  switch (part.type) {
    case 'Literal':
      return part.value;
    case 'SimpleExpansion':
      return { hole: part.text === '$@' ? 'split' : 'one' };
    case 'ParameterExpansion':
      return { hole: part.text.includes('@') ? 'split' : 'one' };
    case 'ArithmeticExpansion':
      return { hole: 'one' };
    case 'CommandExpansion':
      return printedText(part) ?? { hole: 'one' };
  }
}

/** What `$(cat <<'EOF' ...)` prints, when nothing in it is decided by expansion. */
function printedText({ script }: CommandExpansionPart): string | undefined {
  const command = script?.errors === undefined && script?.commands.length === 1 ? script.commands[0]?.command : undefined;
  if (command?.type !== 'Command' || command.name?.text !== 'cat' || command.prefix.length > 0 || command.suffix.length !== 1) return undefined;
  const [redirect] = command.suffix;
  if (redirect?.type !== 'HereDoc' || redirect.closing === undefined) return undefined;
  return bodyText(redirect)?.replace(/\n+$/, '');
}

/** The body of a here-document. Absent: expansion decides a part of it. */
export function bodyText({ delimiter, body }: HereDoc): string | undefined {
  if (delimiter === undefined) return undefined;
  return delimiter.quoted || !/[\\$`]/.test(body.text) ? body.text : undefined;
}

/** Whether one word can equal a text. A word that splits is asked whether one of its words can. */
export function mayEqual(word: Word, wanted: string): boolean {
  if (word.literal !== undefined) return word.literal === wanted;
  return word.pieces.some((piece) => typeof piece !== 'string' && piece.hole === 'split') || fits(word.pieces, wanted);
}

/** Whether the first word that this one becomes can equal a text, if it becomes one. */
export function mayStartWith(word: Word, wanted: string): boolean {
  const split = word.pieces.findIndex((piece) => typeof piece !== 'string' && piece.hole === 'split');
  return split === -1 ? mayEqual(word, wanted) : fits([...word.pieces.slice(0, split), { hole: 'one' }], wanted);
}

/** Whether one word of these pieces can equal a text. */
export function fits(pieces: readonly Piece[], wanted: string): boolean {
  const texts: string[] = [''];
  for (const piece of pieces) {
    if (typeof piece === 'string') texts[texts.length - 1] += piece;
    else texts.push('');
  }
  const [first = '', ...rest] = texts;
  const last = rest.pop();
  if (last === undefined) return wanted === first;
  if (!wanted.startsWith(first) || !wanted.endsWith(last) || wanted.length < first.length + last.length) return false;
  let from = first.length;
  for (const text of rest) {
    const at = wanted.indexOf(text, from);
    if (at === -1 || at + text.length > wanted.length - last.length) return false;
    from = at + text.length;
  }
  return true;
}
