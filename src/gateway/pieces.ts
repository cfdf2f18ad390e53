const SHORTEST = 16;
const MOST_PIECES = 200;

/**
 * Cuts a text into the pieces of a stream: 16 code units each, longer ones for long texts, so that there are about 200
 * at most. A surrogate pair is never cut. The empty text has no pieces.
 */
export function* piecesOf(text: string): Generator<string> {
  const size = Math.max(SHORTEST, Math.ceil(text.length / MOST_PIECES));
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + size, text.length);
    if (isPair(text.charCodeAt(end - 1), text.charCodeAt(end))) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}

// Past the end of a text its code unit is NaN, which is in no range.
function isPair(first: number, second: number): boolean {
  return first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff;
}
