// The memory of the harness with 20 Attempts under way, each of which writes and prints. Asserts nothing.
//
//   node bench/memory.mjs
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineSandboxAgent } from '../dist/agents/define-agent.js';
import { defineEval } from '../dist/define/eval.js';
import { defineExperiment } from '../dist/define/experiment.js';
import { completeEvidenceCoverage } from '../dist/evidence/coverage.js';
import { openRunRecord } from '../dist/record/run-record.js';
import { run } from '../dist/run/run.js';
import { openDockerProvider } from '../dist/sandbox/docker/provider.js';
import { docker } from '../dist/sandbox/docker/spec.js';

const folder = await mkdtemp(join(tmpdir(), 'niceeval-bench-'));
const provider = await openDockerProvider({ runId: `bench-${randomBytes(3).toString('hex')}` });
try {
  const spec = docker();
  await provider.prepareImage(spec);
  // Each writes and prints something, as a CLI would.
  const agent = defineSandboxAgent({
    name: 'busy', evidenceCoverage: completeEvidenceCoverage,
    send: async (_input, ctx) => {
      const { stdout } = await ctx.sandbox.runShellOrThrow('head -c 600k /dev/zero | tr "\\0" x; head -c 500k /dev/urandom > data.bin; ls -l data.bin; sleep 2');
      return { status: 'completed', events: [{ type: 'message', role: 'assistant', text: stdout.slice(-100_000) }] };
    },
  });
  const evalDefinition = defineEval({ test: async (t) => { (await t.send('work')).succeeded(); t.sandbox.changedPaths(['data.bin']); } });
  const attempts = Array.from({ length: 40 }, (_item, index) => ({
    id: `busy.${index}`, evalId: 'busy', experimentId: 'busy', experimentFile: '/busy.ts', index: index + 1, evalFile: import.meta.filename, evalDefinition, experiment: defineExperiment({ agent }), sandbox: spec,
  }));
  globalThis.gc?.();
  const before = await residentBytes('VmRSS');
  let peak = 0;
  const untold = [];
  const watch = setInterval(() => { peak = Math.max(peak, process.memoryUsage.rss()); }, 20);
  const result = await run({ attempts, warnings: [] }, { runId: 'memory', concurrency: 20, provider, sink: await openRunRecord(join(folder, 'memory')), signal: new AbortController().signal, onEvent: (event) => { if (event.type === 'attempt.finished' && event.result.verdict !== 'passed') untold.push(JSON.stringify(event.result.turns[0]?.events.at(-1)?.text.slice(-100)) + JSON.stringify(event.result.changes) + `${event.result.id}: ${event.result.reasons.join('; ')}`); } });
  clearInterval(watch);
  for (const told of untold) console.log(`  ${told}`);
  console.log(`20 Attempts under way, 40 in all (${result.counts.passed} passed): at most ${(peak / 1e6).toFixed(0)} MB resident, ${(before / 1e6).toFixed(0)} MB before (bar 200 MB)`);
} finally {
  await provider[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}

async function residentBytes(field) {
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(await readFile('/proc/self/status', 'utf8'))?.[1]) * 1024;
}
