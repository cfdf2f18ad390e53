/**
 * Text of a stranger made safe for a terminal and for one line: control characters, which could move the cursor,
 * colour the screen or forge a line, are shown as escapes.
 */
export function plainLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (found) => (
    found === '\n' ? ' | ' : found === '\t' ? ' ' : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  ));
}

/** At most `length` characters, the cut marked. */
export function clip(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 3).join('')}...`;
}
