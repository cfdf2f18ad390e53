import { mayEqual, mayStartWith, type Word } from './word.js';

/** What the arguments of a command must be. */
export interface ArgumentConditions {
  /** The first arguments, word by word. */
  readonly argsStart?: readonly string[];
  /** Words each of which some argument must equal. */
  readonly argsInclude?: readonly string[];
  /** Words that no argument may equal. */
  readonly excludes?: readonly string[];
}

/** `no`: they do not fit. A text: expansion decides, and which word. */
export type ArgumentsFit = 'yes' | 'no' | { readonly undecided: string };

/** Compares arguments word by word. */
export function compareArguments(args: readonly Word[], { argsStart = [], argsInclude = [], excludes = [] }: ArgumentConditions): ArgumentsFit {
  const fits = [startFits(args, argsStart), ...argsInclude.map((word) => included(args, word)), ...excludes.map((word) => excluded(args, word))];
  return fits.find((fit) => fit === 'no') ?? fits.find((fit) => fit !== 'yes') ?? 'yes';
}

function startFits(args: readonly Word[], wanted: readonly string[]): ArgumentsFit {
  let undecided: ArgumentsFit = 'yes';
  for (const [index, text] of wanted.entries()) {
    const word = args[index];
    if (word === undefined) return 'no';
    if (word.literal !== undefined) {
      if (word.literal !== text) return 'no';
      continue;
    }
    if (!mayStartWith(word, text) && !mayVanish(word)) return 'no';
    if (undecided === 'yes') undecided = { undecided: word.text };
    // Behind a word that may become several, no position is known.
    if (word.splits) return undecided;
  }
  return undecided;
}

// A pattern vanishes with `nullglob`.
function mayVanish({ splits, pieces }: Word): boolean {
  return pieces.some((piece) => typeof piece !== 'string' && piece.hole === 'each') || (splits && pieces.every((piece) => typeof piece !== 'string' || piece === ''));
}

function included(args: readonly Word[], wanted: string): ArgumentsFit {
  if (args.some(({ literal }) => literal === wanted)) return 'yes';
  const possible = args.find((word) => mayEqual(word, wanted));
  return possible === undefined ? 'no' : { undecided: possible.text };
}

function excluded(args: readonly Word[], unwanted: string): ArgumentsFit {
  const fit = included(args, unwanted);
  if (fit === 'yes') return 'no';
  return fit === 'no' ? 'yes' : fit;
}
