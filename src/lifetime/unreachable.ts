/** Ends a switch over a union: does not type-check while a case is missing, throws if a value slips through. */
export function unreachable(value: never): never {
  throw new TypeError(`No case handles ${JSON.stringify(value)}.`);
}
