// Runs many Attempts while the harness, its containers and the commands in them are killed at random. Afterwards nothing of
// ours may be left in the engine, every Attempt that was told as finished must be on disk, and none may be told wrongly: one
// that nobody disturbed has passed, and one that has passed did its work.
//
//   node scripts/soak.mjs [--attempts 300] [--concurrency 4] [--seed 1]
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { execa } from 'execa';

const { values } = parseArgs({ options: { attempts: { type: 'string', default: '300' }, concurrency: { type: 'string', default: '4' }, seed: { type: 'string', default: '1' } } });
const WANTED = Number(values.attempts);
const BATCH = 20;
const TRY = /\.try(\d+)$/;
const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const random = mulberry32(Number(values.seed));

const EVAL = `
import { defineEval } from 'niceeval';
import { equals } from 'niceeval/expect';
export default defineEval({ async test(t) {
  const turn = await t.send('work');
  turn.succeeded();
  t.check(turn.message, equals('worked\\n'));
  t.sandbox.changedPaths(['begun.txt', 'done.txt']);
} });`;
const EXPERIMENT = `
import { defineExperiment } from 'niceeval';
import { completeEvidenceCoverage, defineSandboxAgent } from 'niceeval/adapter';
export default defineExperiment({ attempts: ${BATCH}, timeoutMs: 60_000, agent: defineSandboxAgent({
  name: 'worker', evidenceCoverage: completeEvidenceCoverage,
  send: async (input, ctx) => {
    const { exitCode, stdout } = await ctx.sandbox.runShell('echo begun > begun.txt; sleep 0.5; echo done > done.txt; echo worked', { signal: ctx.signal });
    return { status: exitCode === 0 ? 'completed' : 'failed', events: [{ type: 'message', role: 'assistant', text: stdout }] };
  },
}) });`;

const totals = { attempts: 0, finished: 0, passed: 0, failed: 0, errored: 0, unfinished: 0, retried: 0, killed: { harness: 0, container: 0, command: 0 } };
const wrong = [];
const project = await mkdtemp(join(tmpdir(), 'niceeval-soak-'));
try {
  for (const [name, text] of Object.entries({ 'evals/work.eval.ts': EVAL, 'experiments/worker.ts': EXPERIMENT })) {
    await mkdir(join(project, name, '..'), { recursive: true });
    await writeFile(join(project, name), text);
  }
  const begun = performance.now();
  while (totals.attempts < WANTED) await batch(Math.min(BATCH, WANTED - totals.attempts));
  await execa('node', [CLI, 'clean'], { stdin: 'ignore' });
  const left = await leftovers();
  if (left.length > 0) wrong.push(`left in the engine: ${left.join(', ')}`);
  console.log(JSON.stringify({ ...totals, seconds: Math.round((performance.now() - begun) / 1000), leftovers: left.length, wrong }));
} finally {
  await rm(project, { recursive: true, force: true });
}
process.exitCode = wrong.length === 0 ? 0 : 1;

/** One run. It ends by itself or is killed; either way its record is looked at. */
async function batch(count) {
  const run = spawn('node', [CLI, 'run', '--json', '--attempts', String(count), '--concurrency', values.concurrency], { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] });
  const state = { runId: '', started: new Set(), finished: new Set(), disturbed: new Set(), harnessKilled: false, ended: false };
  const ended = new Promise((resolve) => { run.once('close', resolve); });
  createInterface({ input: run.stdout }).on('line', (line) => {
    const event = JSON.parse(line);
    if (event.type === 'run.started') state.runId = event.runId;
    if (event.type === 'attempt.started') state.started.add(event.attempt);
    if (event.type === 'attempt.finished') state.finished.add(event.attempt);
  });
  const chaos = disturb(run, state);
  await ended;
  state.ended = true;
  await chaos;
  await look(count, state);
}

