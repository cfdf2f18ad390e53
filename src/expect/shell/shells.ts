import type { Launch } from './launch.js';
import { showWords, shorten } from './reading.js';

export const SHELL_NAMES: readonly string[] = ['bash', 'sh', 'dash', 'zsh', 'ksh', 'ash', 'mksh', 'rbash'];

const LONG_FLAGS = ['--login', '--noprofile', '--norc', '--posix', '--noediting', '--restricted', '--verbose'];
const LONG_VALUES = ['--rcfile', '--init-file'];
const SHOWS_ONLY = ['--version', '--help', '--dump-strings', '--dump-po-strings'];
const LETTERS = new Set('abefhiklmnpruvxBCEHPTDstc');

/** Looks into a shell: literal code after `-c` or on its standard input is read like the rest; a file is not known. */
export function throughShell(launch: Launch): boolean {
  if (!SHELL_NAMES.includes(launch.name)) return false;
  const options = optionsOf(launch);
  const shown = shorten(showWords(launch.words));
  if (options === undefined) {
    launch.mayRun(`the options of \`${shown}\` are not known`);
    return true;
  }
  if (options.showsOnly || options.letters.has('n')) return true;
  const modes = { errexit: options.letters.has('e') || options.names.includes('errexit'), nounset: options.letters.has('u') || options.names.includes('nounset') };
  const operand = launch.words[options.next];
  if (options.letters.has('c')) {
    if (operand === undefined) return true;
    if (operand.literal === undefined) launch.mayRun(`the code of \`${shown}\` is decided by expansion`);
    else launch.runsCode(operand.literal, { modes });
  } else if (operand !== undefined && !options.letters.has('s')) {
    launch.mayRun(`\`${shown}\` runs a file that is not known`);
  } else if (launch.stdin.kind === 'text') {
    launch.runsCode(launch.stdin.text, { modes });
  } else {
    launch.mayRun(`\`${shown}\` reads its code from ${launch.stdin.what}`);
  }
  return true;
}

interface ShellOptions {
  readonly letters: ReadonlySet<string>;
  readonly names: readonly string[];
  readonly next: number;
  readonly showsOnly: boolean;
}

function optionsOf({ words }: Launch): ShellOptions | undefined {
  const letters = new Set<string>();
  const names: string[] = [];
  let next = 1;
  for (let word = words[next]; word !== undefined; word = words[next]) {
    const { literal } = word;
    if (literal === undefined) {
      const [start] = word.pieces;
      // A quoted expansion after -c is the code; elsewhere it may be an option.
      if (!word.splits && (letters.has('c') || (typeof start === 'string' && start !== '' && !/^[-+]/.test(start)))) break;
      return undefined;
    }
    if (literal === '--' || literal === '-') {
      next += 1;
      break;
    }
    if (SHOWS_ONLY.includes(literal)) return { letters, names, next, showsOnly: true };
    if (LONG_FLAGS.includes(literal)) next += 1;
    else if (LONG_VALUES.includes(literal)) next += 2;
    else if (/^[-+][A-Za-z]+$/.test(literal)) {
      next += 1;
      for (const letter of literal.slice(1)) {
        if (letter === 'o' || letter === 'O') {
          const name = words[next]?.literal;
          if (name === undefined) return undefined;
          names.push(name);
          next += 1;
        } else if (LETTERS.has(letter)) {
          letters.add(letter);
        } else {
          return undefined;
        }
      }
    } else if (/^[-+]/.test(literal)) {
      return undefined;
    } else {
      break;
    }
  }
  return { letters, names, next, showsOnly: false };
}
