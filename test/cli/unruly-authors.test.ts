import { describe, expect, it } from 'vitest';
import { sendEval, shellAgent } from '../support/agents.js';
import { leftovers, openProject } from '../support/project.js';

const evalOf = (body: string): string => `
import { defineEval } from 'niceeval';
import { equals } from 'niceeval/expect';
export default defineEval({ async test(t) { ${body} } });`;

const agentOf = (send: string): string => `
import { defineExperiment } from 'niceeval';
import { completeEvidenceCoverage, defineSandboxAgent } from 'niceeval/adapter';
export default defineExperiment({ agent: defineSandboxAgent({ name: 'unruly', evidenceCoverage: completeEvidenceCoverage, send: async (input, ctx) => { ${send} } }) });`;

interface Told { readonly type: string; readonly evalId: string; readonly experimentId: string; readonly verdict: string; readonly reasons: readonly string[]; readonly error?: { readonly code: string }; readonly timings: { readonly totalMs: number } }
const finishedOf = (stdout: string): readonly Told[] => stdout.split('\n').map((line) => JSON.parse(line) as Told).filter((line) => line.type === 'attempt.finished');

describe('an eval or an agent that does not behave', () => {
  it('cannot outlive the time of its Attempt by much, nor hang or end the run', async () => {
    await using project = await openProject({
      'evals/retry.eval.ts': evalOf("for (;;) { try { if ((await t.send('go')).message === 'never') break; } catch { /* again */ } }"),
      'evals/forever.eval.ts': evalOf('await new Promise(() => undefined);'),
      'evals/send.eval.ts': sendEval(),
      'experiments/deaf.ts': agentOf("await ctx.sandbox.runShell('sleep 1000'); return { status: 'completed', events: [] };"),
    });
    const { exitCode, stdout } = await project.niceeval(['run', '--json', '--timeout', '3000', '--concurrency', '3']);
    expect(exitCode).toBe(1);
    for (const told of finishedOf(stdout)) {
      expect({ id: told.evalId, verdict: told.verdict, code: told.error?.code }).toEqual({ id: told.evalId, verdict: 'errored', code: 'deadline-exceeded' });
      expect(told.timings.totalMs).toBeLessThan(30_000);
    }
    expect(finishedOf(stdout)).toHaveLength(3);
    expect(await leftovers()).toEqual([]);
  });

  it('is errored alone when what it returns, throws or leaves behind cannot be taken', async () => {
    await using project = await openProject({
      'evals/a.eval.ts': evalOf("(await t.send('go')).succeeded();"),
      'evals/timer.eval.ts': evalOf("setTimeout(() => { throw new Error('stray'); }, 50); await t.send('go');"),
      'evals/throws.eval.ts': evalOf("throw new Error('on purpose');"),
      'evals/late.eval.ts': evalOf("setTimeout(() => t.check(1, equals(2)), 1); await 0;"),
      'experiments/good.ts': shellAgent('sleep 0.3', "evals: ['a', 'timer', 'throws', 'late'],"),
      'experiments/cycle.ts': agentOf("const data: any = {}; data.self = data; return { status: 'completed', events: [], data } as never;").replace('agent: defineSandboxAgent', "evals: ['a'], agent: defineSandboxAgent"),
      'experiments/throws.ts': agentOf("throw new Error('exploded');").replace('agent: defineSandboxAgent', "evals: ['a'], agent: defineSandboxAgent"),
    });
    const { exitCode, stdout } = await project.niceeval(['run', '--json', '--concurrency', '1']);
    expect(exitCode).toBe(1);
    const told = Object.fromEntries(finishedOf(stdout).map((line) => [`${line.evalId} by ${line.experimentId}`, [line.verdict, line.error?.code, line.reasons[0]]]));
    expect(told).toEqual({
      'a by good': ['passed', undefined, undefined],
      'a by cycle': ['errored', 'agent-turn', expect.stringContaining('The agent "unruly" answered with something that is no turn: it is not JSON')],
      'a by throws': ['errored', 'agent-threw', 'the agent "unruly" threw: exploded'],
      'timer by good': ['errored', 'stray-exception', 'Something was thrown in a timer or a callback, where the test could not see it: stray'],
      'throws by good': ['errored', 'test-threw', 'on purpose (throws.eval.ts:4)'],
      'late by good': ['errored', 'stray-exception', expect.stringContaining('was claimed too late: the test has ended')],
    });
    expect(await leftovers()).toEqual([]);
  });

  it('keeps standard output for the JSON lines, whatever it prints', async () => {
    await using project = await openProject({ 'evals/a.eval.ts': `console.log('while loading');\n${evalOf("console.log('while testing'); await t.send('go');")}`, 'experiments/x.ts': shellAgent('true') });
    const { exitCode, stdout, stderr } = await project.niceeval(['run', '--json']);
    expect({ exitCode, types: stdout.split('\n').map((line) => (JSON.parse(line) as Told).type) }).toEqual({
      exitCode: 0, types: ['run.started', 'attempt.started', 'attempt.finished', 'run.finished', 'receipt'],
    });
    expect(stderr).toBe('while loading\nwhile testing');
  });

  it('says what to do when the record cannot be written or the folder is not there, and starts nothing', async () => {
    await using project = await openProject({ 'evals/a.eval.ts': sendEval(), 'experiments/x.ts': shellAgent('true'), '.niceeval': 'a file' });
    const blocked = await project.niceeval(['run']);
    expect({ exitCode: blocked.exitCode, stdout: blocked.stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(blocked.stderr).toMatch(/^niceeval: The record cannot be written to .*Make the project's folder writable\.$/);
    const missing = await project.niceeval(['run', '--dir', 'nowhere']);
    expect({ exitCode: missing.exitCode, stderr: missing.stderr }).toEqual({ exitCode: 2, stderr: `niceeval: ${project.root}/nowhere is not a folder. Name the project's folder with --dir.` });
    expect(await leftovers()).toEqual([]);
  });
});
