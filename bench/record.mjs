// How much a record costs: 1,000 small Attempts against the bare writing of the same files, without compression; and a listing of 500
// runs of 100 Attempts against reading and parsing their run.json.
//
//   npm run bench:record
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { listRuns } from '../dist/record/read-run.js';
import { openRunRecord } from '../dist/record/run-record.js';

const ATTEMPTS = 1_000;
const RUNS = 500;
const ROUNDS = 5;
const root = await mkdtemp(join(tmpdir(), 'niceeval-bench-'));
const coverage = Object.fromEntries(['events', 'actions', 'messages', 'usage', 'status', 'data'].map((channel) => [channel, { status: 'complete' }]));
const result = (index) => ({
  id: `sum.codex.0123abcd.${index}`, evalId: 'sum', experimentId: 'codex', index, agent: 'codex', flags: {}, labels: {}, metadata: {}, evaluationKind: 'pass', verdict: 'passed', reasons: [], causes: [],
  interrupted: false, claims: [{ ordinal: 1, kind: 'boolean', description: 'turn 1 succeeded', gates: true, optional: false, state: 'matched' }],
  turns: [{ session: 1, turn: 1, label: 'turn1', status: 'completed', coverage, startedAt: '2025-03-01T10:00:01.000Z', durationMs: 2_000, events: Array.from({ length: 10 }, () => ({ type: 'message', role: 'assistant', text: 'Done.' })), usage: { inputTokens: 100, outputTokens: 20 } }],
  usage: { inputTokens: 100, outputTokens: 20 }, changes: { state: 'available', root: '/project', windows: [], net: [], renames: [] }, patch: { text: '', leftOut: [] }, diagnostics: [], logs: [],
  startedAt: '2025-03-01T10:00:00.000Z', timings: { queuedMs: 0, sandboxMs: 900, testMs: 2_100, teardownMs: 400, totalMs: 3_400 },
});
const summary = (index) => ({ id: `sum.codex.0123abcd.${index}`, evalId: 'sum', experimentId: 'codex', index, agent: 'codex', verdict: 'passed', claims: { total: 1, decided: 1, matched: 1 }, usage: { inputTokens: 100, outputTokens: 20 }, changedPaths: 0, startedAt: '2025-03-01T10:00:00.000Z', durationMs: 3_400, timedOut: false });
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const timed = async (work) => { const begun = performance.now(); await work(); return performance.now() - begun; };

try {
  const results = Array.from({ length: ATTEMPTS }, (_item, position) => result(position + 1));
  const record = async (folder) => {
    const sink = await openRunRecord(folder);
    await sink.begin({ runId: 'r', sandbox: 'local', startedAt: '2025-03-01T10:00:00.000Z', attempts: results });
    for (const attempt of results) {
      const own = await sink.openAttempt({ id: attempt.id, experiment: { agent: {} } });
      const raw = await own.openRaw('stdout.jsonl');
      await raw.write(Buffer.from('{"type":"result"}\n'.repeat(50)));
      await raw.close();
      await own.seal(attempt);
    }
    await sink.seal({ runId: 'r', sandbox: 'local', startedAt: '2025-03-01T10:00:00.000Z', durationMs: 1, interrupted: false, counts: { total: 0, passed: 0, failed: 0, errored: 0, skipped: 0, infrastructure: 0 }, attempts: [] });
  };
  await record(join(root, 'model'));
  const files = [];
  for (const entry of await readdir(join(root, 'model'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    files.push({ name: relative(join(root, 'model'), path).replace(/\.gz$/, ''), bytes: path.endsWith('.gz') ? gunzipSync(bytes) : bytes });
  }
  const bare = async (folder) => {
    for (const { name, bytes } of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), bytes);
    }
  };
  const own = [], other = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await timed(() => record(join(root, `own${round}`))));
    other.push(await timed(() => bare(join(root, `bare${round}`))));
  }
  console.log(`${ATTEMPTS} Attempts: record ${median(own).toFixed(0)} ms, bare ${median(other).toFixed(0)} ms, ratio ${(median(own) / median(other)).toFixed(2)} (at most 3)`);

  const runs = join(root, 'runs');
  for (let number = 0; number < RUNS; number += 1) {
    const sink = await openRunRecord(join(runs, `r${number}`));
    const attempts = Array.from({ length: 100 }, (_item, position) => summary(position + 1));
    await sink.begin({ runId: `r${number}`, sandbox: 'local', startedAt: '2025-03-01T10:00:00.000Z', attempts });
    await sink.seal({ runId: `r${number}`, sandbox: 'local', startedAt: '2025-03-01T10:00:00.000Z', durationMs: 1, interrupted: false, counts: { total: 100, passed: 100, failed: 0, errored: 0, skipped: 0, infrastructure: 0 }, attempts });
  }
  const listing = [], reading = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    listing.push(await timed(() => listRuns(runs)));
    reading.push(await timed(async () => { for (const name of await readdir(runs)) JSON.parse(await readFile(join(runs, name, 'run.json'), 'utf8')); }));
  }
  console.log(`${RUNS} runs: listed in ${median(listing).toFixed(0)} ms, read and parsed in ${median(reading).toFixed(0)} ms, ratio ${(median(listing) / median(reading)).toFixed(2)} (at most 2)`);
} finally {
  await rm(root, { recursive: true, force: true });
}
