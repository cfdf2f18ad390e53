import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HeldRequest, Tape } from '../../src/gateway/tape.js';
import { openAttemptCassette, type AttemptCassette, type CassetteUse } from '../../src/run/attempt-cassette.js';

const TOKEN = 'niceeval-token-of-this-attempt';
const attempt = { experimentId: 'e', evalId: 'a', index: 1 };
let folder: string;
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'niceeval-cassette-test-')); });
afterEach(() => rm(folder, { recursive: true, force: true }));

function asked(ordinal: number, words: string): HeldRequest {
  return { ordinal, protocol: 'anthropic-messages', method: 'POST', target: '/v1/messages?beta=true', body: Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: words }] })) };
}
function tape(ordinal: number, words: string, reply: string): Tape {
  return { request: asked(ordinal, words), answer: { status: 200, headers: { 'content-type': 'application/json', 'set-cookie': 'a=b' }, body: Buffer.from(JSON.stringify({ text: reply })), ending: 'whole' } };
}
const open = (kind: CassetteUse['kind'], secrets: readonly string[] = [TOKEN]): Promise<AttemptCassette> => openAttemptCassette({ kind, folder }, { attempt, volatile: [], secrets });
async function replies(cassette: AttemptCassette, ...words: readonly string[]): Promise<readonly string[]> {
  const told: string[] = [];
  for (const [index, word] of words.entries()) {
    const said = await cassette.answer!(asked(index + 1, word));
    told.push(said.kind === 'answer' ? (JSON.parse(Buffer.from(said.answer.body).toString()) as { text: string }).text : said.kind);
  }
  return told;
}
async function record(...tapes: readonly Tape[]): Promise<void> {
  const cassette = await open('record');
  for (const one of tapes) cassette.tape!(one);
  expect(await cassette.close({ keep: true })).toEqual([]);
}

describe('a cassette of an Attempt', () => {
  test('is replayed by content, as often as it was recorded, and says what was not asked for', async () => {
    // Answers end in another order than requests come.
    await record(tape(2, 'two', 'second'), tape(1, 'one', 'first'), tape(3, 'one', 'first again'));
    const cassette = await open('replay');
    expect(cassette.tape).toBeUndefined();
    expect(await replies(cassette, 'one', 'one', 'one')).toEqual(['first', 'first again', 'refusal']);
    expect(await cassette.close({ keep: true })).toMatchObject([{ code: 'cassette-unused', message: '1 of 3 recorded requests were not made this time, the first of them POST /v1/messages.' }]);
  });

  test('shows the place where a request differs, far behind its beginning too', async () => {
    const far = 'x'.repeat(5_000);
    await record(tape(1, `${far} red ${far}`, 'first'));
    const said = await (await open('replay')).answer!(asked(1, `${far} blue ${far}`));
    expect(said).toMatchObject({ kind: 'refusal', reason: 'cassette-lacks' });
    expect(said.kind === 'refusal' && said.message).toMatch(/recorded: .*x red x[^]*now: .*x blue x/);
  });

  test('grows by what it lacks, and keeps what it has', async () => {
    await record(tape(1, 'one', 'first'));
    const growing = await open('grow');
    expect(await replies(growing, 'one', 'two')).toEqual(['first', 'go']);
    growing.tape!(tape(2, 'two', 'second'));
    await growing.close({ keep: true });
    expect(await replies(await open('replay'), 'one', 'two')).toEqual(['first', 'second']);
  });

  test('of an Attempt that broke is not kept, and the one of before stands', async () => {
    await record(tape(1, 'one', 'first'));
    const broken = await open('record');
    broken.tape!(tape(1, 'one', 'another'));
    expect(await broken.close({ keep: false })).toMatchObject([{ code: 'cassette-not-kept' }]);
    expect(await replies(await open('replay'), 'one')).toEqual(['first']);
  });

  test('that cannot be put into its place is told, and breaks nothing', async () => {
    const cassette = await open('record');
    cassette.tape!(tape(1, 'one', 'first'));
    // A file stands where the folder must be, as where a disk is full nothing can be made.
    await writeFile(join(folder, 'sessions'), '');
    expect(await cassette.close({ keep: true })).toMatchObject([{ code: 'cassette-not-kept' }]);
  });

  test('whose body is gone says so to people, and to the agent not where it lay', async () => {
    await record(tape(1, 'one', 'first'));
    const cassette = await open('replay');
    await rm(join(folder, 'bodies'), { recursive: true });
    expect(await cassette.answer!(asked(1, 'one'))).toEqual({ kind: 'refusal', reason: 'cassette-lacks', message: 'The cassette of the Attempt cannot be read.' });
    expect(await cassette.close({ keep: true })).toMatchObject([{ code: 'gateway-cassette-unreadable', level: 'error', message: expect.stringContaining(folder) as string }]);
  });

  test('that is missing is said at once', async () => {
    await expect(open('replay')).rejects.toThrow(/^Nothing was recorded in ".*" for attempt 1 of "a" by "e"\. Record it with `--record`/);
  });

  test('holds no token, also one that was made while it was open, and no cookie', async () => {
    const secrets = [TOKEN];
    const cassette = await open('record', secrets);
    secrets.push('niceeval-token-of-a-window');
    cassette.tape!(tape(1, `my token is ${TOKEN}, and niceeval-token-of-a-window`, 'so niceeval-token-of-a-window it is'));
    await cassette.close({ keep: true });
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const all = (await Promise.all(files.map(async (file) => { const bytes = await readFile(file); return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString(); }))).join('\n');
    expect(all).toContain('so <secret> it is');
    expect(all).not.toMatch(/niceeval-token|set-cookie/);
    // The next run has other tokens and asks the same.
    const other = await open('replay', ['niceeval-token-of-the-next-run']);
    expect(await replies(other, 'my token is niceeval-token-of-the-next-run, and niceeval-token-of-the-next-run')).toEqual(['so <secret> it is']);
  });
});
