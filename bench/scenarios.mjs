// What a file of 10,000 scenarios costs to read, as a ratio to JSON.parse of the same lines in the same run; and how the memory of a run
// grows with its scenarios, carried out on this machine by the agent that needs no model.
import { spawn } from 'node:child_process';
import { mkdtemp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readScenarios } from '../dist/scenario/index.js';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const LINES = 10_000;
const RUN = 1_500;
const ROUNDS = 5;

const folder = await mkdtemp(join(tmpdir(), 'niceeval-bench-scenarios-'));
try {
  const file = join(folder, 's.jsonl');
  const scenario = (index) => JSON.stringify({
    id: `scenario-${index}`, prompt: `Say hello, for the ${index}th time, from the configured fake model.`, profile: 'fake', tags: ['smoke', 'bench'], approval_policy: 'on_request', sandbox_policy: { kind: 'full_access' },
    expected: { assistant_contains: ['Kairox'], assistant_matches_regex: ['(?i)^HELLO'], event_types: ['UserMessageAdded', 'AssistantMessageCompleted'], max_tool_failures: 0 },
  });
  const text = Array.from({ length: LINES }, (_none, index) => `${scenario(index)}\n`).join('');
  await writeFile(file, text);
  const times = { parse: [], read: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    let begun = performance.now();
    for (const line of (await readFile(file, 'utf8')).split('\n')) if (line !== '') JSON.parse(line);
    times.parse.push(performance.now() - begun);
    begun = performance.now();
    if ((await readScenarios(file)).length !== LINES) throw new Error('not all were read');
    times.read.push(performance.now() - begun);
  }
  const [parse, read] = [median(times.parse), median(times.read)];
  console.log(`read ${LINES} scenarios: ${read.toFixed(0)} ms (the first time ${times.read[0].toFixed(0)} ms), ${(read / parse).toFixed(1)} x JSON.parse of the same lines (${parse.toFixed(0)} ms)`);

  await writeFile(file, text.split('\n').slice(0, RUN).join('\n'));
  await mkdir(join(folder, 'ws'));
  const child = spawn('node', [CLI, 'scenarios', 'run', '--scenarios', file, '--output', 'r.jsonl', '--summary', 's.json', '--workspace', 'ws', '--sandbox', 'local', '--include-trace', '--concurrency', '4'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const samples = [];
  const begun = performance.now();
  let told = 0;
  let rest = '';
  for await (const chunk of child.stderr) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!/^niceeval: \[\d+\//.test(line)) continue;
      told += 1;
      if (told % (RUN / 10) === 0) samples.push(Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => ''))?.[1] ?? 0) / 1024);
    }
  }
  if (told !== RUN) throw new Error(`only ${told} of ${RUN} scenarios have a line`);
  const seen = samples.filter((sample) => sample > 0);
  console.log(`run ${RUN} scenarios: ${((performance.now() - begun) / 1000).toFixed(1)} s; memory by tenths in MB: ${samples.map((sample) => sample.toFixed(0)).join(' ')}; last to third ${(seen.at(-1) / seen[2]).toFixed(2)} x`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
