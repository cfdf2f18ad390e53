// What the runner itself costs: 1,000 Attempts of an agent in this process that does nothing, beside the bare writing of the same
// files; and what it remembers of Attempts that have ended. Prints ratios; asserts nothing.
//
//   npm run bench:run
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { defineAgent } from '../dist/agents/define-agent.js';
import { defineEval } from '../dist/define/eval.js';
import { defineExperiment } from '../dist/define/experiment.js';
import { completeEvidenceCoverage } from '../dist/evidence/coverage.js';
import { openRunRecord } from '../dist/record/run-record.js';
import { run } from '../dist/run/run.js';
import { docker } from '../dist/sandbox/docker/spec.js';
import { openLocalProvider } from '../dist/sandbox/local/provider.js';

const ATTEMPTS = 1_000;
const ROUNDS = 5;
const CONCURRENCY = 4;
let done = 0;
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

const agent = defineAgent({ name: 'idle', evidenceCoverage: completeEvidenceCoverage, send: async () => ({ status: 'completed', events: [{ type: 'message', role: 'assistant', text: 'nothing to do' }], usage: { inputTokens: 10, outputTokens: 2 } }) });
const experiment = defineExperiment({ agent });
const evalDefinition = defineEval({ test: async (t) => { (await t.send('do nothing')).succeeded(); } });
const attemptsOf = (count) => Array.from({ length: count }, (_item, index) => ({
  id: `idle.${index}`, evalId: 'idle', experimentId: 'idle', experimentFile: '/idle.ts', index: index + 1, evalFile: import.meta.filename, evalDefinition, experiment, sandbox: docker(),
}));

const base = await mkdtemp(join(tmpdir(), 'niceeval-bench-'));
const provider = await openLocalProvider({ runId: 'bench' });
try {
  const carryOut = async (count, folder, onEvent = () => undefined) => {
    const result = await run({ attempts: attemptsOf(count), warnings: [] }, { runId: 'bench', concurrency: CONCURRENCY, provider, sink: await openRunRecord(folder), signal: new AbortController().signal, onEvent });
    if (result.counts.passed !== count) throw new Error(`${result.counts.passed} of ${count} passed`);
  };
  const times = { ours: [], bare: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = join(base, `run${round}`);
    times.ours.push(await timed(() => carryOut(ATTEMPTS, folder)));
    const files = await filesIn(folder);
    times.bare.push(await timed(() => bareCopies(files, folder, join(base, `bare${round}`))));
  }
  const [ours, bare] = [median(times.ours), median(times.bare)];
  console.log(`${ATTEMPTS} Attempts of an agent in this process that does nothing, ${CONCURRENCY} at a time, median of ${ROUNDS}: niceeval ${ours.toFixed(0)} ms`);
  console.log(`  the same files written bare ${bare.toFixed(0)} ms   ratio ${(ours / bare).toFixed(2)} (bar 3)`);

  const heap = [];
  await carryOut(8_000, join(base, 'long'), (event) => {
    if (event.type !== 'attempt.finished' || ++done % 2_000 !== 0) return;
    globalThis.gc?.();
    heap.push(process.memoryUsage().heapUsed / 1e6);
  });
  console.log(`memory in use after 2,000, 4,000, 6,000 and 8,000 Attempts: ${heap.map((mb) => mb.toFixed(1)).join(', ')} MB`);
} finally {
  await provider[Symbol.asyncDispose]();
  await rm(base, { recursive: true, force: true });
}

async function timed(work) {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

async function filesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(entries.filter((entry) => entry.isFile()).map(async (entry) => ({ path: join(entry.parentPath, entry.name), bytes: await readFile(join(entry.parentPath, entry.name)) })));
}

/** As many at a time, a folder for each Attempt. */
async function bareCopies(files, from, to) {
  const left = [...files];
  await Promise.all(Array.from({ length: CONCURRENCY }, async () => {
    for (let file = left.pop(); file !== undefined; file = left.pop()) {
      const path = file.path.replace(from, to);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, file.bytes);
    }
  }));
}
