import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { keepOutput } from '../../src/sandbox/kept-output.js';
import { CommandOutputError } from '../../src/sandbox/errors.js';

const ARGV = ['cat', 'log'];

test.each([[['abcdefgh']], [['ab', 'cdef', 'gh']], [['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']]])('keeps all that fits, given as %j', async (chunks) => {
  const output = keepOutput(ARGV, {}, undefined, { keptBytes: 8 });
  for (const chunk of chunks) await output.take(Buffer.from(chunk));
  expect(await output.end()).toBe('abcdefgh');
});

test('passes all of a longer output on, and hands over no part of it as if it were the whole', async () => {
  let passedOn = '';
  const output = keepOutput(ARGV, {}, (chunk) => { passedOn += Buffer.from(chunk).toString('latin1'); }, { keptBytes: 8 });
  for (const chunk of ['abcdefgh', 'i', 'jkl']) await output.take(Buffer.from(chunk));
  await expect(output.end()).rejects.toEqual(new CommandOutputError(ARGV, 12, 8));
  await expect(output.end()).rejects.toThrow('"cat log" printed 12 bytes; 8 bytes is the most that is handed over. Take it by onStdout as it comes, or let it write to a file.');
  expect(passedOn).toBe('abcdefghijkl');
});

test('replaces a secret before anything is kept or passed on', async () => {
  let passedOn = '';
  const output = keepOutput(ARGV, { sensitiveValues: ['hush'] }, (chunk) => { passedOn += Buffer.from(chunk).toString('latin1'); });
  for (const chunk of ['xhu', 'sh', 'y']) await output.take(Buffer.from(chunk));
  expect({ text: await output.end(), passedOn }).toEqual({ text: 'x[redacted]y', passedOn: 'x[redacted]y' });
});

test('keeps a character whole that comes in two pieces', async () => {
  const output = keepOutput(ARGV, {}, undefined);
  for (const byte of Buffer.from('中')) await output.take(Uint8Array.of(byte));
  expect(await output.end()).toBe('中');
});

test('keeps a long output on disk, whole and in order, and leaves no file', async () => {
  const before = await niceevalFiles();
  const parts = Array.from({ length: 2_000 }, (_item, index) => `${index} ${'ä€'.repeat(index % 50)}\n`);
  {
    await using output = keepOutput(ARGV, { sensitiveValues: ['1999'] }, undefined, { memoryBytes: 1_000 });
    for (const part of parts) await output.take(Buffer.from(part));
    expect(await niceevalFiles()).toEqual(before);
    expect(await output.end()).toBe(parts.join('').replaceAll('1999', '[redacted]'));
  }
  await using cut = keepOutput(ARGV, {}, undefined, { memoryBytes: 10, keptBytes: 100 });
  for (const part of parts) await cut.take(Buffer.from(part));
  await expect(cut.end()).rejects.toThrow(CommandOutputError);
  const late = keepOutput(ARGV, {}, undefined, { memoryBytes: 10 });
  await late.take(Buffer.from('a part that goes to the disk'));
  await late[Symbol.asyncDispose]();
  await late.take(Buffer.from('printed by a command that was given up'));
  expect(await late.end()).toBe('');
  expect(await niceevalFiles()).toEqual(before);
});

async function niceevalFiles(): Promise<readonly string[]> {
  return (await readdir(tmpdir())).filter((name) => name.startsWith('niceeval-output-'));
}