async function disturb(run, state) {
  while (!state.ended) {
    await new Promise((resolve) => { setTimeout(resolve, 300 + random() * 1_200); });
    if (state.ended || state.runId === '') continue;
    const kind = random();
    if (kind < 0.07) {
      totals.killed.harness += 1;
      state.harnessKilled = true;
      run.kill('SIGKILL');
      return;
    }
    const sandboxes = await ours(state.runId);
    const victim = sandboxes[Math.floor(random() * sandboxes.length)];
    if (victim === undefined) continue;
    // Noted before the blow: whoever is hit and ends at the same moment counts as disturbed.
    state.disturbed.add(victim.attempt);
    if (kind < 0.5) {
      const { exitCode } = await execa('docker', ['kill', victim.id], { reject: false });
      if (exitCode === 0) totals.killed.container += 1;
    } else {
      const { stdout } = await execa('docker', ['top', victim.id, '-eo', 'pid,user,args'], { reject: false });
      const commands = stdout.split('\n').filter((line) => /worked|sleep 0\.5/.test(line)).map((line) => Number(line.trim().split(/\s+/)[0])).filter((pid) => pid > 1);
      const pid = commands[Math.floor(random() * commands.length)];
      if (pid === undefined) continue;
      try {
        process.kill(pid, 'SIGKILL');
        totals.killed.command += 1;
      } catch {
        // It ended by itself meanwhile, or it is a process that this user may not end.
      }
    }
  }
}

async function look(count, state) {
  const folder = join(project, '.niceeval/runs', state.runId, 'attempts');
  const ids = state.runId === '' ? [] : await readdir(folder).catch(() => []);
  totals.attempts += count;
  const sealed = new Map();
  for (const id of ids) {
    const attempt = await readFile(join(folder, id, 'attempt.json'), 'utf8').then(JSON.parse, () => undefined);
    if (attempt !== undefined) sealed.set(id, attempt);
  }
  for (const id of state.finished) if (!sealed.has(id)) wrong.push(`${state.runId}/${id} was told as finished and is not on disk`);
  // Each try of an Attempt has a folder of its own; the last one counts.
  const lastTries = new Map([...sealed.keys()].sort((a, b) => tryOf(a) - tryOf(b)).map((id) => [id.replace(TRY, ''), id]));
  if (!state.harnessKilled && lastTries.size !== count) wrong.push(`${state.runId}: ${lastTries.size} of ${count} Attempts are on disk`);
  totals.unfinished += count - lastTries.size;
  totals.retried += sealed.size - lastTries.size;
  for (const [id, attempt] of sealed) {
    if (lastTries.get(id.replace(TRY, '')) === id) {
      totals.finished += 1;
      totals[attempt.verdict] += 1;
    }
    const { changes } = JSON.parse(await readFile(join(folder, id, 'changes.json'), 'utf8'));
    const done = changes.state === 'available' && changes.net.some(({ path, after }) => path === 'done.txt' && after?.sizeBytes === 5);
    if (attempt.verdict === 'passed' && !done) wrong.push(`${state.runId}/${id} passed without its work`);
    if (attempt.verdict !== 'passed' && !state.disturbed.has(id)) wrong.push(`${state.runId}/${id} is ${attempt.verdict} although nobody disturbed it: ${attempt.reasons.join('; ')}`);
  }
  await rm(join(project, '.niceeval'), { recursive: true, force: true });
}

function tryOf(id) {
  return Number(TRY.exec(id)?.[1] ?? 1);
}

/** The living sandboxes of a run. */
async function ours(runId) {
  const { stdout } = await execa('docker', ['ps', '--filter', `label=niceeval.run=${runId}`, '--filter', 'label=niceeval.role=sandbox', '--format', '{{.ID}} {{.Label "niceeval.attempt"}}'], { reject: false });
  return stdout.split('\n').filter((line) => line !== '').map((line) => ({ id: line.split(' ')[0], attempt: line.split(' ')[1] }));
}

/** Containers and networks whose owner is none of the living. */
async function leftovers() {
  const list = async (...args) => (await execa('docker', [...args, '--filter', 'label=niceeval.run', '--format', '{{.ID}} {{.Label "niceeval.owner"}}'])).stdout.split('\n').filter((line) => line !== '');
  const all = [...await list('ps', '-a'), ...await list('network', 'ls')];
  const mine = await Promise.all(all.map(async (line) => {
    const pid = line.split(' ')[3];
    return (await readFile(`/proc/${pid}/stat`, 'utf8').then(() => true, () => false)) ? [] : [line.split(' ')[0]];
  }));
  return mine.flat();
}

/** A small generator of numbers in [0, 1) that a seed makes repeatable. Source: Tommy Ettinger's mulberry32, public domain. */
function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
