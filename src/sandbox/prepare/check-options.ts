/** @throws TypeError unless `value` is a text with something in it and without a NUL. */
export function checkName(factory: string, what: string, value: unknown): asserts value is string {
  if (typeof value !== 'string' || value.trim() === '' || value.includes('\0')) throw new TypeError(`${factory} needs ${what}: a text that is not empty.`);
}

/** @throws TypeError for anything but an object with known keys. */
export function checkKnown(factory: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) throw new TypeError(`${factory} takes its options as an object.`);
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new TypeError(`${factory} does not know the option "${unknown}". It knows ${known.join(', ')}.`);
}

/** @throws TypeError unless it is a list of globs. */
export function checkIgnore(factory: string, ignore: unknown): asserts ignore is readonly string[] {
  const isList = Array.isArray(ignore) && ignore.every((glob) => typeof glob === 'string' && glob !== '');
  if (!isList) throw new TypeError(`${factory}: \`ignore\` must be a list of globs, for instance ["node_modules/**"].`);
}
