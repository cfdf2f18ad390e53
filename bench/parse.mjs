// What parsing costs. First the speed: each record of a run read to events, beside JSON.parse on each line of the same bytes
// (split at 0x0A, decoded as UTF-8) in the same process, alternating. Then the memory of a parser that is fed a long stdout
// piece by piece. Asserts nothing but that the inputs are understood.
//
// The inputs are made of the recorded runs in fixtures/agents, three ways: the runs as they are, each read by itself (a
// scripted model said and printed a few words a time, so this is the hardest); and runs of 1 MB and of 20 MB put together
// from copies of them, with ids of their own and texts as long as in real runs. recorded-runs.mjs has the details.
//
//   npm run bench:parse                     20 MB a measurement, 256 MB through the parsers
//   npm run bench:parse -- --gigabyte       1 GB through the parsers
//   npm run bench:parse -- --rounds 31      measurements of each side; default 15
//   npm run bench:parse -- --only rollout   rows whose name has this word
import { fork } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { parseArgs } from 'node:util';
import { runInNewContext } from 'node:vm';
import { parseClaudeCode } from '../dist/agents/claude-code/parse.js';
import { parseCodexAppServer, parseCodexExec } from '../dist/agents/codex/parse.js';
import { longRun, recordedRuns } from './recorded-runs.mjs';

const MEGABYTE = 1_000_000;
const MEASURED_BYTES = 20 * MEGABYTE;
const SPEED_BAR = 0.7;
const MEMORY_BAR_MB = 150;
const { values: flags } = parseArgs({ options: { gigabyte: { type: 'boolean', default: false }, rounds: { type: 'string', default: '15' }, only: { type: 'string', default: '' } } });
const rounds = Number(flags.rounds);

// What one side threw away is collected before the other begins. A full collection would also drop what was compiled.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** The baseline: split at line feeds, decoded, parsed, dropped. */
function parseLines(bytes) {
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed === -1 ? bytes.length : feed;
    if (end > start) JSON.parse(bytes.toString('utf8', start, end));
    start = end + 1;
  }
}

function timed(work) {
  collectGarbage({ type: 'minor' });
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** Both sides over the same runs, so many times that a measurement takes a while: their speeds in MB a second. */
function measure(runs, parse) {
  const sizeBytes = runs.reduce((sum, run) => sum + run.sizeBytes, 0);
  const passes = Math.max(1, Math.round(MEASURED_BYTES / sizeBytes));
  const baseline = () => { for (let pass = 0; pass < passes; pass += 1) for (const { jsonl } of runs) jsonl.forEach(parseLines); };
  const ours = () => { for (let pass = 0; pass < passes; pass += 1) for (const { witnesses } of runs) parse(witnesses, { exitCode: 0 }, { prompt: 'known' }); };
  const times = { baseline: [], ours: [] };
  // The first rounds compile.
  for (let round = -2; round < rounds; round += 1) {
    const pair = { baseline: timed(baseline), ours: timed(ours) };
    if (round >= 0) for (const side of ['baseline', 'ours']) times[side].push(pair[side]);
  }
  const speed = (list) => passes * sizeBytes / MEGABYTE / median(list) * 1000;
  return { baseline: speed(times.baseline), ours: speed(times.ours) };
}

/** A run as its parser takes it, and the JSON lines in it as the baseline takes them. */
function readable({ name, stdout, files }, { kind, parse }) {
  const printed = stdout.length > 0 ? [{ kind: 'stdout', bytes: stdout }] : [];
  const witnesses = [...printed, ...files.map((file) => ({ kind, ...file }))];
  const jsonl = [...printed, ...files.filter(({ path }) => path.endsWith('.jsonl'))].map(({ bytes }) => bytes);
  const { ending, unrecognised, unrecognisedCount } = parse(witnesses, { exitCode: 0 }, { prompt: 'known' });
  if (unrecognisedCount > 0 || (stdout.length > 0 && ending.kind !== 'completed')) throw new Error(`"${name}" was not understood: ${JSON.stringify([ending, unrecognised[0]])}`);
  return { witnesses, jsonl, sizeBytes: jsonl.reduce((sum, { length }) => sum + length, 0) };
}

const claude = { runs: recordedRuns('claude-code'), kind: 'session', parse: parseClaudeCode };
const codex = recordedRuns('codex');
const exec = { runs: codex.filter(({ name }) => !name.startsWith('app-')), kind: 'rollout', parse: parseCodexExec };
const app = { runs: codex.filter(({ name }) => name.startsWith('app-')), kind: 'rollout', parse: parseCodexAppServer };
const stdoutOf = (run) => ({ ...run, files: [] });
const filesOf = (run) => ({ ...run, stdout: Buffer.alloc(0) });
const whole = (run) => run;
const ROWS = [
  ['Claude Code stdout', claude, stdoutOf],
  ['Claude Code stdout + session', claude, whole],
  ['Claude Code session', claude, filesOf],
  ['Codex exec', exec, stdoutOf],
  ['Codex exec + rollout', exec, whole],
  ['Codex rollout', exec, filesOf],
  ['Codex app-server', app, stdoutOf],
].filter(([label]) => label.includes(flags.only));

console.log(`parsed to events, in MB a second: JSON.parse of the same lines, niceeval, ratio (bar ${SPEED_BAR}); medians of ${rounds}`);
console.log(`${''.padEnd(30)}${['recorded runs', 'runs of 1 MB', 'runs of 20 MB'].map((head) => head.padStart(24)).join('')}`);
for (const [label, record, part] of ROWS) {
  const recorded = record.runs.map((run) => readable(part(run), record)).filter(({ sizeBytes }) => sizeBytes > 0);
  // Stdout alone is made longer by itself: beside a rollout it is a small part.
  const source = part === stdoutOf ? record.runs.map(stdoutOf) : record.runs;
  const long = (sizeBytes) => [readable(part(longRun(source, sizeBytes)), record)];
  const cells = [recorded, long(MEGABYTE), long(MEASURED_BYTES)].map((runs) => {
    const { baseline, ours } = measure(runs, record.parse);
    return `${baseline.toFixed(0)} ${ours.toFixed(0).padStart(5)} ${(ours / baseline).toFixed(2).padStart(6)}${ours / baseline < SPEED_BAR ? '<' : ' '}`.padStart(24);
  });
  console.log(`${label.padEnd(30)}${cells.join('')}`);
}

const megabytes = flags.gigabyte ? 1000 : 256;
if (flags.only === '') console.log(`\n${megabytes} MB of stdout pushed in pieces of 64 KB: memory at its peak beyond the events that are kept (bar ${MEMORY_BAR_MB} MB)`);
for (const cli of flags.only === '' ? ['claude-code', 'codex'] : []) {
  const { events, kept, held, beyond } = await inOwnProcess(cli, megabytes);
  const mb = (bytes) => `${(bytes / MEGABYTE).toFixed(0)} MB`;
  console.log(`${cli.padEnd(12)} ${mb(beyond).padStart(7)}   (${events} events in ${mb(kept)}; at the end the parser itself held ${mb(held)})`);
}

function inOwnProcess(cli, size) {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('memory.mjs', import.meta.url), [cli, String(size)], { execArgv: ['--expose-gc'] });
    child.on('message', resolve).on('error', reject).on('exit', (code) => reject(new Error(`bench/memory.mjs ended with ${code}`)));
  });
}
