import type { Place } from './place.js';
import type { Word } from './word.js';

/** A simple command that a source states. */
export interface StatedCommand extends Place {
  /** The last part of the command word, without the version that a package runner takes. */
  readonly name: string;
  /** The command word as typed, without such a version. Absent: expansion decides the folder. */
  readonly typed?: string;
  /** The version a package runner is told, for instance `1.6` of `vitest@1.6`. */
  readonly version?: string;
  /** The command word and its arguments. */
  readonly words: readonly Word[];
  /** It runs in the background. */
  readonly background: boolean;
  /** It is one of several parts of a pipeline. */
  readonly pipelined: boolean;
}

/** A place where programs may be run that the source does not state. */
export interface Unknown {
  /** In words, with the source of the place. */
  readonly reason: string;
  /** The only program it could run. */
  readonly only?: string;
  /** How the name of what it runs ends, as far as it is known. */
  readonly endsWith?: string;
}

/** What a source states. */
export interface Reading {
  readonly commands: readonly StatedCommand[];
  readonly unknowns: readonly Unknown[];
  /** The commands by {@link StatedCommand.name}. */
  readonly byName: ReadonlyMap<string, readonly StatedCommand[]>;
  /** Why not all of the source could be read. Absent: all was read. */
  readonly unreadable?: string;
}

const SHOWN_CHARACTERS = 60;

/** A piece of a source as one short line. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= SHOWN_CHARACTERS ? line : `${line.slice(0, SHOWN_CHARACTERS)}...`;
}

/** A command as one line. */
export function showWords(words: readonly Word[]): string {
  return words.map((word) => word.literal ?? word.text).join(' ');
}
