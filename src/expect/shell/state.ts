import type { Function as FunctionNode } from 'unbash';

/** What a name stands for that the source itself defined. `maybe`: it may or may not stand for it. */
export type Definition = { readonly kind: 'function'; readonly body: FunctionNode['body'] } | { readonly kind: 'maybe'; readonly what: string };

/** What one shell process knows while it reads its commands in order. */
export interface ShellState {
  readonly definitions: Map<string, Definition>;
  /** Whether something before may have ended this shell: with a status other than 0, or with any. */
  ended: 'no' | 'failing' | 'any';
  /** The function whose body is read may have returned before. */
  returned: boolean;
  /** `set -e`: a failure ends the shell. */
  errexit: boolean;
  /** `set -u`: an expansion of a name without a value ends the shell. */
  nounset: boolean;
  /** Functions may be handed to shells that it starts. */
  exportsFunctions: boolean;
  /** An exit status of 0 of the source proves that this shell ended with 0. */
  readonly zeroProvesShell: boolean;
}

/** How a shell is started. */
export type ShellModes = Partial<Pick<ShellState, 'errexit' | 'nounset'>>;

/** A shell that inherits nothing. */
export function newShell(zeroProvesShell: boolean, { errexit = false, nounset = false }: ShellModes = {}): ShellState {
  return { definitions: new Map(), ended: 'no', returned: false, errexit, nounset, exportsFunctions: false, zeroProvesShell };
}

/** A subshell: it inherits all, and what it does stays in it. */
export function subshellOf(state: ShellState, zeroProvesShell: boolean): ShellState {
  return { ...state, definitions: new Map(state.definitions), zeroProvesShell };
}

/** A shell started as a program: it inherits functions at most. */
export function startedFrom(state: ShellState, zeroProvesShell: boolean, modes: ShellModes): ShellState {
  const started = newShell(zeroProvesShell, modes);
  if (state.exportsFunctions) {
    for (const name of state.definitions.keys()) started.definitions.set(name, { kind: 'maybe', what: 'a function that was exported' });
  }
  return started;
}

/** Notes that the shell may end here. */
export function mayEnd(state: ShellState, ended: 'failing' | 'any'): void {
  if (state.ended !== 'any') state.ended = ended;
}
