import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createContentStore } from '../../src/workspace/content-store.js';
import { attemptResult, runResult } from '../run/results.js';
import { beginRun, openAttempt, openRecords } from './records.js';

const SECRET = 'hush "hush" \\ über';
const ESCAPED = 'hush%20%22hush%22%20%5C%20%C3%BCber';

test('a secret is nowhere in a record: not in raw output that came in pieces, file names, events, claims, diagnostics, patch or blobs', async () => {
  await using records = await openRecords();
  const text = `say ${SECRET} aloud`;
  const result = attemptResult({
    turns: attemptResult().turns.map((turn) => ({
      ...turn, label: text, data: { [SECRET]: 1, nested: JSON.stringify({ text }) },
      events: [{ type: 'message', role: 'user', text }, { type: 'operation.started', operationId: '1', operation: { kind: 'tool', name: 'Bash', input: { [text]: [text] } } }],
    })),
    claims: [{ ordinal: 1, kind: 'boolean', description: text, gates: true, optional: false, state: 'mismatched', expected: text, received: text, evidence: { text } }],
    diagnostics: [{ code: 'x', message: text, data: { [SECRET]: text } }],
    logs: [text],
    changes: { state: 'available', root: '/project', windows: [], net: [{ path: `a/${ESCAPED}`, mixed: true }], renames: [] },
    patch: { text: `+${text}\n`, leftOut: [{ path: ESCAPED, reason: 'mixed' }] },
  });
  const record = await beginRun(records.root, 'r1', [result]);
  const sink = await openAttempt(record, result.id, [SECRET]);
  const raw = await sink.openRaw(`${SECRET}-stdout`);
  for (const byte of Buffer.from(`${text}${JSON.stringify(JSON.stringify({ text }))}`)) await raw.write(Uint8Array.of(byte));
  await raw.close();
  await sink.keepFile(`home/${SECRET}/session`, Buffer.from(text));
  const store = createContentStore(sink.blobFolder, [SECRET]);
  const { sha256 } = await store.take(Readable.from([Buffer.from(text.slice(0, 7)), Buffer.from(text.slice(7))]));
  expect(Buffer.from(await store.read(sha256) ?? []).toString(), 'claims see the true bytes').toBe(text);
  await sink.seal(result);
  await record.seal(runResult([result]));

  const entries = (await readdir(records.root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  expect(entries.length).toBe(11);
  let seen = 0;
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    const content = `${path}\n${(entry.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8')}`;
    for (const form of ['hush', 'über', ESCAPED]) expect(content, path).not.toContain(form);
    if (content.includes('[redacted]')) seen += 1;
  }
  // Events, claims, changes, patch, attempt.json, raw output, the kept file, the blob.
  expect(seen).toBe(8);
});

test('what a secret begins with is kept where it does not go on', async () => {
  await using records = await openRecords();
  const record = await beginRun(records.root, 'r1', []);
  const raw = await (await openAttempt(record, 'a', ['abcdef'])).openRaw('stdout');
  for (const part of ['xabc', 'de', 'abcdef', 'abc']) await raw.write(Buffer.from(part));
  await raw.close();
  expect(gunzipSync(await readFile(join(records.root, 'r1/attempts/a/raw/stdout.gz'))).toString()).toBe('xabcde[redacted]abc');
});

test('two keys that are both secrets keep their values apart', async () => {
  await using records = await openRecords();
  const result = attemptResult({ flags: { 'first-secret': 1, 'second-secret': 2 } });
  const record = await beginRun(records.root, 'r1', [result]);
  await (await openAttempt(record, result.id, ['first-secret', 'second-secret'])).seal(result);
  expect(JSON.parse(await readFile(join(records.root, 'r1/attempts', result.id, 'attempt.json'), 'utf8'))).toMatchObject({ flags: { '[redacted]': 1, '[redacted] 2': 2 } });
});
