// What parsing costs: each record of a run read to events, beside JSON.parse on each line of the same bytes in the same
// process, alternating. Then the memory of a parser that is fed a long stdout piece by piece. Asserts nothing but that
// the inputs are understood.
//
//   npm run bench:parse                     some 20 MB a row, 256 MB through the parsers
//   npm run bench:parse -- --gigabyte       1 GB through the parsers
//   npm run bench:parse -- --rounds 31      more measurements per row; default 15
import { fork } from 'node:child_process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parseArgs } from 'node:util';
import { parseClaudeCode } from '../dist/agents/claude-code/parse.js';
import { parseCodexAppServer, parseCodexExec } from '../dist/agents/codex/parse.js';
import { longRun, recordedRuns } from './recorded-runs.mjs';

const MEGABYTE = 1_000_000;
const ROW_BYTES = 20 * MEGABYTE;
const BAR = 0.7;
const { values: flags } = parseArgs({ options: { gigabyte: { type: 'boolean', default: false }, rounds: { type: 'string', default: '15' }, only: { type: 'string', default: '' } } });
const rounds = Number(flags.rounds);

// Each side pays for its own garbage.
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
  collectGarbage();
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

/** Both over the same runs, so many times that a measurement takes a while. */
function measure(runs, parse) {
  const passes = Math.max(1, Math.round(ROW_BYTES / runs.reduce((sum, run) => sum + run.bytes, 0)));
  const baseline = () => { for (let pass = 0; pass < passes; pass += 1) for (const { jsonl } of runs) jsonl.forEach(parseLines); };
  const ours = () => { for (let pass = 0; pass < passes; pass += 1) for (const { witnesses } of runs) parse(witnesses, { exitCode: 0 }, { prompt: 'known' }); };
  const times = { baseline: [], ours: [] };
  for (let round = -1; round < rounds; round += 1) {
    const pair = { baseline: timed(baseline), ours: timed(ours) };
    // The first round compiles.
    if (round >= 0) for (const side of ['baseline', 'ours']) times[side].push(pair[side]);
  }
  const megabytes = passes * runs.reduce((sum, run) => sum + run.bytes, 0) / MEGABYTE;
  return { baseline: megabytes / median(times.baseline) * 1000, ours: megabytes / median(times.ours) * 1000 };
}

/** A run as its parser takes it, and the JSON lines of it as the baseline takes them. */
function readable({ name, stdout, files }, kind, parse) {
  const witnesses = [...(stdout.length > 0 ? [{ kind: 'stdout', bytes: stdout }] : []), ...files.map((file) => ({ kind, ...file }))];
  const jsonl = [...(stdout.length > 0 ? [stdout] : []), ...files.filter(({ path }) => path.endsWith('.jsonl')).map(({ bytes }) => bytes)];
  const parsed = parse(witnesses, { exitCode: 0 }, { prompt: 'known' });
  if (parsed.unrecognisedCount > 0 || (stdout.length > 0 && parsed.ending.kind !== 'completed')) throw new Error(`"${name}" was not understood: ${JSON.stringify([parsed.ending, parsed.unrecognised[0]])}`);
  return { witnesses, jsonl, bytes: witnesses.reduce((sum, { bytes }) => sum + bytes.length, 0), events: parsed.turn.events.length };
}

const claude = recordedRuns('claude-code');
const codex = recordedRuns('codex');
const exec = codex.filter(({ name }) => !name.startsWith('app-'));
const app = codex.filter(({ name }) => name.startsWith('app-'));
const ROWS = [
  ['Claude Code stdout', claude, 'stdout', 'session', parseClaudeCode],
  ['Claude Code stdout + session', claude, 'both', 'session', parseClaudeCode],
  ['Claude Code session', claude, 'files', 'session', parseClaudeCode],
  ['Codex exec', exec, 'stdout', 'rollout', parseCodexExec],
  ['Codex exec + rollout', exec, 'both', 'rollout', parseCodexExec],
  ['Codex rollout', exec, 'files', 'rollout', parseCodexExec],
  ['Codex app-server', app, 'stdout', 'rollout', parseCodexAppServer],
];
const NOTHING = Buffer.alloc(0);
const narrowed = (run, records) => ({ ...run, ...(records === 'files' ? { stdout: NOTHING } : {}), ...(records === 'stdout' ? { files: [] } : {}) });
const show = (label, { baseline, ours }) => console.log(`  ${label.padEnd(48)} ${baseline.toFixed(0).padStart(5)} ${ours.toFixed(0).padStart(9)} ${(ours / baseline).toFixed(2).padStart(7)}${ours / baseline < BAR ? '  below the bar' : ''}`);

console.log(`parse to events beside JSON.parse of the same lines, medians of ${rounds}, in MB a second (bar: ratio ${BAR}):`);
console.log(`  ${''.padEnd(48)}  JSON  niceeval   ratio`);
for (const [label, runs, records, kind, parse] of ROWS) {
  if (!label.includes(flags.only)) continue;
  const short = runs.map((run) => readable(narrowed(run, records), kind, parse)).filter(({ bytes }) => bytes > 0);
  show(`${label}, ${short.length} recorded runs`, measure(short, parse));
  const long = readable(narrowed(longRun(records === 'stdout' ? runs.map((run) => narrowed(run, records)) : runs, ROW_BYTES), records), kind, parse);
  show(`${label}, one run of ${(long.bytes / MEGABYTE).toFixed(0)} MB`, measure([long], parse));
}
