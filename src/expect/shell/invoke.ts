import type { CommandNode, CompoundList } from 'unbash';
import { followBuiltin } from './builtins.js';
import { NO_STDIN, settled, type Here } from './here.js';
import { INTERPRETER_NAMES, OPAQUE_NAMES, throughInterpreter, throughOpaque } from './interpreters.js';
import type { Launch } from './launch.js';
import { CONDITIONAL, withoutStatus, type Place } from './place.js';
import { shorten, showWords, type StatedCommand, type Unknown } from './reading.js';
import { RUNNER_NAMES, throughRunner } from './runners.js';
import { SHELL_NAMES, throughShell } from './shells.js';
import { startedFrom } from './state.js';
import type { Word } from './word.js';
import { throughWrapper, WRAPPER_NAMES } from './wrappers.js';

/** Where a walk notes what it finds. */
export interface Collected {
  /** Counts one invocation. False: there is no room for more, and the walk goes no deeper. */
  readonly hasRoom: () => boolean;
  readonly states: (command: StatedCommand) => void;
  readonly mayRun: (unknown: Unknown) => void;
  readonly hidesStatus: () => void;
  /** A pipeline may fail by any of its parts. */
  readonly pipefail: () => boolean;
}

interface Within {
  readonly code: (code: string, here: Here) => void;
  readonly body: (body: CommandNode | CompoundList, here: Here) => void;
}

/** Which names stand for something else than a program: functions and builtins, builtins only, none. */
type Lookup = 'all' | 'builtins' | 'none';

const MAX_DEPTH = 12;

/** Programs that start others. A command word that may name one of them may run any program. */
export const LAUNCHER_NAMES: readonly string[] = [...WRAPPER_NAMES, ...SHELL_NAMES, ...RUNNER_NAMES, ...INTERPRETER_NAMES, ...OPAQUE_NAMES, 'eval', 'source'];

/** Notes commands, and what their words say about further ones. */
export function createInvocations(collected: Collected, within: Within): { readonly invoke: (words: readonly Word[], here: Here, lookup: Lookup, versioned?: boolean) => void } {
  return { invoke };

  function invoke(words: readonly Word[], here: Here, lookup: Lookup, versioned = false): void {
    const [word, ...args] = words;
    if (word === undefined || word.literal === '' || !collected.hasRoom()) return;
    if (here.depth > MAX_DEPTH) return collected.mayRun({ reason: `\`${shorten(showWords(words))}\` is nested too deeply in other commands` });
    const definition = lookup === 'all' && word.literal !== undefined ? here.state.definitions.get(word.literal) : undefined;
    if (definition?.kind === 'maybe') return collected.mayRun({ reason: `${word.literal} may be ${definition.what}` });
    if (definition?.kind === 'function' && word.literal !== undefined) return call(word.literal, definition.body, here);
    const name = nameOf(word, versioned);
    if (name === undefined) {
      const ending = endingOf(word);
      return collected.mayRun({ reason: `the command word of \`${shorten(showWords(words))}\` is decided by expansion`, ...(ending === undefined ? {} : { endsWith: ending }) });
    }
    collected.states({ ...settled(here.place, here.state), ...name, words, background: here.background, pipelined: here.pipelined });
    const launch = launchOf(name.name, [word, ...args], here);
    if (lookup !== 'none') followBuiltin(launch, here.state, effectsOf(here));
    for (const through of [throughWrapper, throughShell, throughRunner, throughInterpreter, throughOpaque]) if (through(launch)) return;
  }

  function call(name: string, body: CommandNode | CompoundList, here: Here): void {
    if (here.calls.includes(name)) return; // It calls itself: its commands are already noted.
    if (here.depth > MAX_DEPTH) return collected.mayRun({ reason: `${name} is nested too deeply in other functions` });
    const { returned } = here.state;
    // Another command of the body may have read the input.
    within.body(body, { ...here, stdin: NO_STDIN, calls: [...here.calls, name], depth: here.depth + 1 });
    here.state.returned = returned;
  }

  function launchOf(name: string, words: readonly Word[], here: Here): Launch {
    const deeper = { ...here, depth: here.depth + 1 };
    const reachedAt = (reached: 'inner' | 'no-status' | 'conditional'): Place => {
      if (reached === 'conditional') return CONDITIONAL;
      // It replaces the shell, so that no `!` around it is ever applied.
      if (name === 'exec' && (here.place.zero === 'failed' || here.place.nonZero === 'completed')) return withoutStatus(here.place);
      return reached === 'inner' ? here.place : withoutStatus(here.place);
    };
    // `exec` has ended the shell by the time its command is looked at, and yet that command is what runs.
    const before = { ...here.state };
    return {
      name, words, stdin: here.stdin,
      starts: (inner, reached, { versioned = false, lookup = 'none' } = {}) => {
        const state = name === 'exec' ? before : here.state;
        // What is started for each of several things does not read the input of the one that starts it.
        invoke(inner, { ...deeper, state, place: reachedAt(reached), stdin: reached === 'conditional' ? NO_STDIN : here.stdin }, lookup, versioned);
      },
      mayRun: (reason, only) => collected.mayRun({ reason, ...(only === undefined ? {} : { only }) }),
      runsCode: (code, { modes = {}, reached = 'inner' } = {}) => {
        const place = settled(reachedAt(reached), here.state);
        within.code(code, { ...deeper, place, state: startedFrom(here.state, place.zero === 'completed', modes), calls: [], stdin: NO_STDIN });
      },
    };
  }

  function effectsOf(here: Here): Parameters<typeof followBuiltin>[2] {
    return {
      inFunction: here.calls.length > 0,
      hidesStatus: collected.hidesStatus,
      mayRunCode: (code) => within.code(code, { ...here, depth: here.depth + 1, place: CONDITIONAL, state: { ...here.state } }),
    };
  }
}

function nameOf(word: Word, versioned: boolean): Pick<StatedCommand, 'name' | 'typed' | 'version'> | undefined {
  const { literal } = word;
  if (literal !== undefined) {
    const at = versioned ? literal.lastIndexOf('@') : -1;
    const typed = at > 0 ? literal.slice(0, at) : literal;
    return { name: typed.slice(typed.lastIndexOf('/') + 1), typed, ...(at > 0 ? { version: literal.slice(at + 1) } : {}) };
  }
  const ending = endingOf(word);
  const slash = ending?.lastIndexOf('/') ?? -1;
  return ending === undefined || slash === -1 || versioned ? undefined : { name: ending.slice(slash + 1) };
}

/** How a word that expansion decides ends for certain. */
function endingOf(word: Word): string | undefined {
  if (word.splits) return undefined;
  const holes = word.pieces.findLastIndex((piece) => typeof piece !== 'string');
  return word.pieces.slice(holes + 1).join('');
}

/** Whether an unknown could run a program of this name. */
export function couldRun(unknown: Unknown, name: string): boolean {
  if (unknown.only !== undefined) return unknown.only === name;
  const { endsWith } = unknown;
  return endsWith === undefined || name.endsWith(endsWith) || LAUNCHER_NAMES.some((launcher) => launcher.endsWith(endsWith));
}
