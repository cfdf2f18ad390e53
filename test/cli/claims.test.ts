import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runScripted, type ScriptedCase, type ScriptedOutcome, type ScriptedRun } from '../support/scripted-run.js';

const bash = (command: string): object => ({ toolCalls: [{ name: 'Bash', input: { command } }] });
const shell = (cmd: string): object => ({ toolCalls: [{ name: 'exec_command', input: { cmd } }] });
const done = { text: 'Done.' };

/** Whether the agent ran the tests, asked in every way, of one command. */
const ASKED = `
    await t.sandbox.writeText('ok.test.mjs', "import { test } from 'node:test'; test('ok', () => {});");
    await t.sandbox.writeText('bad.test.mjs', "import { test } from 'node:test'; test('bad', () => { throw new Error('no'); });");
    const turn = await t.send('Go.');
    const tests = { argsStart: ['--test'] };
    turn.calledTool(shellMatch('node', tests)).soft().key('ran');
    turn.calledTool(shellMatch('node', { ...tests, status: 'completed' })).soft().key('passed');
    turn.calledTool(shellMatch('node', { ...tests, status: 'failed' })).soft().key('failed');
    turn.calledTool(shellMatch('node', { ...tests, unconditional: true })).soft().key('surely');
    turn.notCalledTool(shellMatch('npm', { argsStart: ['publish'] })).soft().key('not published');`;

// What real bash and the real CLIs make of each command; what can be known of it follows from the rules of `shellMatch`.
const COMMANDS: Readonly<Record<string, readonly [command: string, states: readonly [ran: string, passed: string, failed: string, surely: string, notPublished: string]]>> = {
  'alone': ['node --test ok.test.mjs', ['matched', 'matched', 'mismatched', 'matched', 'matched']],
  'alone-failing': ['node --test bad.test.mjs', ['matched', 'mismatched', 'matched', 'matched', 'matched']],
  'behind-cd': ['cd . && node --test ok.test.mjs', ['matched', 'matched', 'mismatched', 'matched', 'matched']],
  'forgiven': ['node --test bad.test.mjs || true', ['matched', 'unavailable', 'unavailable', 'matched', 'matched']],
  'piped': ['node --test ok.test.mjs 2>&1 | tail -3', ['matched', 'unavailable', 'unavailable', 'matched', 'matched']],
  'quoted': ['echo "node --test"; echo "npm publish"', ['mismatched', 'mismatched', 'mismatched', 'mismatched', 'matched']],
  'through-bash': ["bash -lc 'cd . && node --test ok.test.mjs'", ['matched', 'matched', 'mismatched', 'matched', 'matched']],
  'hidden': ['X="npm publish"; eval "$X || true"', ['unavailable', 'unavailable', 'unavailable', 'unavailable', 'unavailable']],
};

const settings = (agent: string, command: string): ScriptedCase => ({
  agent, test: ASKED, turns: [agent === 'claudeCode()' ? bash(command) : shell(command), done],
});

const CASES: Readonly<Record<string, ScriptedCase>> = {
  ...Object.fromEntries(Object.entries(COMMANDS).flatMap(([name, [command]]) => [
    [`claude-${name}`, settings('claudeCode()', command)], [`codex-${name}`, settings('codex()', command)],
  ])),
  'denied': {
    agent: "claudeCode({ permissionMode: 'default' })",
    test: `const turn = await t.send('Go.');
    await t.respondAll('deny');
    t.calledTool(shellMatch('touch', { status: 'rejected' })).key('rejected');
    t.notCalledTool(shellMatch('touch', { status: 'completed' })).key('did not run');
    t.noFailedActions().key('refused is not failed');`,
    turns: [bash('touch denied.txt'), done],
  },
  'remarks': {
    agent: 'claudeCode()',
    test: `t.progress({ message: 'begins', current: 1, total: 2 });
    t.diagnostic({ code: 'slow', level: 'warning', message: 'slow today', data: { ms: 5 }, dedupeKey: 'slow' });
    t.diagnostic({ code: 'slow', level: 'warning', message: 'slow again', dedupeKey: 'slow' });
    const turn = await t.send('Go.');
    t.check(t.o11y, jsonMatch({ totalTurns: 1, totalToolCalls: 2, toolCalls: { shell: 1, file_read: 1 }, filesRead: [/note.txt$/], shellCommands: [{ command: 'ls', status: 'completed' }], errors: 0 })).key('o11y');
    await t.group('outer', async () => {
      await t.group('inner', () => { turn.maxDuration(60_000).key('quick'); });
      turn.event('thinking').key('thought');
    });
    await turn.calledTool('Write').key('stops here').orStop();
    t.check(1, equals(1)).key('never made');`,
    turns: [
      { thinking: 'I look.', toolCalls: [{ name: 'Bash', input: { command: 'ls' } }, { name: 'Read', input: { file_path: '/home/agent/workspace/note.txt' } }] },
      done,
    ],
  },
  'no-judge': { agent: 'claudeCode()', test: "const turn = await t.send('Go.'); turn.judge.autoevals.closedQA('Is it done?').gate(1);", turns: [done] },
  'unmeasured': { agent: 'claudeCode()', test: "const turn = await t.send('Go.'); t.check(turn.message, similarity('Done.'));", turns: [done] },
};

describe('claims on what the real CLIs do', () => {
  let run: ScriptedRun;
  beforeAll(async () => { run = await runScripted(CASES); }, 420_000);
  afterAll(() => run[Symbol.asyncDispose]());

  const states = ({ claims }: ScriptedOutcome): Readonly<Record<string, string>> => Object.fromEntries(claims.map(({ key, state }) => [key ?? '', state]));

  it.each(Object.entries(COMMANDS).flatMap(([name, [command, expected]]) => [[`claude-${name}`, command, expected] as const, [`codex-${name}`, command, expected] as const]))(
    '%s: %s', (name, _command, [ran, passed, failed, surely, notPublished]) => {
      expect(states(run.of(name))).toEqual({ ran, passed, failed, surely, 'not published': notPublished });
      expect(run.of(name).attempt.verdict).toBe('passed');
    },
  );

  it('a refused call is told apart from one that ran', () => {
    expect(states(run.of('denied'))).toEqual({ 'rejected': 'matched', 'did not run': 'matched', 'refused is not failed': 'matched' });
  });

  it('remarks, groups and what the agent did are recorded, and orStop ends the test', () => {
    const { attempt, claims } = run.of('remarks');
    expect(attempt.diagnostics).toEqual([{ code: 'slow', level: 'warning', message: 'slow today', data: { ms: 5 } }]);
    expect(claims.map(({ key, state, groups }) => [key, state, groups])).toEqual([
      ['o11y', 'matched', undefined], ['quick', 'matched', ['outer', 'inner']], ['thought', 'matched', ['outer']], ['stops here', 'mismatched', undefined],
    ]);
    expect(attempt).toMatchObject({ verdict: 'failed', causes: [{ code: 'claim-mismatched', claim: 4 }] });
  });

  it.each([['no-judge', 'judge-not-configured'], ['unmeasured', 'pass-measurement-threshold-missing']])('%s makes the Attempt errored, for the reason %s', (name, code) => {
    expect(run.of(name).attempt).toMatchObject({ verdict: 'errored', causes: [{ code, claim: 1 }] });
  });
});
