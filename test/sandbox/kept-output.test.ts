import { expect, test } from 'vitest';
import { keepOutput } from '../../src/sandbox/docker/kept-output.js';

async function kept(chunks: readonly string[], keptBytes: number): Promise<{ text: string; leftOutBytes: number; passedOn: string }> {
  let passedOn = '';
  const output = keepOutput({ sensitiveValues: ['hush'] }, (chunk) => { passedOn += Buffer.from(chunk).toString('latin1'); }, keptBytes);
  for (const chunk of chunks) await output.take(Buffer.from(chunk));
  return { ...await output.end(), passedOn };
}

test.each([[['abcdefgh']], [['ab', 'cdef', 'gh']], [['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']]])('keeps all that fits, given as %j', async (chunks) => {
  expect(await kept(chunks, 8)).toEqual({ text: 'abcdefgh', leftOutBytes: 0, passedOn: 'abcdefgh' });
});

test('keeps the beginning and the end of a longer output, says what it left out, and passes all of it on', async () => {
  const chunks = 'abcdefghijklmnop'.split('');
  expect(await kept(chunks, 8)).toEqual({ text: 'abcd\n[8 bytes left out]\nmnop', leftOutBytes: 8, passedOn: chunks.join('') });
});

test('replaces a secret before anything is kept or left out', async () => {
  const { text, passedOn } = await kept(['xhu', 'sh', 'y'], 1000);
  expect({ text, passedOn }).toEqual({ text: 'x[redacted]y', passedOn: 'x[redacted]y' });
});

test('keeps a character whole that comes in two pieces', async () => {
  const output = keepOutput({}, undefined);
  for (const byte of Buffer.from('中')) await output.take(Uint8Array.of(byte));
  expect(await output.end()).toEqual({ text: '中', leftOutBytes: 0 });
});
