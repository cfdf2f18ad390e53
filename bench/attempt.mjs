// What the harness itself costs: Attempts whose agent does nothing, beside the same container calls made by hand in
// the same run, alternating. Prints a ratio to each baseline; asserts nothing.
//
//   npm run bench            10 rounds
//   npm run bench -- 30      30 rounds
import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { execa } from 'execa';
import { defineSandboxAgent } from '../dist/agents/define-agent.js';
import { defineEval } from '../dist/define/eval.js';
import { defineExperiment } from '../dist/define/experiment.js';
import { completeEvidenceCoverage } from '../dist/evidence/coverage.js';
import { openRunRecord } from '../dist/record/run-record.js';
import { run } from '../dist/run/run.js';
import { openDockerProvider } from '../dist/sandbox/docker/provider.js';
import { docker as dockerSpec } from '../dist/sandbox/docker/spec.js';

// Every call to the engine's interface is one request.
let calls = 0;
const request = http.request;
http.request = (...given) => {
  calls += 1;
  return request(...given);
};

const rounds = Number(process.argv[2] ?? 10);
const engine = new Docker();
const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function timed(work) {
  const [cpu, asked] = [cpuMs(), calls];
  const begun = performance.now();
  await work();
  return { ms: performance.now() - begun, cpu: cpuMs() - cpu, calls: calls - asked };
}

/** The four calls with the docker command, as a person would type them. */
async function byCommand(image) {
  const name = `niceeval-bench-${randomBytes(4).toString('hex')}`;
  await execa('docker', ['create', '--name', name, image, 'sleep', '60']);
  await execa('docker', ['start', name]);
  await execa('docker', ['exec', name, 'true']);
  await execa('docker', ['rm', '-f', name]);
}

/** The four calls straight to the engine's interface, without a process each. */
async function byInterface(image) {
  const container = await engine.createContainer({ Image: image, Cmd: ['sleep', '60'] });
  await container.start();
  const exec = await container.exec({ Cmd: ['true'], AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({ hijack: true, stdin: true });
  await new Promise((resolve) => { stream.resume().on('end', resolve).on('close', resolve); stream.end(); });
  await exec.inspect();
  await container.remove({ force: true });
}

const evalDefinition = defineEval({ test: async (t) => { await t.send('do nothing'); } });
const experiment = defineExperiment({
  agent: defineSandboxAgent({
    name: 'idle',
    evidenceCoverage: completeEvidenceCoverage,
    send: async (_input, ctx) => {
      await ctx.sandbox.runCommand('true');
      return { status: 'completed', events: [] };
    },
  }),
});
const attempt = (index) => ({
  id: `idle.${index}`, evalId: 'idle', experimentId: 'idle', experimentFile: '/idle.ts', index, evalFile: import.meta.filename, evalDefinition, experiment, sandbox: dockerSpec(),
});

const folder = await mkdtemp(join(tmpdir(), 'niceeval-bench-'));
const provider = await openDockerProvider({ runId: `bench-${randomBytes(3).toString('hex')}` });
try {
  const { reference } = await provider.prepareImage(dockerSpec());
  let runs = 0;
  const carryOut = async (attempts, concurrency) => {
    runs += 1;
    const result = await run({ attempts, warnings: [] }, {
      runId: `bench${runs}`, concurrency, provider, sink: await openRunRecord(join(folder, `run${runs}`)), signal: new AbortController().signal, onEvent: () => undefined,
    });
    if (result.counts.passed !== attempts.length) throw new Error(JSON.stringify(result.attempts.find((found) => found.verdict !== 'passed')));
  };
  await carryOut([attempt(0)], 1); // Warm: image looked at, its state known.

  const times = { ours: [], command: [], interface: [] };
  for (let round = 1; round <= rounds; round += 1) {
    times.command.push(await timed(() => byCommand(reference)));
    times.ours.push(await timed(() => carryOut([attempt(round)], 1)));
    times.interface.push(await timed(() => byInterface(reference)));
  }
  const of = (kind, field) => median(times[kind].map((time) => time[field]));
  console.log(`one Attempt whose agent does nothing, median of ${rounds}:`);
  console.log(`  niceeval             ${of('ours', 'ms').toFixed(0)} ms, ${of('ours', 'cpu').toFixed(0)} ms CPU of its own`);
  console.log(`  docker command x 4   ${of('command', 'ms').toFixed(0)} ms   ratio ${(of('ours', 'ms') / of('command', 'ms')).toFixed(2)} (bar 1.3)`);
  console.log(`  engine calls x 4     ${of('interface', 'ms').toFixed(0)} ms, ${of('interface', 'cpu').toFixed(0)} ms CPU   ratio ${(of('ours', 'ms') / of('interface', 'ms')).toFixed(2)}`);

  console.log(`  calls to the engine: ${of('ours', 'calls')}, by hand ${of('interface', 'calls')}   ${of('ours', 'calls') - of('interface', 'calls')} more (bar 6)`);

  const many = 5 * rounds;
  const bare = await timed(() => inParallel(many, 4, () => byInterface(reference)));
  const ours = await timed(() => carryOut(Array.from({ length: many }, (_item, index) => attempt(index + 1000)), 4));
  console.log(`${many} such Attempts, 4 at a time:`);
  console.log(`  niceeval             ${(many / ours.ms * 1000).toFixed(2)} a second   ratio ${(bare.ms / ours.ms).toFixed(2)} (bar 0.8)`);
  console.log(`  engine calls x 4     ${(many / bare.ms * 1000).toFixed(2)} a second`);
} finally {
  await provider[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}

async function inParallel(count, width, work) {
  let left = count;
  await Promise.all(Array.from({ length: width }, async () => { while (left-- > 0) await work(); }));
}
