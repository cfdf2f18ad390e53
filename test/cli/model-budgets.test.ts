import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attemptFileSchema } from '../../src/record/schema.js';
import { leftovers, openProject, type TestProject } from '../support/project.js';

const usage = { usage: { inputTokens: 1000, outputTokens: 100 } };
const claudeTurns = [
  { toolCalls: [{ name: 'Bash', input: { command: 'echo one > one.txt', description: 'write' } }], ...usage },
  { toolCalls: [{ name: 'Bash', input: { command: 'echo two > two.txt', description: 'write' } }], ...usage },
  { toolCalls: [{ name: 'Bash', input: { command: 'echo three > three.txt', description: 'write' } }], ...usage },
  { text: 'All three are there.', ...usage },
];
const codexTurns = claudeTurns.map(({ toolCalls, ...turn }) => (toolCalls === undefined ? turn : { ...turn, toolCalls: toolCalls.map(({ input }) => ({ name: 'exec_command', input: { cmd: input.command } })) }));
const experiment = (agent: string, script: string, budget: string): string => `import { defineExperiment, scripted } from 'niceeval';
import { claudeCode, codex } from 'niceeval/adapter';
export default defineExperiment({ agent: ${agent}, gateway: scripted('../models/${script}.json'), timeoutMs: 60_000, ${budget} });
`;

let project: TestProject;
let ran: { readonly exitCode: number | undefined; readonly stdout: string };

beforeAll(async () => {
  project = await openProject({
    'evals/write.eval.ts': `import { defineEval } from 'niceeval';
import { equals } from 'niceeval/expect';
export default defineEval({ async test(t) {
  const turn = await t.send('Write three files.');
  t.log(turn.status);
  t.sandbox.fileChanged('one.txt', { status: 'added' });
  t.sandbox.fileChanged('two.txt', { status: 'added' });
  t.check(await t.sandbox.runCommand('cat', ['two.txt']).then(({ stdout }) => stdout), equals('two\\n')).label('graded after the stop');
} });
`,
    'experiments/claude-requests.ts': experiment('claudeCode()', 'claude', 'attemptBudget: { requests: 2 }'),
    'experiments/codex-tokens.ts': experiment('codex()', 'codex', 'attemptBudget: { tokens: 2_000 }'),
    'experiments/codex-usd.ts': experiment('codex()', 'codex', "model: 'gpt-5', budget: 0.004"),
    'experiments/codex-enough.ts': experiment('codex()', 'codex', 'attemptBudget: { requests: 4, tokens: 5_000 }'),
    'models/claude.json': JSON.stringify({ format: 'niceeval.script/v1', turns: claudeTurns }),
    'models/codex.json': JSON.stringify({ format: 'niceeval.script/v1', turns: codexTurns }),
  });
  const { exitCode, stdout } = await project.niceeval(['run', '--concurrency', '2']);
  ran = { exitCode, stdout: String(stdout) };
});
afterAll(async () => {
  await project[Symbol.asyncDispose]();
  expect(await leftovers()).toEqual([]);
});

describe('an Attempt whose budget is spent in the middle of a turn', () => {
  test.each(['claude-requests', 'codex-tokens', 'codex-usd'])('is stopped there, and what it did is judged: %s', async (name) => {
    const attempt = attemptFileSchema.parse(await project.attemptFile('attempt.json', `write.${name}`));
    expect(ran.exitCode, ran.stdout).toBe(0);
    expect([attempt.verdict, attempt.turns[0]?.status, attempt.turns[0]?.failure?.kind, attempt.gateway?.requests]).toEqual(['passed', 'failed', 'over-budget', 2]);
    expect(attempt.diagnostics.map(({ code }) => code)).toContain('budget-exceeded');
    expect(attempt.stopped).toMatchObject({ reason: 'budget-exceeded', detail: expect.stringContaining('is spent') as string });
  });

  test('goes to its end where the budget is enough', async () => {
    const attempt = attemptFileSchema.parse(await project.attemptFile('attempt.json', 'write.codex-enough'));
    expect([attempt.verdict, attempt.turns[0]?.status, attempt.gateway?.requests, attempt.turns[0]?.usage?.requests, attempt.stopped]).toEqual(['passed', 'completed', 4, 4, undefined]);
  });
});

test('a gateway that dies breaks the Attempts that used it, and no others: they are begun again with a new one', async () => {
  const running = project.niceeval(['run', '--experiment', 'codex-enough', '--attempts', '2', '--concurrency', '2', '--json']);
  let isKilled = false;
  let isOver = false;
  running.stdout!.on('data', (chunk: Buffer) => {
    const runId = /"type":"run.started","runId":"([^"]+)"/.exec(chunk.toString())?.[1];
    if (isKilled || runId === undefined) return;
    isKilled = true;
    void killGateway(runId, () => isOver);
  });
  const { exitCode, stdout } = await running.finally(() => { isOver = true; });
  const lines = String(stdout).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
  expect([isKilled, exitCode], String(stdout)).toEqual([true, 0]);
  expect(lines.filter(({ type }) => type === 'attempt.retrying').map(({ kind }) => kind)).toContain('network');
  expect(lines.at(-1)).toMatchObject({ counts: { passed: 2 } });
});

/** Kills the container of a run's gateway as soon as it is there. */
async function killGateway(runId: string, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { stdout } = await execa('docker', ['ps', '-q', '--filter', 'label=niceeval.role=service', '--filter', `label=niceeval.run=${runId}`, '--filter', 'status=running'], { reject: false });
    const ids = stdout.split('\n').filter((id) => id !== '');
    for (const id of ids) {
      const { stdout: command } = await execa('docker', ['inspect', '-f', '{{json .Config.Entrypoint}}', id], { reject: false });
      if (command.includes('node')) {
        await execa('docker', ['kill', id], { reject: false });
        return;
      }
    }
  }
}
