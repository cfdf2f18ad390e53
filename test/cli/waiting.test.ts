import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptFileSchema, changesFileSchema } from '../../src/record/schema.js';
import { leftovers, openProject, type TestProject } from '../support/project.js';

/** An agent that leaves a process at work while it waits, and asks it to end when it is answered. */
const AGENT = `
import { defineExperiment } from 'niceeval';
import { completeEvidenceCoverage, createSessionSlot, defineSandboxAgent } from 'niceeval/adapter';

const LIVE = createSessionSlot('the process that waits');
const say = (text) => ({ type: 'message', role: 'assistant', text });
const request = { id: 'r', action: 'go', prompt: 'Go on?', options: [{ id: 'approve' }, { id: 'deny' }] };

export default defineExperiment({
  timeoutMs: 60_000,
  agent: defineSandboxAgent({
    name: 'waiter',
    evidenceCoverage: completeEvidenceCoverage,
    send: async (input, ctx) => {
      const own = 'w' + ctx.session.ordinal;
      if (input.responses !== undefined) {
        const work = ctx.session.take(LIVE);
        const alive = (await ctx.sandbox.runCommand('pgrep', ['-f', own + '-waits'])).exitCode === 0;
        await ctx.sandbox.runShellOrThrow('touch ' + own + '.go');
        const { exitCode } = await work;
        return { status: 'completed', events: [say((alive ? 'alive' : 'dead') + ' ' + exitCode + ' ' + input.responses[0].optionId)] };
      }
      if (input.text === 'plain') {
        await ctx.sandbox.runShellOrThrow('echo plain > plain.txt');
        return { status: 'completed', events: [say('plain')] };
      }
      const work = ctx.sandbox.exec(['bash', '-c', 'echo begun > ' + own + '.txt; : ' + own + '-waits; until [ -e ' + own + '.go ]; do sleep 0.05; sleep 0.05; done; rm ' + own + '.go; echo done >> ' + own + '.txt']);
      work.catch(() => undefined);
      ctx.session.set(LIVE, work);
      await ctx.sandbox.runShellOrThrow('until [ -s ' + own + '.txt ]; do sleep 0.05; done');
      return { status: 'waiting', events: [{ type: 'input.requested', request }] };
    },
  }),
});
`;

const EVALS = {
  // Two conversations wait at once, a third turn runs in between, and the eval has a server of its own.
  both: `
    await t.sandbox.runShellOrThrow('(sleep 300; : evals-own) > /dev/null 2>&1 &');
    await t.send('wait');
    const other = t.newSession();
    await other.send('wait');
    await t.sandbox.writeText('note.txt', 'of the eval');
    const third = t.newSession();
    (await third.send('plain')).succeeded();
    t.check((await other.respondAll('approve')).message, equals('alive 0 approve'));
    t.check((await t.respondAll('deny')).message, equals('alive 0 deny'));
    t.check((await t.sandbox.runCommand('pgrep', ['-f', 'evals-own'])).exitCode, equals(0));
    t.succeeded();
    t.sandbox.changedPaths(['plain.txt', 'w1.txt', 'w2.txt']);`,
  abandoned: `
    await t.send('wait');
    t.requireInputRequest({ prompt: 'Go on?' });`,
  'not-asked': `
    await t.send('plain');
    t.requireInputRequest();
    t.check(1, equals(2));`,
};

describe('an agent that waits for an answer, in a real sandbox', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await openProject({
      'experiments/waiter.ts': AGENT,
      ...Object.fromEntries(Object.entries(EVALS).map(([name, body]) => [`evals/${name}.eval.ts`, `import { defineEval } from 'niceeval';\nimport { equals } from 'niceeval/expect';\nexport default defineEval({ async test(t) {${body}\n} });\n`])),
    });
    const { exitCode, stderr } = await project.niceeval(['run']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  });
  afterAll(() => project[Symbol.asyncDispose]());

  it('is left alone by other turns and by the eval, and its changes are its own', async () => {
    const attempt = attemptFileSchema.parse(await project.attemptFile('attempt.json', 'both'));
    expect({ verdict: attempt.verdict, reasons: attempt.reasons }).toEqual({ verdict: 'passed', reasons: [] });
    const { changes } = changesFileSchema.parse(await project.attemptFile('changes.json', 'both'));
    if (changes.state !== 'available') throw new Error(changes.reason);
    expect(changes.windows.map(({ label, changes: files, flags }) => [label, files.map(({ path, status }) => `${path} ${status}`), flags])).toEqual([
      ['turn1', ['w1.txt added'], ['waiting']],
      ['session2/turn1', ['w2.txt added'], ['waiting']],
      ['session3/turn1', ['plain.txt added'], []],
      ['session2/turn2', ['w2.txt modified'], []],
      ['turn2', ['w1.txt modified'], []],
    ]);
  });

  it('is ended with the Attempt when nobody answers', async () => {
    const attempt = attemptFileSchema.parse(await project.attemptFile('attempt.json', 'abandoned'));
    expect([attempt.verdict, attempt.turns.map(({ status }) => status), attempt.diagnostics]).toEqual(['passed', ['waiting'], []]);
    expect(await leftovers()).toEqual([]);
  });

  it('fails by the claim when it should have asked, and the test ends there', async () => {
    const attempt = attemptFileSchema.parse(await project.attemptFile('attempt.json', 'not-asked'));
    expect([attempt.verdict, attempt.reasons]).toEqual(['failed', ['the session asked for input: expected exactly one request, received nothing was asked']]);
  });
});
