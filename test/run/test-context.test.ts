import { describe, expect, test } from 'vitest';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import type { ClaimLedger } from '../../src/assert/ledger.js';
import type { TestContext } from '../../src/define/context.js';
import { commandMatch } from '../../src/expect/command.js';
import { jsonMatch } from '../../src/expect/json-match.js';
import type { ValueMatch } from '../../src/expect/match.js';
import { toolMatch } from '../../src/expect/tool.js';
import { equals } from '../../src/expect/values.js';
import { SkipSignal } from '../../src/run/test-context.js';
import { openPassTest, type Answers, type OpenTest } from './contexts.js';

/** What the agent does when it is sent a word. */
const ANSWERS = {
  edit: {
    events: [
      { type: 'operation.started', operationId: '1', operation: { kind: 'tool', name: 'Edit', input: { file_path: 'a' }, tool: 'file_edit' } },
      { type: 'operation.finished', operationId: '1', kind: 'tool', status: 'completed', output: 'ok' },
      { type: 'message', role: 'assistant', text: 'Edited.' },
    ],
  },
  blank: { events: [{ type: 'message', role: 'assistant', text: 'Said.' }, { type: 'message', role: 'assistant', text: ' \n' }] },
  delegate: { events: [{ type: 'message', role: 'assistant', text: 'Mine.' }, { type: 'message', role: 'assistant', text: 'Of the subagent.', parentOperationId: 'task' }] },
  fail: { status: 'failed' },
} satisfies Answers;

const open = (): OpenTest<TestContext> => openPassTest({ answers: ANSWERS });

const told = async (claims: ClaimLedger): Promise<readonly string[]> => (await claims.settle()).map(({ description, state }) => `${state}: ${description}`);

describe('claims of turns, sessions and the Attempt', () => {
  test('reach as far as what they are made on', async () => {
    const { t, claims } = open();
    const first = await t.send('edit');
    const other = t.newSession();
    const failed = await other.send({ text: 'fail' });
    first.succeeded();
    first.calledTool('Edit');
    failed.notCalledTool('Edit');
    failed.succeeded();
    other.succeeded();
    other.calledTool('Edit');
    t.succeeded();
    t.calledTool(toolMatch('file_edit', { input: jsonMatch({ file_path: 'a' }) }), { count: 1 });
    t.calledTool(commandMatch('git'));
    expect(await told(claims)).toEqual([
      'matched: turn 1 succeeded',
      'matched: turn 1 called tool "Edit"',
      'matched: session 2 turn 1 did not call tool "Edit"',
      'mismatched: session 2 turn 1 succeeded',
      'mismatched: session 2 succeeded',
      'mismatched: session 2 called tool "Edit"',
      'mismatched: the attempt succeeded',
      'matched: the attempt called tool "file_edit" with input matches JSON {"file_path":"a"} exactly once',
      'unavailable: the attempt called command git',
    ]);
  });

  test('are about what was seen until they were made', async () => {
    const { t, claims } = open();
    await t.send('hello');
    t.notCalledTool('Edit');
    await t.send('edit');
    t.calledTool('Edit');
    expect(await told(claims)).toEqual(['matched: the attempt did not call tool "Edit"', 'matched: the attempt called tool "Edit"']);
  });

  test('check compares a value', async () => {
    const { t, claims } = open();
    t.check(1 + 1, equals(2));
    t.check('a', equals('b'));
    expect(await told(claims)).toEqual(['matched: the value equals 2', 'mismatched: the value equals "b"']);
  });
});

describe('what a test can read', () => {
  test('a turn tells what the agent did in it', async () => {
    const { t } = open();
    const { status, events, toolCalls, message, usage } = await t.send('edit');
    expect({ status, events, toolCalls, message, usage }).toEqual({
      status: 'completed',
      events: [{ type: 'message', role: 'user', text: 'edit' }, ...ANSWERS.edit.events],
      toolCalls: [{ operationId: '1', startedIndex: 1, operation: { kind: 'tool', name: 'Edit', input: { file_path: 'a' }, tool: 'file_edit' }, status: 'completed', output: 'ok' }],
      message: 'Edited.',
      usage: { outputTokens: 1 },
    });
  });

  test('the reply is the last text of the session that is not blank and is the agent\'s own', async () => {
    const { t } = open();
    const replies: string[] = [t.reply];
    const other = t.newSession();
    for (const word of ['edit', 'blank', 'silent', 'delegate']) {
      await t.send(word);
      replies.push(t.reply);
    }
    expect([replies, other.reply]).toEqual([['', 'Edited.', 'Said.', 'Said.', 'Mine.'], '']);
  });

  test('t is the main session, and its events and usage are those of the Attempt', async () => {
    const { t } = open();
    expect(t.sessionId).toBeUndefined();
    await t.send('hello');
    const other = t.newSession();
    await other.send('you');
    expect({ main: t.sessionId, other: other.sessionId, events: t.events, own: other.events, usage: t.usage, model: t.model, flags: t.flags }).toEqual({
      main: 'backend 1',
      other: 'backend 2',
      events: [{ type: 'message', role: 'user', text: 'hello' }, { type: 'message', role: 'user', text: 'you' }],
      own: [{ type: 'message', role: 'user', text: 'you' }],
      usage: { outputTokens: 2 },
      model: 'big',
      flags: { on: true },
    });
  });

  test('remarks are kept as they come', () => {
    const { t, notes } = open();
    t.log('first');
    t.log('second');
    expect(notes.logs).toEqual(['first', 'second']);
  });
});

describe('a mistake of the author is told at once', () => {
  test('skip ends the test with its reason, and needs one', () => {
    const { t } = open();
    expect(() => t.skip('no key')).toThrow(new SkipSignal('no key'));
    expect(() => t.skip(' ')).toThrow(new ClaimAuthoringError('skip(reason) needs a reason.'));
  });

  test.each<[string, (t: TestContext) => unknown, string]>([
    ['a blank message', (t) => t.send('  '), 'send(...) needs a text that is not blank.'],
    ['a message that is no text', (t) => t.send(undefined as unknown as string), 'send(...) needs a text, or { text, files?, schema? }.'],
    ['check with a plain value', (t) => t.check(1, 1 as unknown as ValueMatch), 'check(value, match) needs a value match, for instance equals(...).'],
    ['check with a match of tool calls', (t) => t.check(1, toolMatch('Edit') as unknown as ValueMatch), 'check(value, match) needs a value match, for instance equals(...).'],
    ['check with a promise', (t) => t.check(Promise.resolve(1), equals(1)), 'check(value, match) was given a promise. Put `await` before the value.'],
    ['a sandbox where there is none', (t) => t.sandbox, 'The agent "echo" has no sandbox. Use an agent made by defineSandboxAgent.'],
  ])('%s', async (_what, use, message) => {
    const { t } = open();
    await expect((async () => use(t))()).rejects.toEqual(new ClaimAuthoringError(message));
  });
});
