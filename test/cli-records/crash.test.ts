import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { readAttempt } from '../../src/record/read-attempt.js';
import { readRun } from '../../src/record/read-run.js';
import { attemptResult } from '../run/results.js';
import { CLI } from '../support/project.js';
import { openRecords } from '../record/records.js';

beforeAll(() => {
  if (!existsSync(CLI)) spawnSync('npm', ['run', 'build'], { cwd: fileURLToPath(new URL('../../', import.meta.url)) });
}, 120_000);

/** Writes Attempts without an end. Attempt n says that it used n tokens, claims n times and sends n times. */
const writer = (root: string): string => `
import { openRunRecord } from ${JSON.stringify(pathToFileURL(join(CLI, '../../record/run-record.js')).href)};
const base = ${JSON.stringify(attemptResult())};
const record = await openRunRecord(${JSON.stringify(join(root, 'r1'))});
const planned = Array.from({ length: 5000 }, (_item, n) => ({ id: 'a.' + n, evalId: 'a', experimentId: 'x', index: n + 1 }));
await record.begin({ runId: 'r1', sandbox: 'local', startedAt: '2025-03-01T10:00:00.000Z', attempts: planned });
let told = 0;
for (let first = 0; first < planned.length; first += 4) await Promise.all(planned.slice(first, first + 4).map(async ({ id, index }) => {
  const n = index % 50 + 1;
  const sink = await record.openAttempt({ id, experiment: { agent: {} } });
  const raw = await sink.openRaw('stdout');
  await raw.write(Buffer.from('x'.repeat(n)));
  await raw.close();
  await sink.seal({ ...base, id, evalId: 'a', experimentId: 'x', index, usage: { outputTokens: n }, claims: Array.from({ length: n }, (_item, i) => ({ ...base.claims[0], ordinal: i + 1 })), turns: Array.from({ length: n }, (_item, i) => ({ ...base.turns[0], turn: i + 1 })) });
  told += 1;
  process.stdout.write(id + '\\n');
}));
`;

it('a writer that is killed at any point leaves no Attempt that is told wrongly', async () => {
  for (let round = 0; round < 6; round += 1) {
    await using records = await openRecords();
    const child = spawn(process.execPath, ['--input-type=module', '-e', writer(records.root)], { stdio: ['ignore', 'pipe', 'inherit'] });
    // Killed right behind some number of sealed Attempts, so in the middle of others.
    const least = 1 + round * 17;
    const sealed: string[] = [];
    const ended = new Promise((resolve) => { child.once('close', resolve); });
    for await (const chunk of child.stdout) {
      sealed.push(...String(chunk).split('\n').filter((line) => line !== ''));
      if (sealed.length >= least) child.kill('SIGKILL');
    }
    await ended;
    const folder = join(records.root, 'r1');
    const run = await readRun(folder);
    expect(run).toMatchObject({ state: 'incomplete', startedAt: '2025-03-01T10:00:00.000Z', problems: [] });
    const counted = new Set(run.attempts.map(({ id }) => id));
    expect(sealed.filter((id) => !counted.has(id)), 'what the writer told as sealed').toEqual([]);
    expect(run.attempts.length + run.inFlight.length + run.notStarted.length).toBe(5000);
    expect(run.attempts.length + run.inFlight.length).toBe((await readdir(join(folder, 'attempts'))).length);
    for (const { id, index, claims, usage } of run.attempts) {
      const n = index % 50 + 1;
      const record = await readAttempt(join(folder, 'attempts', id));
      let events = 0;
      for await (const event of record.events()) events += event.problem === undefined ? 1 : Number.NaN;
      expect([id, record.problems, claims.total, usage.outputTokens, events, record.facts?.turns.length]).toEqual([id, [], n, n, 2 * n, n]);
    }
    await rm(records.root, { recursive: true, force: true });
  }
}, 120_000);
