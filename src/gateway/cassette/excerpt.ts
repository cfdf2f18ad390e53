/** The longest excerpt of a part, in UTF-16 code units. */
export const EXCERPT_LENGTH = 200;

/** The beginning of a text on one line: runs of white space become one space, a surrogate pair is not cut. */
export function excerptOf(text: string): string {
  const line = oneLine(text.slice(0, 4 * EXCERPT_LENGTH)).trimStart();
  return cut(line, EXCERPT_LENGTH);
}

/** The text with each run of white space as one space. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** At most so many code units, never half of a pair. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** A hostile text for a terminal or a log: what controls either is written as its code point. */
export function shown(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
