/**
 * The text form of a path of any bytes: every byte outside 0x21 to 0x7E and `%`, `\` and `"` becomes `%XX`. One to
 * one, so two different paths never look the same.
 */
export function escapePath(path: Uint8Array): string {
  const bytes = Buffer.from(path.buffer, path.byteOffset, path.byteLength);
  // Nearly every path is plain from end to end.
  if (bytes.every(isPlain)) return bytes.toString('latin1');
  let text = '';
  for (const byte of bytes) text += isPlain(byte) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return text;
}

function isPlain(byte: number): boolean {
  return byte >= 0x21 && byte <= 0x7e && byte !== 0x25 && byte !== 0x5c && byte !== 0x22;
}

/** The text form of a path that an author wrote as an ordinary string. */
export function escapePathText(path: string): string {
  return escapePath(new TextEncoder().encode(path));
}

/** The bytes behind {@link escapePath}. */
export function unescapePath(text: string): Uint8Array {
  const bytes: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '%') {
      bytes.push(Number.parseInt(text.slice(at + 1, at + 3), 16));
      at += 2;
    } else {
      bytes.push(text.charCodeAt(at));
    }
  }
  return Uint8Array.from(bytes);
}
