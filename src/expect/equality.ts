/**
 * Deep equality: NaN equals NaN, dates by their time, arrays by element, objects by their own enumerable keys.
 * A key with the value `undefined` is not the same as no key.
 */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  return compare(a, b, new Map());
}

function compare(a: unknown, b: unknown, seen: Map<object, object>): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === 0 && b === 0;
  if (a instanceof Date || b instanceof Date) return a instanceof Date && b instanceof Date && Object.is(a.getTime(), b.getTime());
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  // Two cycles of the same shape are equal as far as one can see.
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length
    && (!Array.isArray(a) || a.length === (b as unknown[]).length)
    && keys.every((key) => Object.hasOwn(b, key) && compare((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], seen));
}
