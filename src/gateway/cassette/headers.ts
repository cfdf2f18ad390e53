// What clients act on. Cookies, dates, organisations and whatever a proxy adds name the account or the moment.
const KEPT = [
  'content-type', 'retry-after', 'retry-after-ms', 'x-should-retry', 'request-id', 'x-request-id', 'openai-processing-ms', 'openai-model',
  'x-reasoning-included', 'anthropic-version', 'cache-control',
] as const;
const LONGEST_VALUE = 1_000;

/** The headers of an answer that a cassette keeps, by their names in small letters, sorted. A value that is too long or none is left out. */
export function keptHeaders(headers: { readonly [name: string]: string | readonly string[] | undefined }): { readonly [name: string]: string } {
  const kept = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const small = name.toLowerCase();
    const text = typeof value === 'string' ? value : value?.join(', ');
    if (KEPT.some((one) => one === small) && text !== undefined && text.length <= LONGEST_VALUE && isHeaderValue(text)) kept.set(small, text);
  }
  return Object.fromEntries([...kept].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** True for a name that a cassette may hold. */
export function isKeptHeader(name: string): boolean {
  return KEPT.some((one) => one === name);
}

/** True for what HTTP allows as a value: printable Latin-1 and tabs. */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
}
