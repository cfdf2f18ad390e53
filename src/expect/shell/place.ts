/** How a command ended, as far as the status of the whole source tells. */
type Ended = 'completed' | 'failed' | undefined;

/** How a command is reached, and what the exit status of the whole source proves about it. */
export interface Place {
  /** The source guarantees that it is started. */
  readonly always: boolean;
  /** An exit status of 0 proves that it was started. */
  readonly ranOnZero: boolean;
  /** Another exit status proves that it was started. */
  readonly ranOnNonZero: boolean;
  /** How it ended when the source ended with 0. */
  readonly zero: Ended;
  /** How it ended when the source ended with another status. */
  readonly nonZero: Ended;
  /** It is all that the source runs, so that the status of the call is its own. */
  readonly sole: boolean;
}

export const WHOLE_SOURCE: Place = { always: true, ranOnZero: true, ranOnNonZero: true, zero: 'completed', nonZero: 'failed', sole: true };

/** Started like its surroundings, with a status that nobody sees. */
export function withoutStatus(place: Place): Place {
  return { ...place, zero: undefined, nonZero: undefined, sole: false };
}

/** Perhaps never started. */
export const CONDITIONAL: Place = { always: false, ranOnZero: false, ranOnNonZero: false, zero: undefined, nonZero: undefined, sole: false };

/** Behind `!`. */
export function inverted(place: Place): Place {
  return { ...place, zero: opposite(place.zero), nonZero: opposite(place.nonZero) };
}

function opposite(ended: Ended): Ended {
  if (ended === undefined) return undefined;
  return ended === 'completed' ? 'failed' : 'completed';
}

/** The last of several, whose status is that of the list. */
export function lastOfSeveral(place: Place): Place {
  return { ...place, sole: false };
}

/** The last part of a pipeline. With pipefail, a pipeline fails although its last part does not. */
export function lastOfPipeline(place: Place, pipefail: boolean): Place {
  const seen = (ended: Ended): Ended => (pipefail && ended === 'failed' ? undefined : ended);
  return { ...place, zero: seen(place.zero), nonZero: seen(place.nonZero), sole: false };
}

/** The two sides of `left && right` and `left || right`, which sits at `place`. */
export function sidesOf(place: Place, operator: '&&' | '||'): { readonly left: Place; readonly right: Place } {
  // A list of && that completed completed in each part; a list of || that failed failed in each part.
  const kept: Ended = operator === '&&' ? 'completed' : 'failed';
  const zero = place.zero === kept ? kept : undefined;
  const nonZero = place.nonZero === kept ? kept : undefined;
  return {
    left: { ...place, zero, nonZero, sole: false },
    right: { always: false, ranOnZero: zero !== undefined, ranOnNonZero: nonZero !== undefined, zero, nonZero, sole: false },
  };
}

/** Behind something that may have ended the shell with a status other than 0, or with any. */
export function afterPossibleEnd(place: Place, ended: 'failing' | 'any', zeroProvesShell: boolean): Place {
  if (ended === 'any' || !zeroProvesShell) return CONDITIONAL;
  return { always: false, ranOnZero: place.ranOnZero, ranOnNonZero: false, zero: place.zero === 'completed' ? 'completed' : undefined, nonZero: undefined, sole: false };
}
