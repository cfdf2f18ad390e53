import type { Launch } from './launch.js';
import { showWords, shorten } from './reading.js';
import { mayEnd, type ShellState } from './state.js';

/** What a builtin can do to the walk beside what it does to the shell. */
export interface BuiltinEffects {
  /** The exit status of the source says nothing any more. */
  hidesStatus(): void;
  /** Literal code that may be run later. */
  mayRunCode(code: string): void;
  /** Inside the body of a function. */
  readonly inFunction: boolean;
}

// A trap on one of these runs nothing between two commands of its own accord.
const QUIET_SIGNALS = new Set(['EXIT', '0', 'INT', '2', 'TERM', '15', 'HUP', '1', 'QUIT', '3', 'PIPE', '13', 'USR1', 'USR2']);

/** Follows the builtins that change what later commands mean. */
export function followBuiltin(launch: Launch, state: ShellState, effects: BuiltinEffects): void {
  const args = launch.words.slice(1);
  const shown = `\`${shorten(showWords(launch.words))}\``;
  const [first] = args;
  switch (launch.name) {
    case 'exit':
      return mayEnd(state, first?.literal !== undefined && /^\d+$/.test(first.literal) && Number(first.literal) % 256 !== 0 ? 'failing' : 'any');
    case 'return':
      if (effects.inFunction) state.returned = true;
      else mayEnd(state, 'any');
      return;
    case 'exec':
      if (args.length > 0) mayEnd(state, 'any');
      return;
    case 'eval':
    case 'source':
    case '.':
      if (args.length === 0) return;
      launch.mayRun(`${shown} runs code that is not known`);
      return mayEnd(state, 'any');
    case 'set':
      for (const { literal } of args) {
        if (literal === '--') break;
        if (literal === undefined || /^-[A-Za-z]*e/.test(literal) || literal === 'errexit') state.errexit = true;
        if (literal === undefined || /^-[A-Za-z]*u/.test(literal) || literal === 'nounset') state.nounset = true;
        // Nothing is carried out from there on, and the shell ends with 0.
        if (literal === undefined || /^-[A-Za-z]*n/.test(literal) || literal === 'noexec') mayEnd(state, 'any');
      }
      if (args.length === 1 && first?.literal !== undefined && /^\+[A-Za-z]*e/.test(first.literal)) state.errexit = false;
      return;
    case 'kill':
      if (args.some(({ literal, text }) => literal === undefined || literal === '0' || text.includes('$$'))) mayEnd(state, 'any');
      return;
    case 'hash':
      if (args.some(({ literal }) => literal === undefined || /^-[A-Za-z]*p/.test(literal))) {
        for (const { literal } of args) if (literal !== undefined && !literal.startsWith('-')) state.definitions.set(literal, { kind: 'maybe', what: 'another program, by hash' });
      }
      return;
    case 'trap':
      if (args.length < 2) return;
      effects.hidesStatus();
      if (!args.slice(1).every(({ literal }) => literal !== undefined && QUIET_SIGNALS.has(literal.replace(/^SIG/, '')))) mayEnd(state, 'any');
      if (first?.literal === undefined) launch.mayRun(`the code of ${shown} is decided by expansion`);
      else if (first.literal !== '' && !/^(-.*|\d+)$/.test(first.literal)) effects.mayRunCode(first.literal);
      return;
    case 'export':
    case 'declare':
    case 'typeset':
      if (args.some(({ literal }) => literal === undefined || /^-[A-Za-z]*f/.test(literal))) state.exportsFunctions = true;
      return;
    case 'alias':
      for (const { literal, text } of args) {
        const name = /^([^=]+)=/.exec(literal ?? text)?.[1];
        if (name !== undefined) state.definitions.set(name, { kind: 'maybe', what: 'an alias' });
      }
      return;
    case 'unset':
    case 'unalias':
      for (const name of state.definitions.keys()) {
        if (args.some(({ literal }) => literal === undefined || literal === name || literal === '-a')) state.definitions.set(name, { kind: 'maybe', what: 'a name that was taken back' });
      }
      return;
    default:
  }
}
