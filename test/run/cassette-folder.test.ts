import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionKey } from '../../src/gateway/cassette/cassette.js';
import { outlineOf, type OutlinedRequest } from '../../src/gateway/cassette/outline.js';
import { createReplay } from '../../src/gateway/cassette/replay.js';
import { CassetteError } from '../../src/gateway/errors.js';
import { openCassetteFolder } from '../../src/run/cassette-folder.js';
import { cassettePathOf } from '../../src/run/cassette-path.js';
import type { CassetteWriter } from '../../src/run/cassette-writer.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cassettes-'));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const KEY: SessionKey = { experimentId: 'exp', evalId: 'fix-sum', attempt: 1 };
const FILE = 'sessions/exp/fix-sum/1.jsonl';

function asks(text: string): OutlinedRequest {
  return { protocol: 'openai-chat', method: 'POST', path: '/v1/chat/completions', body: Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }] })) };
}

async function answer(writer: CassetteWriter, request: OutlinedRequest, response: string, more: { readonly ordinal?: number; readonly headers?: Record<string, string>; readonly ending?: 'whole' | 'cut' } = {}): Promise<void> {
  const { ordinal, headers = { 'content-type': 'application/json' }, ending = 'whole' } = more;
  await writer.add({ ...(ordinal === undefined ? {} : { ordinal }), outline: outlineOf(request), response: { status: 200, headers, ending } }, { request: request.body, response: Buffer.from(response) });
}

async function recordOne(text = 'hello', response = 'world'): Promise<void> {
  await using writer = openCassetteFolder(root).record(KEY);
  await answer(writer, asks(text), response);
  await writer.close();
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
}

const shaOf = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');
const bodyFile = (text: string): string => `bodies/${shaOf(text).slice(0, 2)}/${shaOf(text)}.gz`;

