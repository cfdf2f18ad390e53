import { describe, expect, it } from 'vitest';
import { createLineReader, type SourceLine } from '../../src/agents/line-reader.js';
import { bytesOf } from './fixtures.js';

function read(...chunks: readonly Uint8Array[]): readonly SourceLine[] {
  const lines: SourceLine[] = [];
  const reader = createLineReader((line) => lines.push(line), () => undefined);
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return lines;
}

describe('createLineReader', () => {
  it('drops a byte order mark, carriage returns and blank lines, and counts them', () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...bytesOf('{"type":"init"}\r\n\r\n   \r\n{"type":"result"}\r\n')]);
    expect(read(bytes)).toStrictEqual([
      { number: 1, text: '{"type":"init"}', terminated: true },
      { number: 4, text: '{"type":"result"}', terminated: true },
    ]);
  });

  it('keeps a byte order mark that is not at the start', () => {
    expect(read(bytesOf('a\n\uFEFFb\n')).map(({ text }) => text)).toStrictEqual(['a', '\uFEFFb']);
  });

  it('puts a character together that was cut between two pieces', () => {
    expect(read(new Uint8Array([0xe4]), new Uint8Array([0xb8, 0xad, 0x0a]))).toStrictEqual([{ number: 1, text: '中', terminated: true }]);
  });

  it('splits on line feeds only', () => {
    const text = 'a\u2028b\u2029c\u0085d\re';
    expect(read(bytesOf(`${text}\n`)).map((line) => line.text)).toStrictEqual([text]);
  });

  it('marks a last line without its line feed', () => {
    expect(read(bytesOf('a\nb'))).toStrictEqual([{ number: 1, text: 'a', terminated: true }, { number: 2, text: 'b', terminated: false }]);
  });

  it('reads a line of many megabytes that comes in small pieces', () => {
    const piece = bytesOf('x'.repeat(65_536));
    const lines = read(...Array.from({ length: 128 }, () => piece), bytesOf('\nend\n'));
    expect(lines.map(({ text }) => text.length)).toStrictEqual([128 * 65_536, 3]);
  });

  it('does not keep the pieces that the caller may reuse', () => {
    const buffer = bytesOf('abc');
    const lines: string[] = [];
    const reader = createLineReader(({ text }) => lines.push(text), () => undefined);
    reader.push(buffer);
    buffer.fill(0x7a);
    reader.push(bytesOf('\n'));
    expect(lines).toStrictEqual(['abc']);
  });
});
