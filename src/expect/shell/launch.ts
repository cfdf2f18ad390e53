import type { ShellModes } from './state.js';
import type { Word } from './word.js';

/** What a command reads on its standard input. */
export type Stdin =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'unknown'; readonly what: string };

/** How a command that another one starts is reached. `inner`: its status is that of the one that starts it. */
export type Reached = 'inner' | 'no-status' | 'conditional';

/** A command whose words are known well enough to ask what it starts. */
export interface Launch {
  /** The last part of the command word. */
  readonly name: string;
  /** The command word and its arguments. */
  readonly words: readonly Word[];
  readonly stdin: Stdin;
  /** States the command that this one starts. */
  starts(words: readonly Word[], reached: Reached, options?: StartOptions): void;
  /** Says that other programs may be run here. */
  mayRun(reason: string, only?: string): void;
  /** Reads literal shell code that a new shell runs. */
  runsCode(code: string, options?: { readonly modes?: ShellModes; readonly reached?: Reached }): void;
}

export interface StartOptions {
  /** The command word may carry a version, as with package runners. */
  readonly versioned?: boolean;
  /** Functions and builtins of the shell are not looked up. Default: they are not. `builtins`: those are. */
  readonly lookup?: 'none' | 'builtins';
}
