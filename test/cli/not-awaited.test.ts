import { describe, expect, it } from 'vitest';
import { shellAgent } from '../support/agents.js';
import { leftovers, openProject } from '../support/project.js';

const evalOf = (body: string): string => `
import { defineEval } from 'niceeval';
import { equals } from 'niceeval/expect';
export default defineEval({ async test(t) { ${body} } });`;

describe('a forgotten await', () => {
  it('makes the Attempt errored and says so, and others are not touched', async () => {
    await using project = await openProject({
      'evals/send.eval.ts': evalOf("t.send('go');"),
      'evals/command.eval.ts': evalOf("t.sandbox.runCommandOrThrow('false'); await t.sandbox.runCommand('true'); await t.sandbox.runCommand('true');"),
      'evals/own.eval.ts': evalOf("Promise.reject(new Error('my own')); await t.sandbox.runCommand('true');"),
      'evals/good.eval.ts': evalOf("(await t.send('go')).succeeded();"),
      'experiments/x.ts': shellAgent('sleep 1'),
    });
    const { exitCode, stdout, stderr } = await project.niceeval(['run', '--json', '--concurrency', '1']);
    const finished = stdout.split('\n').map((line) => JSON.parse(line) as { type: string; evalId: string; verdict: string; error?: { code: string; message: string } })
      .filter((line) => line.type === 'attempt.finished');
    expect(Object.fromEntries(finished.map(({ evalId, verdict, error }) => [evalId, [verdict, error?.code, error?.message]]))).toEqual({
      send: ['errored', 'not-awaited', 'The test ended while a send, a group or an operation of t.sandbox was under way. Put `await` before it.'],
      command: ['errored', 'not-awaited', 'Something failed that the test did not wait for; put `await` before it: "false" ended with exit code 1.'],
      own: ['errored', 'not-awaited', 'Something failed that the test did not wait for; put `await` before it: my own'],
      good: ['passed', undefined, undefined],
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(await leftovers()).toEqual([]);
  });

  it('is told also where nothing takes any time: of a claim, of a group, of a group with claims to come', async () => {
    await using project = await openProject({
      'evals/stop.eval.ts': evalOf("t.check(1, equals(2)).orStop();"),
      'evals/group.eval.ts': evalOf("t.group('a', () => { throw new Error('in it'); });"),
      'evals/late.eval.ts': evalOf("t.group('a', async () => { await new Promise((resolve) => setTimeout(resolve, 50)); t.check(1, equals(2)); });"),
      'evals/good.eval.ts': evalOf("await t.group('a', async () => { await new Promise((resolve) => setTimeout(resolve, 50)); t.check(1, equals(1)); });"),
      'experiments/x.ts': `import { defineExperiment } from 'niceeval';
import { completeEvidenceCoverage, defineAgent } from 'niceeval/adapter';
export default defineExperiment({ agent: defineAgent({ name: 'quick', evidenceCoverage: completeEvidenceCoverage, send: async () => ({ status: 'completed', events: [] }) }) });`,
    });
    await project.niceeval(['run', '--concurrency', '1']);
    const outcomes = await Promise.all(['stop', 'group', 'late', 'good'].map(async (name) => {
      const { verdict, error } = await project.attemptFile('attempt.json', name) as { verdict: string; error?: { code: string; message: string } };
      return [name, verdict, error?.code, error?.message];
    }));
    expect(outcomes).toEqual([
      ['stop', 'errored', 'not-awaited', 'Something failed that the test did not wait for; put `await` before it: Stopped: "the value equals 2" does not hold.'],
      ['group', 'errored', 'not-awaited', 'Something failed that the test did not wait for; put `await` before it: in it'],
      ['late', 'errored', 'not-awaited', 'The test ended while a send, a group or an operation of t.sandbox was under way. Put `await` before it.'],
      ['good', 'passed', undefined, undefined],
    ]);
  });
});
