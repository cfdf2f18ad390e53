import { describe, expect, test } from 'vitest';
import { parseTranscript, type ParsedTranscript } from '../../src/agents/parse-transcript.js';
import type { ProcessEnd } from '../../src/agents/transcript.js';
import { answers, assistant, calls, init, result, says } from './claude-code/lines.js';
import { command, message, threadStarted, turnCompleted, turnStarted } from './codex/lines.js';

/** Faults that other harnesses were seen to have, each with the smallest record that brings it out. */
function read(lines: readonly (object | string)[] | string, end: ProcessEnd = { exitCode: 0 }, others: readonly { readonly path: string; readonly lines: readonly object[] }[] = []): ParsedTranscript {
  const text = typeof lines === 'string' ? lines : lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') + '\n';
  const outcome = parseTranscript([
    ...(text === '' ? [] : [{ path: 'stdout.jsonl', bytes: Buffer.from(text) }]),
    ...others.map(({ path, lines: own }) => ({ path, bytes: Buffer.from(own.map((line) => `${JSON.stringify(line)}\n`).join('')) })),
  ], { end });
  if (outcome.kind !== 'parsed') throw new Error(outcome.reason);
  return outcome.transcript;
}

const events = ({ turns }: ParsedTranscript): readonly object[] => turns.flatMap((turn) => turn.events);
const kinds = (parsed: ParsedTranscript): readonly string[] => events(parsed).map((event) => (event as { type: string }).type);

describe('a record', () => {
  test('with a notice of a new kind between two answers keeps both answers', () => {
    const parsed = read([init, says('one'), { type: 'rate_limit_event', rate_limit_info: { status: 'allowed', rateLimitType: 'five_hour' }, uuid: 'u1', session_id: 's' }, says('two'), result()]);
    expect(events(parsed)).toMatchObject([{ text: 'one' }, { text: 'two' }]);
    expect([parsed.endings[0]?.kind, parsed.unrecognisedCount]).toEqual(['completed', 0]);
  });

  test('whose result is a success that failed is a failure of the service', () => {
    const parsed = read([init, result({ is_error: true, terminal_reason: 'api_error', api_error_status: 403, result: 'access disabled', num_turns: 484, total_cost_usd: 5.1 })]);
    expect(parsed.endings).toEqual([{ kind: 'api-error', reason: 'access disabled', httpStatus: 403 }]);
    expect(parsed.turns[0]?.status).toBe('failed');
  });

  test('that ends after a tool result is incomplete, and keeps what there is', () => {
    const parsed = read([init, calls('t1', 'Bash', { command: 'ls' }), answers('t1', 'a')]);
    expect([parsed.endings[0]?.kind, parsed.turns[0]?.status, kinds(parsed)]).toEqual(['incomplete', 'failed', ['operation.started', 'operation.finished']]);
  });

  test('of a command that failed inside a turn that completed keeps the two apart', () => {
    const parsed = read([threadStarted, turnStarted, command('started', 'item_0', 'false'), command('completed', 'item_0', 'false', { exit_code: 2, status: 'failed' }), turnCompleted()]);
    expect([parsed.endings[0]?.kind, events(parsed).at(-1)]).toMatchObject(['completed', { type: 'operation.finished', status: 'failed', exitCode: 2 }]);
  });

  test.each([
    ['a trouble that was got over, and exit code 1', [threadStarted, turnStarted, { type: 'error', message: 'Reconnecting... 1/5' }, message('item_0', 'ok'), turnCompleted()], { exitCode: 1 }, 'completed'],
    ['the same that was not', [threadStarted, turnStarted, { type: 'error', message: 'gone' }, { type: 'turn.failed', error: { message: 'gone' } }], { exitCode: 1 }, 'api-error'],
  ])('with %s goes by its end event', (_what, lines, end, ending) => {
    const parsed = read(lines, end);
    expect(parsed.endings[0]?.kind).toBe(ending);
    expect(events(parsed).filter((event) => (event as { type: string }).type === 'error').map((event) => (event as { recovered?: boolean }).recovered === true)).toEqual([ending === 'completed']);
  });

  test('holds an answer once that came in pieces before', () => {
    const delta = (text: string): object => ({ type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, parent_tool_use_id: null, session_id: 's', uuid: text });
    const parsed = read([init, { type: 'stream_event', event: { type: 'message_start', message: { id: 'm1', usage: {} } }, parent_tool_use_id: null, session_id: 's', uuid: 'x' }, delta('Hel'), delta('lo'), says('Hello', {}, { id: 'm1' }), result()]);
    expect(events(parsed)).toMatchObject([{ type: 'message', text: 'Hello' }]);
  });

  test('may give the result of a tool as text, as blocks, as null and not at all', () => {
    const parsed = read([
      init, ...['a', 'b', 'c', 'd'].map((id) => calls(id, 'Read', { file_path: id })),
      answers('a', 'x'), answers('b', [{ type: 'text', text: 'x' }]), answers('c', null), answers('d', undefined, { tool_use_result: 'Error: denied' }), result(),
    ]);
    expect(events(parsed).filter((event) => (event as { type: string }).type === 'operation.finished').map((event) => (event as { output?: unknown }).output)).toEqual(['x', 'x', undefined, undefined]);
  });

  test('with a lone half of a character stays whole, and what is written of it is UTF-8', () => {
    const parsed = read([init, JSON.stringify(says('cut')).replace('"cut"', '"cut \\ud83d"'), result()]);
    const told = JSON.stringify(events(parsed));
    expect([events(parsed).length, Buffer.from(told, 'utf8').toString('utf8') === told]).toEqual([1, true]);
  });

  test('with a mark at its start, carriage returns and blank lines loses nothing', () => {
    const parsed = read(`\ufeff${JSON.stringify(init)}\r\n\r\n   \r\n${JSON.stringify(says('a'))}\r\n${JSON.stringify(result())}\r\n`);
    expect([kinds(parsed), parsed.unrecognisedCount, parsed.endings[0]?.kind]).toEqual([['message'], 0, 'completed']);
  });
});

