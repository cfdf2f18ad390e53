/** Something in a JSON value that no reader of scenarios may take. */
export interface OddValue {
  readonly path: readonly PropertyKey[];
  readonly what: string;
}

/** A scenario has five levels. Who walks into thousands runs out of stack. */
const DEEPEST = 32;

/** Texts that no encoding can carry, keys that are none of the object's own in JavaScript, and values that lie too deep. */
export function oddValuesIn(value: unknown, path: readonly PropertyKey[] = []): readonly OddValue[] {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? [{ path, what: 'it has half of a character (a lone surrogate); write the whole character' }] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (path.length > DEEPEST) return [{ path: path.slice(0, 1), what: `more than ${DEEPEST} lists and objects lie in each other` }];
  if (Array.isArray(value)) return value.flatMap((item, index) => oddValuesIn(item, [...path, index]));
  return Object.entries(value).flatMap(([key, inner]) => {
    if (LONE_SURROGATE.test(key)) return [{ path, what: 'a name in it has half of a character (a lone surrogate); write the whole character' }];
    // Schemas pass over this one in silence.
    if (key === '__proto__') return [{ path: [...path, key], what: 'there is no such field' }];
    return oddValuesIn(inner, [...path, key]);
  });
}

const LONE_SURROGATE = /\p{Surrogate}/u;
