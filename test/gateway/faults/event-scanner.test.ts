import { describe, expect, test } from 'vitest';
import { createEventScanner } from '../../../src/gateway/faults/event-scanner.js';

/** Offsets of a whole stream, found in pieces of a size. */
function marksOf(text: string, pieceBytes = Infinity): { readonly data: readonly number[]; readonly end: readonly number[] } {
  const bytes = Buffer.from(text);
  const scanner = createEventScanner();
  const found = { data: [] as number[], end: [] as number[] };
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    for (const { kind, at } of scanner.scan(bytes.subarray(start, Math.min(start + pieceBytes, bytes.length)))) found[kind].push(start + at);
  }
  return found;
}

// Examples of the HTML Living Standard, 9.2.6, and what services send.
const STREAMS: readonly [what: string, text: string, data: readonly string[], rests: readonly string[]][] = [
  ['line feeds', 'event: a\ndata: {"x":1}\n\nevent: b\ndata: {"y":2}\n\n', ['{"x":1}', '{"y":2}'], ['event: b', '']],
  ['carriage returns with line feeds', 'data: {"x":1}\r\n\r\ndata: {"y":2}\r\n\r\n', ['{"x":1}', '{"y":2}'], ['data: {"y', '']],
  ['carriage returns alone', 'data: 1\r\rdata: 2\r\r.', ['1', '2'], ['data: 2', '.']],
  ['data without a space', 'data:{"x":1}\n\n', ['{"x":1}'], ['']],
  ['data of several lines', 'data: YHOO\ndata: +2\ndata: 10\n\n', ['YHOO'], ['']],
  ['comments that are no events', ': OPENROUTER PROCESSING\n\n: x\n\ndata: 1\n\n', ['1'], ['']],
  ['a block without data', 'event: ping\nid: 3\n\ndata: 1\n\n', ['1'], ['']],
  ['the word data elsewhere', 'xdata: 1\ndat: 2\ndatax: 3\n\ndata: data: 4\n\n', ['data: 4'], ['']],
  ['many blank lines', '\n\n\ndata: 1\n\n\n\ndata: 2\n\n', ['1', '2'], ['\n\ndata: 2', '']],
  ['an event that does not end', 'data: 1\n\ndata: 2\n', ['1', '2'], ['data: 2']],
  ['letters of more than a byte', 'data: "übergröße 🦊"\n\ndata: 2\n\n', ['"übergröße', '2'], ['data: 2', '']],
];

describe.each(STREAMS)('with %s', (_what, text, data, rests) => {
  test('finds where data begin and events end', () => {
    const { data: begins, end } = marksOf(text);
    const bytes = Buffer.from(text);
    expect(begins.map((at, index) => bytes.subarray(at, at + Buffer.byteLength(data[index] ?? '')).toString())).toEqual(data);
    expect(end.map((at, index) => bytes.subarray(at, at + Buffer.byteLength(rests[index] ?? '')).toString())).toEqual(rests);
  });

  test('finds the same in pieces of any size', () => {
    const whole = marksOf(text);
    // The very last carriage return may be followed by a line feed, so that its event has ended only with the next byte.
    for (let size = 1; size <= Buffer.byteLength(text); size += 1) expect(marksOf(text, size)).toEqual(whole);
  });
});
