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
      send: ['errored', 'not-awaited', 'The test ended while a send or an operation of t.sandbox was under way. Put `await` before it.'],
      command: ['errored', 'not-awaited', 'Something failed that the test did not wait for; put `await` before it: "false" ended with exit code 1.'],
      own: ['errored', 'not-awaited', 'Something failed that the test did not wait for; put `await` before it: my own'],
      good: ['passed', undefined, undefined],
    });
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(await leftovers()).toEqual([]);
  });
});
