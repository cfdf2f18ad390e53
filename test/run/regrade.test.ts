import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { defineSandboxAgent } from '../../src/agents/define-agent.js';
import { AgentSendError } from '../../src/agents/errors.js';
import type { EvalInput } from '../../src/define/eval.js';
import { defineEval } from '../../src/define/eval.js';
import { defineExperiment } from '../../src/define/experiment.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import { equals } from '../../src/expect/values.js';
import type { PlannedAttempt } from '../../src/plan/plan.js';
import { readRun } from '../../src/record/read-run.js';
import { readForJudging } from '../../src/record/recorded-attempt.js';
import { openRunRecord } from '../../src/record/run-record.js';
import { createJudges } from '../../src/run/judging.js';
import { regradeRun, type Regraded, type ToRegrade } from '../../src/run/regrade-run.js';
import { docker } from '../../src/sandbox/docker/spec.js';
import { openLocalProvider } from '../../src/sandbox/local/provider.js';
import { attemptsOf, directAgent, ran } from './running.js';

const answers = (text: string) => directAgent(async () => ({ status: 'completed', events: [{ type: 'message', role: 'assistant', text }], usage: { inputTokens: 10, outputTokens: 2 } }));

/** Judges what is recorded in a folder again; nobody is asked and nothing is sent. */
async function regraded(folder: string, attempts: readonly PlannedAttempt[], name = 'again', signal = new AbortController().signal): Promise<{ readonly told: readonly Regraded[]; readonly again: Awaited<ReturnType<typeof readRun>>; readonly sandboxes: number }> {
  const told: Regraded[] = [];
  let sandboxes = 0;
  await using provider = await openLocalProvider({ runId: 'test-regrade' });
  const again = join(folder, '..', name);
  const recorded = async function* (): AsyncGenerator<ToRegrade> {
    for (const summary of (await readRun(folder)).attempts) yield { summary, recorded: await readForJudging(join(folder, 'attempts', summary.id)) };
  };
  await regradeRun({ attempts, warnings: [] }, recorded(), {
    runId: 'again', from: 'run', sandbox: 'local', sink: await openRunRecord(again), signal, concurrency: 1, judges: createJudges({ env: () => undefined, signal }),
    openSandbox: async (attempt) => {
      sandboxes += 1;
      const image = await provider.prepareImage(attempt.sandbox);
      return provider.openSandbox(attempt.sandbox, { image, network: { kind: 'host' }, attemptId: attempt.id, lifetimeMs: 60_000, signal });
    },
    onRegraded: (one) => told.push(one),
  });
  return { told, again: await readRun(again), sandboxes };
}

/** An agent that leaves files behind, in a folder of this machine. */
const writer = (script: string) => defineSandboxAgent({
  name: 'writer', evidenceCoverage: completeEvidenceCoverage,
  send: async (_input, ctx) => { await ctx.sandbox.runShellOrThrow(script); return { status: 'completed', events: [] }; },
});
const sandboxAttempts = (agent: ReturnType<typeof writer>, body: EvalInput['test']): readonly PlannedAttempt[] => [{
  id: 'a.own.1', evalId: 'a', experimentId: 'own', experimentFile: '/experiments/own.ts', index: 1, evalFile: import.meta.filename, evalDefinition: defineEval({ test: body }), experiment: defineExperiment({ agent }), sandbox: docker(),
}];

