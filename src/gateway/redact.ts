/** A hostile text for the records: cut to its first characters, and nothing of it when it holds one of the secrets, even percent-encoded. @param most Default: 200. */
export function redact(text: string, secrets: Iterable<string>, most = 200): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  for (const secret of secrets) {
    if (text.includes(secret) || decoded.includes(secret)) return '[hidden: it holds a token]';
  }
  return text.slice(0, most);
}
