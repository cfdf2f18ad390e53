import type { Stdin } from './launch.js';
import { afterPossibleEnd, type Place } from './place.js';
import { newShell, subshellOf, type ShellState } from './state.js';

export const NO_STDIN: Stdin = Object.freeze({ kind: 'unknown', what: 'standard input' });

/** Where the walk stands. */
export interface Here {
  readonly place: Place;
  readonly state: ShellState;
  readonly stdin: Stdin;
  readonly background: boolean;
  readonly pipelined: boolean;
  /** Functions that are being called, and how deep the code is nested in other code. */
  readonly calls: readonly string[];
  readonly depth: number;
}

/** Where a walk starts. */
export function outermost(place: Place): Here {
  return { place, state: newShell(true), stdin: NO_STDIN, background: false, pipelined: false, calls: [], depth: 0 };
}

/** A place, seen from a shell that something before may have ended. */
export function settled(place: Place, state: ShellState): Place {
  if (state.returned) return afterPossibleEnd(place, 'any', false);
  return state.ended === 'no' ? place : afterPossibleEnd(place, state.ended, state.zeroProvesShell);
}

/** The same place in a subshell. */
export function inSubshell(here: Here): Here {
  const place = settled(here.place, here.state);
  return { ...here, place, state: { ...subshellOf(here.state, place.zero === 'completed'), ended: 'no', returned: false } };
}
