/**
 * The path of a key that one object of a JSON text has twice: readers take the one or the other, so that nobody knows what is meant.
 * `undefined`: there is none.
 *
 * @param text JSON; it was parsed already.
 */
export function repeatedKeyIn(text: string): string | undefined {
  const open: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const level = open.at(-1);
    switch (text[at]) {
      case '{':
        open.push({ keys: new Set(), isKeyNext: true, place: '' });
        break;
      case '[':
        open.push({ index: 0, isKeyNext: false, place: '[0]' });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (level?.keys !== undefined) level.isKeyNext = true;
        else if (level !== undefined) level.place = `[${level.index += 1}]`;
        break;
      case '"': {
        const end = endOfString(text, at);
        if (level?.isKeyNext === true && level.keys !== undefined) {
          const key = JSON.parse(text.slice(at, end + 1)) as string;
          level.place = `${open.length === 1 ? '' : '.'}${key}`;
          if (level.keys.has(key)) return open.map(({ place }) => place).join('');
          level.keys.add(key);
          level.isKeyNext = false;
        }
        at = end;
        break;
      }
      default:
    }
  }
  return undefined;
}

/** An object or a list that is open. */
type Level = { isKeyNext: boolean; place: string } & ({ readonly keys: Set<string>; readonly index?: never } | { index: number; readonly keys?: never });

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
}