describe('a cassette', () => {
  test('that was recorded is read with its bodies, in the order of the requests', async () => {
    await using writer = openCassetteFolder(root).record(KEY);
    await Promise.all([answer(writer, asks('two'), 'second', { ordinal: 2, ending: 'cut' }), answer(writer, asks('one'), 'first', { ordinal: 1 })]);
    await writer.add({ ordinal: 3, outline: outlineOf({ protocol: null, method: 'HEAD', path: '/', body: null }), response: { status: 404, headers: {}, ending: 'whole' } }, { request: null, response: Buffer.alloc(0) });
    await writer.close();
    const cassette = await openCassetteFolder(root).read(KEY);
    expect(cassette?.exchanges.map(({ ordinal, outline, request, response }) => [ordinal, outline.sha256, request, response])).toEqual([
      [1, outlineOf(asks('one')).sha256, { body: shaOf(asks('one').body ?? ''), sizeBytes: 58 }, { status: 200, headers: { 'content-type': 'application/json' }, body: shaOf('first'), sizeBytes: 5, ending: 'whole' }],
      [2, outlineOf(asks('two')).sha256, { body: shaOf(asks('two').body ?? ''), sizeBytes: 58 }, { status: 200, headers: { 'content-type': 'application/json' }, body: shaOf('second'), sizeBytes: 6, ending: 'cut' }],
      [3, outlineOf({ protocol: null, method: 'HEAD', path: '/', body: null }).sha256, { body: null, sizeBytes: 0 }, { status: 404, headers: {}, body: shaOf(''), sizeBytes: 0, ending: 'whole' }],
    ]);
    expect(Buffer.from(await cassette?.body(shaOf('second')) ?? []).toString()).toBe('second');
  });

  test('lies in a file of lines, beside bodies by their hash', async () => {
    await recordOne();
    expect(await filesBelow(root)).toEqual([bodyFile(asks('hello').body?.toString() ?? ''), bodyFile('world'), FILE].sort());
    const lines = (await readFile(join(root, FILE), 'utf8')).trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ type }) => type)).toEqual(['cassette', 'exchange', 'end']);
    expect(lines[0]).toMatchObject({ format: 'niceeval.cassette/v1', session: KEY });
    expect(gunzipSync(await readFile(join(root, bodyFile('world')))).toString()).toBe('world');
  });

  test('is the same file when the same is recorded again', async () => {
    await recordOne();
    const before = await readFile(join(root, FILE));
    await recordOne();
    expect(await readFile(join(root, FILE))).toEqual(before);
  });

  test('that nobody recorded is undefined', async () => {
    expect(await openCassetteFolder(root).read(KEY)).toBeUndefined();
    expect(await openCassetteFolder(join(root, 'none')).read(KEY)).toBeUndefined();
  });

  test('that was not closed leaves what was there', async () => {
    await recordOne('hello', 'old');
    {
      await using writer = openCassetteFolder(root).record(KEY);
      await answer(writer, asks('hello'), 'new');
    }
    const cassette = await openCassetteFolder(root).read(KEY);
    expect(cassette?.exchanges.map(({ response }) => response.body)).toEqual([shaOf('old')]);
    expect((await filesBelow(root)).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('takes nothing more once it is closed', async () => {
    const writer = openCassetteFolder(root).record(KEY);
    await writer.close();
    await writer.close();
    await expect(answer(writer, asks('x'), 'y')).rejects.toThrow('closed');
  });

  test('grows: what was there comes first, whether there was anything or not', async () => {
    for (const text of ['one', 'two']) {
      await using writer = await openCassetteFolder(root).append(KEY);
      await answer(writer, asks(text), text);
      await writer.close();
    }
    const cassette = await openCassetteFolder(root).read(KEY);
    expect(cassette?.exchanges.map(({ ordinal, outline }) => [ordinal, outline.sha256])).toEqual([[1, outlineOf(asks('one')).sha256], [2, outlineOf(asks('two')).sha256]]);
  });

  test('is compared by patterns that were given later', async () => {
    await recordOne('build 17');
    const options = { volatile: ['build \\d+'] };
    const replay = createReplay(await openCassetteFolder(root).read(KEY, options) ?? { exchanges: [] });
    expect(replay.take(outlineOf(asks('build 18'), options)).kind).toBe('found');
  });
});

describe('a secret', () => {
  const secret = 'tok-"\\0123456789abcdef';
  test('is in no byte of the folder, and the cassette still answers with another one', async () => {
    await using writer = openCassetteFolder(root).record(KEY, { secrets: [secret] });
    const request: OutlinedRequest = { ...asks(`${'x'.repeat(190)}${secret}`), path: `/v1/${secret}/chat/completions` };
    const deltas = [secret.slice(0, 7), secret.slice(7)].map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`).join('');
    // The outline was made by somebody who did not know the secret.
    await answer(writer, request, deltas, { headers: { 'request-id': secret } });
    await writer.close();
    for (const name of await filesBelow(root)) {
      const bytes = await readFile(join(root, name));
      const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      for (const piece of ['0123456789abcdef', secret.slice(0, 8), secret.slice(7)]) expect(text, name).not.toContain(piece);
    }
    const cassette = await openCassetteFolder(root).read(KEY);
    const other = { ...asks(`${'x'.repeat(190)}other`), path: '/v1/other/chat/completions' };
    expect(createReplay(cassette ?? { exchanges: [] }).take(outlineOf(other, { secrets: ['other'] })).kind).toBe('found');
  });
});

describe('a folder that was tampered with is refused', () => {
  const damage: readonly [string, () => Promise<unknown>, RegExp][] = [
    ['a missing body', () => rm(join(root, bodyFile('world'))), /1\.jsonl, line 2, names the body [0-9a-f]{64}, which is not in the folder\. Copy `bodies\/`/],
    ['a body of other bytes', () => writeFile(join(root, bodyFile('world')), gzipSync('wurld')), /is not the body that its name says/],
    ['a body that is no gzip', () => writeFile(join(root, bodyFile('world')), 'world'), /is not the body that its name says/],
    ['a body that unpacks to more than was said', () => writeFile(join(root, bodyFile('world')), gzipSync(Buffer.alloc(500_000))), /is not the body that its name says/],
    ['a body that is larger than what it holds', () => writeFile(join(root, bodyFile('world')), Buffer.alloc(100_000)), /has 100000 bytes, and at most/],
    ['a torn file', async () => truncate(join(root, FILE), (await readFile(join(root, FILE))).length - 10), /1\.jsonl, line 3, is torn/],
    ['a bad line', async () => writeFile(join(root, FILE), (await readFile(join(root, FILE), 'utf8')).replace('"status":200', '"status":"200"')), /1\.jsonl, line 2, does not fit at "response\.status"/],
    ['the cassette of another session', async () => writeFile(join(root, FILE), (await readFile(join(root, FILE), 'utf8')).replace('"evalId":"fix-sum"', '"evalId":"other"')), /1\.jsonl, line 1, is the cassette of another session/],
    ['a link for a file', async () => { await rename(join(root, FILE), join(root, 'away')); await symlink(join(root, 'away'), join(root, FILE)); }, /is a link, which is not followed/],
    ['a pipe for a file', async () => { await rm(join(root, FILE)); execFileSync('mkfifo', [join(root, FILE)]); }, /is no file/],
    ['a folder for a file', async () => { await rm(join(root, FILE)); await mkdir(join(root, FILE)); }, /is no file/],
  ];
  test.each(damage)('%s', async (_name, damageIt, message) => {
    await recordOne();
    await damageIt();
    const reading = openCassetteFolder(root).read(KEY);
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toThrow(CassetteError);
  });

  test('a damaged body is mended when it is recorded again', async () => {
    await recordOne();
    await writeFile(join(root, bodyFile('world')), 'x');
    await recordOne();
    expect((await openCassetteFolder(root).read(KEY))?.exchanges.length).toBe(1);
  });

  test.each(['bodies', 'sessions'])('%s that is a link to elsewhere gets nothing', async (name) => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'elsewhere-'));
    try {
      await symlink(elsewhere, join(root, name));
      await expect(recordOne()).rejects.toThrow(/leads out of the cassette folder/);
      expect(await readdir(elsewhere)).toEqual([]);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });
});

describe('the place of a cassette', () => {
  const IDS = ['a', 'A', '..', '.', '', '/', 'a/b', 'a-b', 'a\\b', '../../etc/passwd', 'a\u0000b', 'con', 'é', 'e\u0301', '~', '-x', 'x.', 'x'.repeat(5_000), '__proto__', '\ud800', '\ud801'];
  test('is inside of the folder and its own, whatever the ids are', () => {
    const keys = IDS.flatMap((experimentId) => IDS.map((evalId): SessionKey => ({ experimentId, evalId, attempt: 1 })));
    const paths = keys.map(cassettePathOf);
    expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(keys.length);
    for (const path of paths) expect(path).toMatch(/^sessions\/[a-z0-9_~-][a-z0-9._~-]{0,90}\/[a-z0-9_~-][a-z0-9._~-]{0,90}\/1\.jsonl$/);
  });
  test('is readable for ordinary ids', () => {
    expect(cassettePathOf({ experimentId: 'claude_code', evalId: 'fix-sum', attempt: 12 })).toBe('sessions/claude_code/fix-sum/12.jsonl');
    expect(cassettePathOf({ experimentId: 'Claude Code', evalId: 'algebra/fix-sum', attempt: 0 })).toMatch(/^sessions\/claude-code~[0-9a-f]{16}\/algebra-fix-sum~[0-9a-f]{16}\/0\.jsonl$/);
  });
  test.each([-1, 1.5, Number.NaN, 1e300])('is none for the Attempt %d', (attempt) => {
    expect(() => cassettePathOf({ ...KEY, attempt })).toThrow(TypeError);
  });
});