describe('judging a recorded Attempt again', () => {
  test('asks no agent, and judges by the eval of today', async () => {
    const old = attemptsOf({ agent: answers('41') }, { a: async (t) => { await t.send('6 x 7'); t.check(t.reply, equals('42')); } });
    await ran(old, {}, async ({ result, folder }) => {
      expect(result.counts.failed).toBe(1);
      const never = directAgent(async () => { throw new Error('nobody asks'); });
      const { told, again } = await regraded(folder, attemptsOf({ agent: never }, { a: async (t) => { await t.send('6 x 7'); t.check(t.reply, equals('41')); t.maxTokens(12); } }));
      expect(told).toMatchObject([{ kind: 'regraded', before: { verdict: 'failed' }, result: { verdict: 'passed', claims: [{ state: 'matched' }, { state: 'matched' }] } }]);
      expect([again.state, again.problems, again.attempts.map(({ verdict, regradedFrom }) => [verdict, regradedFrom])]).toEqual(['complete', [], [['passed', { runId: 'run', attemptId: 'a.own.1' }]]]);
    });
  });

  test.each([
    ['another text', async (t: Parameters<EvalInput['test']>[0]) => { await t.send('7 x 6'); }, 'The eval sends another text as turn1 than when the Attempt was recorded. Run it again.'],
    ['one more', async (t: Parameters<EvalInput['test']>[0]) => { await t.send('6 x 7'); await t.send('sure?'); }, 'The eval sends turn2, which was not sent when the Attempt was recorded. Run it again.'],
    ['something in another session', async (t: Parameters<EvalInput['test']>[0]) => { await t.newSession().send('6 x 7'); }, 'The eval sends session2/turn1, which was not sent when the Attempt was recorded. Run it again.'],
  ])('tells nothing where the eval sends %s', async (_what, body, message) => {
    await ran(attemptsOf({ agent: answers('42') }, { a: async (t) => { await t.send('6 x 7'); } }), {}, async ({ folder }) => {
      const { told } = await regraded(folder, attemptsOf({ agent: answers('42') }, { a: body }));
      expect(told).toMatchObject([{ result: { verdict: 'errored', error: { code: 'regrade-mismatch', message: expect.stringContaining(message) as string } } }]);
    });
  });

  test('lets a send break again that broke, for the same reason, and judges an eval again that broke by itself', async () => {
    const failing = directAgent(async () => { throw new AgentSendError('own: the model service failed: 500', { kind: 'api-error', agent: 'own', httpStatus: 500 }); });
    const send: EvalInput['test'] = async (t) => { await t.send('x'); };
    const attempts = [...attemptsOf({ id: 'failing', agent: failing, retries: 0 }, { a: send }), ...attemptsOf({ id: 'slip', agent: answers('1') }, { a: async (t) => { await t.send('x'); throw new TypeError('a slip'); } })];
    await ran(attempts, {}, async ({ folder, result }) => {
      expect(result.counts.errored).toBe(2);
      const { told } = await regraded(folder, [...attemptsOf({ id: 'failing', agent: failing }, { a: send }), ...attemptsOf({ id: 'slip', agent: answers('1') }, { a: send })]);
      expect(told).toMatchObject([
        { result: { verdict: 'errored', error: { phase: 'send', code: 'agent-send-failed', message: 'own: the model service failed: 500', send: { httpStatus: 500 } }, failure: { kind: 'model-service', infrastructure: true } } },
        { before: { verdict: 'errored' }, result: { verdict: 'passed' } },
      ]);
    });
  });

  test('leaves an Attempt as it was that has nothing to judge, cannot be read, or is planned no more', async () => {
    const send: EvalInput['test'] = async (t) => { await t.send('x'); };
    const attempts = [...attemptsOf({ id: 'unbegun', agent: answers('1'), setup: () => { throw new Error('no'); } }, { a: send }), ...attemptsOf({ id: 'gone', agent: answers('1') }, { a: send })];
    await ran(attempts, {}, async ({ folder }) => {
      const { told, again } = await regraded(folder, attemptsOf({ id: 'unbegun', agent: answers('1') }, { a: send }));
      expect(told.map((one) => (one.kind === 'left' ? one.reason : 'regraded'))).toEqual(['it broke in experiment.setup (experiment-setup-failed)', 'the project has no such eval and experiment any more']);
      expect(again.attempts).toEqual([]);
    });
  });

  test('judges recorded changes without any sandbox', async () => {
    const agent = writer('printf new > made.txt');
    await ran(sandboxAttempts(agent, async (t) => { await t.send('x'); t.sandbox.noChanges(); }), {}, async ({ folder, result }) => {
      expect(result.counts.failed).toBe(1);
      const { told, sandboxes } = await regraded(folder, sandboxAttempts(agent, async (t) => { await t.send('x'); t.sandbox.changedPaths(['made.txt']); t.sandbox.fileChanged('made.txt', { after: equals('new') }); }));
      expect([sandboxes, told]).toMatchObject([0, [{ result: { verdict: 'passed' } }]]);
    });
  });

  test('does what a test does in the sandbox in a fresh one, with the changes of each send in it at its time', async () => {
    let sends = 0;
    const agent = writer('if [ -e seed.txt ] && [ ! -e two.txt ]; then if [ -e one.txt ]; then rm one.txt seed.txt; mkdir -p deep; ln -s ../two.txt deep/link; printf second > two.txt; chmod 700 two.txt; else printf first > one.txt; fi; fi');
    const body: EvalInput['test'] = async (t) => {
      await t.sandbox.writeText('seed.txt', 'seed');
      await t.send('one');
      t.check(await t.sandbox.readText('one.txt'), equals('first'));
      await t.send('two');
      t.check(await t.sandbox.pathExists('seed.txt'), equals(false));
      t.check((await t.sandbox.runShell('cat deep/link; stat -c %a two.txt')).stdout, equals('second700\n'));
      sends += 1;
    };
    await ran(sandboxAttempts(agent, body), {}, async ({ folder, result }) => {
      expect(result.attempts).toMatchObject([{ verdict: 'passed' }]);
      const { told, sandboxes } = await regraded(folder, sandboxAttempts(writer('exit 1'), body));
      const twice = await regraded(join(folder, '..', 'again'), sandboxAttempts(writer('exit 1'), body), 'twice');
      expect(twice.told).toMatchObject([{ kind: 'regraded', result: { verdict: 'passed', patch: { text: expect.stringContaining('two.txt') as string } } }]);
      sends -= 1;
      expect([sends, sandboxes, told]).toMatchObject([2, 1, [{ result: { verdict: 'passed', claims: [{ state: 'matched' }, { state: 'matched' }, { state: 'matched' }] } }]]);
    });
  });

  test('does not work in half of a workspace', async () => {
    const agent = writer('mkdir -p node_modules/x; printf 1 > node_modules/x/index.js; printf 1 > own.js');
    await ran(sandboxAttempts(agent, async (t) => { await t.send('x'); }), {}, async ({ folder }) => {
      const { told } = await regraded(folder, sandboxAttempts(agent, async (t) => { await t.send('x'); await t.sandbox.runShell('ls'); }));
      expect(told).toMatchObject([{ result: { verdict: 'errored', error: { code: 'regrade-restore', message: 'The sandbox cannot be had again: turn1: what changed in node_modules was counted and not recorded.' }, failure: { kind: 'harness' } } }]);
    });
  });

  test('lets a test catch a send that breaks again, as it did', async () => {
    let asked = 0;
    const flaky = directAgent(async () => { asked += 1; if (asked === 1) throw new AgentSendError('own: no end', { kind: 'no-end', agent: 'own' }); return { status: 'completed', events: [] }; });
    const body: EvalInput['test'] = async (t) => { await t.send('one').catch(() => undefined); await t.send('two'); };
    await ran(attemptsOf({ agent: flaky }, { a: body }), {}, async ({ folder, result }) => {
      expect(result.counts.passed).toBe(1);
      expect((await regraded(folder, attemptsOf({ agent: flaky }, { a: body }))).told).toMatchObject([{ before: { verdict: 'passed' }, result: { verdict: 'passed' } }]);
    });
  });

  test('ends a test that does not end by itself', async () => {
    const attempts = attemptsOf({ agent: answers('1') }, { a: async (t) => { await t.send('x'); } });
    await ran(attempts, {}, async ({ folder }) => {
      const stuck = attemptsOf({ agent: answers('1') }, { a: async (t) => { await t.send('x'); await new Promise(() => undefined); } }).map((attempt) => ({ ...attempt, timeout: { limitMs: 50, source: 'eval' as const } }));
      expect((await regraded(folder, stuck)).told).toMatchObject([{ result: { verdict: 'errored', error: { code: 'deadline-exceeded', timeout: { limitMs: 50, source: 'eval' } }, failure: { kind: 'timeout' } } }]);
    });
  });

  test('has in its sandbox what the set-up of an agent puts there', async () => {
    const agent = defineSandboxAgent({
      name: 'writer', evidenceCoverage: completeEvidenceCoverage, setup: async (ctx) => { await ctx.sandbox.writeText('from-setup.txt', 'ready'); },
      send: async () => ({ status: 'completed', events: [] }),
    });
    const body: EvalInput['test'] = async (t) => { await t.send('x'); t.check(await t.sandbox.readText('from-setup.txt'), equals('ready')); };
    await ran(sandboxAttempts(agent, body), {}, async ({ folder, result }) => {
      expect(result.counts.passed).toBe(1);
      expect((await regraded(folder, sandboxAttempts(agent, body))).told).toMatchObject([{ result: { verdict: 'passed' } }]);
    });
  });

  test.each([
    ['touch gone/deep/kept', { verdict: 'passed' }],
    ['true', { verdict: 'errored', error: { code: 'regrade-restore', message: 'The sandbox cannot be had again: turn2: whether the folder ./gone/deep was still there was not recorded.' } }],
  ])('works on where folders keep something (%s), and where it cannot know whether they went too, it does not', async (more, outcome) => {
    let turn = 0;
    const agent = defineSandboxAgent({
      name: 'writer', evidenceCoverage: completeEvidenceCoverage,
      send: async (_input, ctx) => {
        turn += 1;
        await ctx.sandbox.runShellOrThrow(turn === 1 ? `mkdir -p gone/deep; touch gone/deep/a; ${more}` : 'rm gone/deep/a');
        return { status: 'completed', events: [] };
      },
    });
    const body: EvalInput['test'] = async (t) => { await t.send('x'); await t.sandbox.runShell('true'); await t.send('y'); t.check((await t.sandbox.runShell('ls gone')).stdout, equals('deep\n')); };
    await ran(sandboxAttempts(agent, body), {}, async ({ folder, result }) => {
      expect(result.counts.passed).toBe(1);
      expect((await regraded(folder, sandboxAttempts(agent, body))).told).toMatchObject([{ result: outcome }]);
    });
  });

  test('takes contents for lost that are not what their name says, for instance since a secret was replaced in them', async () => {
    const agent = defineSandboxAgent({
      name: 'writer', evidenceCoverage: completeEvidenceCoverage, sensitiveValues: ['hush-hush'],
      send: async (_input, ctx) => { await ctx.sandbox.writeText('made.txt', 'key hush-hush'); return { status: 'completed', events: [] }; },
    });
    const body: EvalInput['test'] = async (t) => { await t.send('x'); t.sandbox.fileChanged('made.txt', { after: equals('key hush-hush') }); };
    await ran(sandboxAttempts(agent, body), {}, async ({ folder, result }) => {
      expect(result.counts.passed).toBe(1);
      expect((await regraded(folder, sandboxAttempts(agent, body))).told).toMatchObject([{ result: { verdict: 'errored', failure: { kind: 'evidence' }, claims: [{ state: 'unavailable' }] } }]);
    });
  });

  test('judges nothing that it was interrupted at', async () => {
    const attempts = attemptsOf({ agent: answers('1') }, { a: async (t) => { await t.send('x'); } });
    await ran(attempts, {}, async ({ folder }) => {
      const interruption = new AbortController();
      const stuck = attemptsOf({ agent: answers('1') }, { a: async (t) => { await t.send('x'); interruption.abort(new Error('enough')); await new Promise(() => undefined); } });
      const { told, again } = await regraded(folder, stuck, 'again', interruption.signal);
      expect([told, again.attempts]).toMatchObject([[{ kind: 'left', reason: 'it was interrupted while it was judged again' }], []]);
    });
  });
});
