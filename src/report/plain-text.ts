// Control characters, the ends of lines and paragraphs of Unicode, and what turns the direction of text; all below U+10000.
const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Text of a stranger made safe for a terminal and for one line: characters that could move the cursor, colour the
 * screen, forge a line or turn the text around are shown as escapes.
 */
export function plainLine(text: string): string {
  return text.replace(STEERING, (found) => (found === '\n' ? ' | ' : found === '\t' ? ' ' : escapeOf(found)));
}

/** One line of JSON in which no such character is left bare. It parses to the same value. */
export function plainJsonLine(value: unknown): string {
  return JSON.stringify(value).replace(STEERING, escapeOf);
}

/** At most `length` characters, the cut marked. */
export function clip(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 3).join('')}...`;
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
