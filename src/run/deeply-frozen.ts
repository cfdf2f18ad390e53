/** Freezes a value of JSON and all that is in it, however deep. @returns the same value. */
export function deeplyFrozen<T>(value: T): T {
  const seen = new Set<object>();
  const open: unknown[] = [value];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null || seen.has(node)) continue;
    seen.add(Object.freeze(node));
    for (const child of Object.values(node)) open.push(child);
  }
  return value;
}
