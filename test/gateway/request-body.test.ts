import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { MAX_BODY_BYTES, readJsonBody } from '../../src/gateway/request-body.js';

function requestWith(...chunks: readonly Buffer[]): IncomingMessage {
  return Object.assign(Readable.from(chunks), { headers: {} }) as unknown as IncomingMessage;
}

test('keeps account of what it holds, and gives it back', async () => {
  const budget = { heldBytes: 7 };
  const reading = await readJsonBody(requestWith(Buffer.from('{"a":'), Buffer.from('1}')), budget);
  expect(reading).toEqual({ kind: 'read', json: { a: 1 }, sizeBytes: 7 });
  expect(budget).toEqual({ heldBytes: 7 });
});

test('refuses what a session holds too much for', async () => {
  const budget = { heldBytes: 2 * MAX_BODY_BYTES - 5 };
  const reading = await readJsonBody(requestWith(Buffer.from('{"a":'), Buffer.from('1}')), budget);
  expect(reading).toEqual({ kind: 'refused', status: 429, message: 'Too many large requests at once. Send them one after the other.' });
  expect(budget).toEqual({ heldBytes: 2 * MAX_BODY_BYTES - 5 });
});

test('reads characters that are split between chunks', async () => {
  const bytes = Buffer.from('"né😀"');
  const reading = await readJsonBody(requestWith(...[...bytes].map((byte) => Buffer.from([byte]))), { heldBytes: 0 });
  expect(reading).toMatchObject({ json: 'né😀' });
});
