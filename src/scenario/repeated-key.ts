/**
 * The paths of keys that one object of a JSON text has twice: readers take the one or the other, so that nobody knows what is meant.
 *
 * @param text JSON; it was parsed already.
 */
export function repeatedKeysIn(text: string): readonly (readonly PropertyKey[])[] {
  const repeated: (readonly PropertyKey[])[] = [];
  const open: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case OPEN_BRACE:
        open.push({ keys: new Set(), isKeyNext: true, place: '' });
        break;
      case OPEN_BRACKET:
        open.push({ place: 0 });
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open.pop();
        break;
      case COMMA: {
        const level = open.at(-1);
        if (level?.keys !== undefined) level.isKeyNext = true;
        else if (level !== undefined) level.place += 1;
        break;
      }
      case QUOTE: {
        const end = endOfString(text, at);
        const level = open.at(-1);
        if (level?.keys !== undefined && level.isKeyNext) {
          const key = keyOf(text.slice(at, end + 1));
          level.place = key;
          if (level.keys.has(key)) repeated.push(open.map(({ place }) => place));
          level.keys.add(key);
          level.isKeyNext = false;
        }
        at = end;
        break;
      }
      default:
    }
  }
  return repeated;
}

const [QUOTE, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** An object or a list that is open, and where in it we are. */
type Level = { readonly keys: Set<string>; isKeyNext: boolean; place: string } | { readonly keys?: never; place: number };

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return at;
  }
}

function keyOf(quoted: string): string {
  return quoted.includes('\\') ? JSON.parse(quoted) as string : quoted.slice(1, -1);
}