describe('usage', () => {
  const usage = { input_tokens: 2, output_tokens: 500, cache_read_input_tokens: 90_000, cache_creation_input_tokens: 1_000 };
  const once = { inputTokens: 2, outputTokens: 500, cacheReadTokens: 90_000, cacheCreationTokens: 1_000 };

  test('of one answer on three lines counts once', () => {
    expect(read([init, ...['a', 'b', 'c'].map((text) => says(text, {}, { id: 'm1', usage, stop_reason: 'end_turn' }))]).usage).toMatchObject(once);
  });

  test('of a running total is its last value', () => {
    expect(read([threadStarted, turnStarted, turnCompleted({ input_tokens: 10, output_tokens: 5 }), turnStarted, turnCompleted({ input_tokens: 30, output_tokens: 15 })]).usage).toEqual({ inputTokens: 30, outputTokens: 15 });
  });

  test('never adds what another count contains', () => {
    const { usage: told } = read([threadStarted, turnStarted, turnCompleted({ input_tokens: 26_549, cached_input_tokens: 22_272, output_tokens: 1_590, reasoning_output_tokens: 1_152 })]);
    expect(told).toEqual({ inputTokens: 4_277, cacheReadTokens: 22_272, outputTokens: 1_590, reasoningTokens: 1_152 });
    expect((told.inputTokens ?? 0) + (told.cacheReadTokens ?? 0) + (told.outputTokens ?? 0)).toBe(28_139);
  });

  test('says nothing of reasoning that was not reported', () => {
    expect(read([threadStarted, turnStarted, turnCompleted({ input_tokens: 3, cached_input_tokens: 1, output_tokens: 2 })]).usage).toEqual({ inputTokens: 2, cacheReadTokens: 1, outputTokens: 2 });
  });

  test('of an answer that two session files hold counts once', () => {
    const entry = (id: string, tokens: number, uuid: string, sessionId: string): object => ({ ...says('x', {}, { id, usage: { input_tokens: 0, output_tokens: tokens }, stop_reason: 'end_turn' }), uuid, sessionId, isSidechain: false });
    const parsed = read('', { exitCode: null }, [{ path: 'p/a.jsonl', lines: [entry('m1', 100, 'u1', 'a')] }, { path: 'p/b.jsonl', lines: [entry('m1', 100, 'u1', 'b'), entry('m2', 50, 'u2', 'b')] }]);
    expect(parsed.usage.outputTokens).toBe(150);
  });

  test('comes from the split by model, helpers included', () => {
    const model = (outputTokens: number): object => ({ inputTokens: 0, outputTokens, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 });
    const parsed = read([init, says('a'), result({ usage: { output_tokens: 100 }, modelUsage: { 'claude-opus-4-8': model(100), 'claude-haiku-4-5': model(40) }, total_cost_usd: 0 })]);
    expect([parsed.usage.outputTokens, parsed.usage.models?.['claude-haiku-4-5']?.outputTokens, parsed.usage.costUSD]).toEqual([140, 40, 0]);
  });

  test('has no cost where none was told, and keeps its totals over a compaction', () => {
    const boundary = { type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: 'auto', pre_tokens: 180_000, post_tokens: 972 }, session_id: 's', uuid: 'cb' };
    const parsed = read([init, says('a', {}, { id: 'm1', usage: { input_tokens: 180_000, output_tokens: 20 }, stop_reason: 'end_turn' }), boundary, says('b', {}, { id: 'm2', usage: { input_tokens: 972, output_tokens: 30 }, stop_reason: 'end_turn' })]);
    expect(parsed.usage).toEqual({ inputTokens: 180_972, outputTokens: 50, models: { 'claude-opus-4-8': { inputTokens: 180_972, outputTokens: 50 } } });
    expect(events(parsed)).toMatchObject([{ text: 'a' }, { type: 'compaction', reason: 'auto', tokensBefore: 180_000, tokensAfter: 972 }, { text: 'b' }]);
  });
});

