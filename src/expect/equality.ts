import { isDeepStrictEqual, types } from 'node:util';

/**
 * Deep equality: NaN equals NaN, dates by their time, arrays by element, objects by their own enumerable keys. Maps,
 * sets, regular expressions, errors, buffers and boxed values are compared by what they hold, as Node's
 * `isDeepStrictEqual` does; what cannot be looked into (a promise, a weak map or set, a function) equals only itself.
 * URLs by their text; an object of a class that shows no keys equals only itself.
 * A key with the value `undefined` is not the same as no key.
 */
export function isDeepEqual(a: unknown, b: unknown): boolean {
  return compare(a, b, new Map());
}

function compare(a: unknown, b: unknown, seen: Map<object, object>): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === 0 && b === 0;
  if (a instanceof Date || b instanceof Date) return a instanceof Date && b instanceof Date && Object.is(a.getTime(), b.getTime());
  if (isSealed(a) || isSealed(b)) return false;
  if (holdsBeyondKeys(a) || holdsBeyondKeys(b)) return isDeepStrictEqual(a, b);
  if (isAddress(a) || isAddress(b)) return isAddress(a) && isAddress(b) && Object.getPrototypeOf(a) === Object.getPrototypeOf(b) && String(a) === String(b);
  if (isOpaque(a) || isOpaque(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  // Two cycles of the same shape are equal as far as one can see.
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length
    && (!Array.isArray(a) || a.length === (b as unknown[]).length)
    && keys.every((key) => Object.hasOwn(b, key) && compare((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], seen));
}

/** True for what nobody can look into. */
function isSealed(value: object): boolean {
  return types.isPromise(value) || types.isWeakMap(value) || types.isWeakSet(value);
}

/** True for a URL or its query, whose text is all of it. */
function isAddress(value: object): boolean {
  return value instanceof URL || value instanceof URLSearchParams;
}

/** True for an object of a class of its own that shows no key: what it holds cannot be seen. */
function isOpaque(value: object): boolean {
  return !Array.isArray(value) && ![Object.prototype, null].includes(Object.getPrototypeOf(value) as null) && Object.keys(value).length === 0 && !isFromAnotherRealm(value);
}

/** A plain object of another realm, for instance of a module loader's own context. */
function isFromAnotherRealm(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null;
  return prototype !== null && Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty');
}

/** True for what holds more than its enumerable keys show. */
function holdsBeyondKeys(value: object): boolean {
  return types.isMap(value) || types.isSet(value) || types.isRegExp(value) || types.isNativeError(value)
    || types.isBoxedPrimitive(value) || types.isAnyArrayBuffer(value) || ArrayBuffer.isView(value);
}
