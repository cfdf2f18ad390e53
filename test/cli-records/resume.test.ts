import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { listRuns, readRun } from '../../src/record/read-run.js';
import { CLI, openProject } from '../support/project.js';

const KILLS = 20;
const EACH = 60;

beforeAll(() => {
  if (!existsSync(CLI)) spawnSync('npm', ['run', 'build'], { cwd: fileURLToPath(new URL('../../', import.meta.url)) });
}, 120_000);

/** Answers some Attempts of each eval wrongly. */
const AGENT = `
import { defineExperiment } from 'niceeval';
import { completeEvidenceCoverage, defineAgent } from 'niceeval/adapter';
export default defineExperiment({
  attempts: ${EACH},
  agent: defineAgent({ name: 'noting', evidenceCoverage: completeEvidenceCoverage, send: async (_input, ctx) => {
    await new Promise((resolve) => { setTimeout(resolve, 40); });
    return { status: 'completed', events: [{ type: 'message', role: 'assistant', text: ctx.attempt.index % 7 === 3 ? 'wrong' : 'right' }] };
  } }),
});
`;
const EVAL = `
import { defineEval } from 'niceeval';
import { equals } from 'niceeval/expect';
export default defineEval({ test: async (t) => { await t.send('answer'); t.check(t.reply, equals('right')); } });
`;

/** Where a run is killed: so long after its start, or after it said that it had started. */
interface Kill { readonly after: 'start' | 'first line'; readonly ms: number }

/** Runs until it is killed or its end. What it told as finished: eval, number and verdict. */
async function go(root: string, args: readonly string[], kill: Kill | undefined): Promise<{ readonly code: number | null; readonly told: readonly string[] }> {
  const child = spawn(process.execPath, [CLI, 'run', '--sandbox', 'local', '--json', '--dir', root, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const arm = (): unknown => (kill === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), kill.ms));
  if (kill?.after === 'start') arm();
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    if (text === '' && kill?.after === 'first line') arm();
    text += chunk.toString('utf8');
  });
  const code = await new Promise<number | null>((resolve) => { child.once('close', resolve); });
  const events = text.split('\n').slice(0, -1).map((line) => JSON.parse(line) as { readonly type: string; readonly evalId: string; readonly index: number; readonly verdict: string });
  return { code, told: events.filter(({ type }) => type === 'attempt.finished').map(({ evalId, index, verdict }) => `${evalId} ${index} ${verdict}`) };
}

it('a run that is killed at any point and gone on with loses no Attempt, carries none out twice that was told as finished, and tells none wrongly', async () => {
  await using project = await openProject({ 'evals/a.eval.ts': EVAL, 'evals/b.eval.ts': EVAL, 'experiments/noting.ts': AGENT });
  const { root } = project;
  const runs = join(root, '.niceeval/runs');
  let seed = 20_251_130;
  const random = (): number => { seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31; return seed / 2 ** 31; };
  const told: string[] = [];
  const resume = async (): Promise<readonly string[]> => ((await listRuns(runs)).length === 0 ? [] : ['--resume', 'latest']);
  for (let kills = 0; kills < KILLS; kills += 1) {
    const kill: Kill = kills % 5 === 4 ? { after: 'start', ms: random() * 600 } : { after: 'first line', ms: random() * 200 };
    const ran = await go(root, await resume(), kill);
    expect(ran.code, 'it was killed before its end').toBe(null);
    told.push(...ran.told);
  }
  const last = await go(root, await resume(), undefined);
  expect(last.code).toBe(1);
  told.push(...last.told);

  const newest = (await listRuns(runs)).at(-1)?.folder ?? '';
  const run = await readRun(newest);
  const right = ['a', 'b'].flatMap((evalId) => Array.from({ length: EACH }, (_item, at) => `${evalId} ${at + 1} ${(at + 1) % 7 === 3 ? 'failed' : 'passed'}`));
  expect(run.attempts.map(({ evalId, index, verdict }) => `${evalId} ${index} ${verdict}`)).toEqual(right);
  expect([run.state, run.notStarted, run.inFlight, run.problems]).toEqual(['complete', [], [], []]);
  expect(told.filter((line, at) => told.indexOf(line) !== at), 'carried out again although it was told as finished').toEqual([]);
  expect(run.attempts.filter(({ reusedFrom }) => reusedFrom !== undefined).length).toBeGreaterThan(KILLS / 2);
}, 120_000);
