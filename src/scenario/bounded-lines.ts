/** One line of a file, from 1; blank ones are counted too. */
export type BoundedLine = { readonly number: number } & ({ readonly bytes: Buffer; readonly tooLong?: never } | { readonly tooLong: true });

const LINE_FEED = 0x0a;

/**
 * The lines of a byte stream, one at a time. One that is longer than the limit is told without its bytes, which are never held together.
 *
 * @param mostBytes Of one line, without its line feed.
 */
export async function* boundedLines(chunks: AsyncIterable<Uint8Array>, mostBytes: number): AsyncGenerator<BoundedLine> {
  let number = 0;
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let isTooLong = false;
  const hold = (bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    heldBytes += bytes.length;
    isTooLong ||= heldBytes > mostBytes;
    if (isTooLong) held = [];
    else held.push(bytes);
  };
  const take = (): BoundedLine => {
    number += 1;
    const line = isTooLong ? { number, tooLong: true as const } : { number, bytes: Buffer.concat(held) };
    held = [];
    heldBytes = 0;
    isTooLong = false;
    return line;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
      hold(chunk.subarray(start, at));
      start = at + 1;
      yield take();
    }
    hold(chunk.subarray(start));
  }
  if (heldBytes > 0) yield take();
}