describe('a summary of the conversation', () => {
  test('is no prompt, and what it quotes did not run', () => {
    const summary = { type: 'user', isCompactSummary: true, message: { role: 'user', content: 'earlier: ran npm publish' }, uuid: 'cs', sessionId: 's', isSidechain: false, parentUuid: null };
    const parsed = read('', { exitCode: null }, [{ path: 'p/s.jsonl', lines: [summary, { ...says('ok'), sessionId: 's', isSidechain: false }] }]);
    expect(kinds(parsed)).toEqual(['context.injected', 'message']);
  });
});

describe('subagents', () => {
  test('keep their calls to themselves', () => {
    const parsed = read([
      init, calls('t1', 'Task', { subagent_type: 'x' }), calls('t2', 'Agent', { subagent_type: 'y' }),
      ...['t2', 't1', 't2'].flatMap((parent, index) => [calls(`b${index}`, 'Bash', { command: `${parent}` }, { parent_tool_use_id: parent }), answers(`b${index}`, parent, { parent_tool_use_id: parent })]),
      answers('t2', 'done 2'), answers('t1', 'done 1'), result(),
    ]);
    const told = events(parsed) as readonly { type: string; operationId?: string; parentOperationId?: string; operation?: { kind: string } }[];
    expect(told.filter(({ operation }) => operation?.kind === 'subagent').map(({ operationId }) => operationId)).toEqual(['t1', 't2']);
    expect(told.filter(({ operation }) => operation?.kind === 'tool').map(({ operationId, parentOperationId }) => [operationId, parentOperationId])).toEqual([['b0', 't2'], ['b1', 't1'], ['b2', 't2']]);
    expect(told.filter(({ parentOperationId, operation }) => parentOperationId === undefined && operation?.kind === 'tool')).toEqual([]);
  });

  test('are Task and Agent, and no tool whose name only begins so', () => {
    const names = ['Task', 'Agent', 'TaskCreate', 'TaskUpdate', 'TaskOutput'];
    const parsed = read([init, ...names.map((name, index) => calls(`c${index}`, name, {})), result()]);
    expect((events(parsed) as readonly { operation?: { kind: string } }[]).map(({ operation }) => operation?.kind)).toEqual(['subagent', 'subagent', 'tool', 'tool', 'tool']);
  });

  test('are paid for', () => {
    const parsed = read([init, says('a', {}, { id: 'm1', usage: { input_tokens: 0, output_tokens: 100 }, stop_reason: 'end_turn' }), assistant({ type: 'text', text: 'b' }, { parent_tool_use_id: 't1' }, { id: 'm2', usage: { input_tokens: 0, output_tokens: 60 }, stop_reason: 'end_turn' })]);
    expect(parsed.usage.outputTokens).toBe(160);
  });
});

test('a run of which not one line is understood is refused, not green', () => {
  const log = Array.from({ length: 47 }, (_item, index) => `${index}: [INFO] all is well\n`).join('');
  expect(parseTranscript([{ path: 'log.txt', bytes: Buffer.from(log) }], { end: { exitCode: 0 } }).kind).toBe('refused');
});
