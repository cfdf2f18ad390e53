const SHOWN = 200;

/** A text of any length on one line, in quotes, cut between characters. */
export function quoted(text: string): string {
  const characters = Array.from(text.slice(0, 4 * SHOWN).replace(/\s+/g, ' ').trim());
  const shown = characters.slice(0, SHOWN).join('');
  return JSON.stringify(characters.length > SHOWN || text.length > 4 * SHOWN ? `${shown}...` : shown);
}
