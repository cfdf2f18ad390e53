import { describe, expect, it } from 'vitest';
import { createClaudeCodeParser, parseClaudeCode, type ClaudeCodeParseOptions } from '../../../src/agents/claude-code/parse.js';
import type { ProcessEnd } from '../../../src/agents/transcript.js';
import { toolOccurrencesOf } from '../../../src/evidence/occurrence.js';
import { bytesOf, fixture, linesOf } from '../fixtures.js';
import { answers, assistant, calls, init, result, says } from './lines.js';

const OK: ProcessEnd = { exitCode: 0 };

function parse(lines: readonly unknown[], end: ProcessEnd = OK, options: ClaudeCodeParseOptions = { prompt: 'x' }) {
  return parseClaudeCode([{ kind: 'stdout', bytes: linesOf(...lines) }], end, options);
}

function recorded(name: string, only: readonly string[] = ['stdout', 'session', 'stderr'], end?: ProcessEnd) {
  const run = fixture('claude-code', '2.1.197', name);
  return parseClaudeCode(run.witnesses.filter(({ kind }) => only.includes(kind)), end ?? run.end, { prompt: 'x' });
}

function toolsOf(events: Parameters<typeof toolOccurrencesOf>[0]) {
  return toolOccurrencesOf(events).occurrences.map(({ operation, status, parentOperationId }) => [operation.name, status, parentOperationId]);
}

describe('the events of a run', () => {
  it('keeps going over a line of a type that it does not know, and says so', () => {
    const parsed = parse([init, says('before'), { type: 'novelty', uuid: 'u1', session_id: 's' }, says('after'), result()]);
    expect(parsed.turn.events.map((event) => event.type === 'message' && event.text)).toStrictEqual(['before', 'after']);
    expect(parsed.unrecognised).toStrictEqual([{ source: 'stdout', line: 3, why: 'unknown type "novelty"' }]);
    expect(parsed.ending).toStrictEqual({ kind: 'completed' });
    expect(parsed.turn.evidenceCoverage?.events?.status).toBe('partial');
    expect(parsed.turn.evidenceCoverage?.actions).toBeUndefined();
  });

  it('does not take a rate limit notice for a failure', () => {
    const notice = { type: 'rate_limit_event', rate_limit_info: { status: 'allowed', rateLimitType: 'five_hour' }, uuid: 'u1', session_id: 's' };
    const parsed = parse([init, says('a'), notice, says('b'), result()]);
    expect(parsed.turn.events.map(({ type }) => type)).toStrictEqual(['message', 'message']);
    expect(parsed.turn.status).toBe('completed');
  });

  it('tells a message once although its pieces were streamed before', () => {
    const delta = (text: string): object => ({ type: 'stream_event', event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } });
    const parsed = parse([init, { type: 'stream_event', event: { type: 'message_start', message: { id: 'm1' } } }, delta('Hel'), delta('lo'), says('Hello', {}, { id: 'm1' }), result()]);
    expect(parsed.turn.events).toStrictEqual([{ type: 'message', role: 'assistant', text: 'Hello' }]);
  });

  it('keeps the words that were on their way when the process was killed', () => {
    const parsed = recorded('sigterm-in-stream', ['stdout']);
    expect(parsed.turn.events.at(-1)).toMatchObject({ type: 'message', role: 'assistant', text: expect.stringContaining('Slow words') as string });
    expect(parsed.ending.kind).toBe('incomplete');
  });

  it.each([
    ['a string', 'x', 'x'],
    ['a list of one text block', [{ type: 'text', text: 'x' }], 'x'],
    ['a list of several blocks', [{ type: 'text', text: 'x' }, { type: 'text', text: 'y' }], [{ type: 'text', text: 'x' }, { type: 'text', text: 'y' }]],
    ['null', null, undefined],
    ['nothing', undefined, undefined],
  ])('reads a tool result that is %s', (_name, content, output) => {
    const parsed = parse([init, calls('t1', 'Read'), answers('t1', content, { tool_use_result: 'Error: denied' }), result()]);
    expect(parsed.turn.events.at(-1)).toStrictEqual({ type: 'operation.finished', operationId: 't1', kind: 'tool', status: 'completed', ...(output === undefined ? {} : { output }) });
  });

  it('reads a tool result of three megabytes and the lines behind it', () => {
    const long = 'y'.repeat(3_000_000);
    const parsed = parse([init, calls('t1', 'Bash', { command: 'x' }), answers('t1', long), says('after'), result()]);
    expect(parsed.turn.events.map((event) => (event.type === 'operation.finished' ? String(event.output).length : event.type))).toStrictEqual(['operation.started', 3_000_000, 'message']);
  });

  it('pairs parallel calls by id, in the order in which they ended', () => {
    const { turn } = recorded('parallel-tools', ['stdout']);
    expect(turn.events.map((event) => ('operationId' in event ? `${event.type} ${event.operationId}` : event.type))).toStrictEqual([
      'message', 'operation.started toolu_fake_0001', 'operation.started toolu_fake_0002', 'operation.started toolu_fake_0003',
      'operation.finished toolu_fake_0001', 'operation.finished toolu_fake_0003', 'operation.finished toolu_fake_0002', 'message',
    ]);
  });

  it('keeps the exact source of a shell call beside an opaque projection', () => {
    const source = 'cd /w &&  npm test | tee "a b"\n';
    const parsed = parse([init, calls('t1', 'Bash', { command: source }), result()]);
    expect(parsed.turn.events[0]).toMatchObject({
      operation: {
        tool: 'shell',
        command: { classification: 'command', original: { state: 'opaque', reason: 'unsupported-protocol' }, shell: { source, shell: '/bin/bash' } },
      },
    });
  });

  it('leaves a call open that has no end, also when the run completed', () => {
    const parsed = parse([init, calls('t1', 'Bash', { command: 'sleep 9' }), result()]);
    expect(toolsOf(parsed.turn.events)).toStrictEqual([['Bash', 'pending', undefined]]);
    expect(parsed.problems).toStrictEqual(['1 call has no end on record']);
  });

  it('ends background work with its notification and its own exit code', () => {
    const { turn } = recorded('bash-background', ['stdout']);
    const order = turn.events.map((event) => (event.type === 'message' ? event.text : 'operationId' in event ? `${event.type} ${event.operationId}` : event.type));
    expect(order).toStrictEqual([
      'Starting.', 'operation.started toolu_fake_0001', 'operation.started toolu_fake_0002', 'operation.finished toolu_fake_0002', 'Left running.',
      'operation.finished toolu_fake_0001', 'The task ended.',
    ]);
    expect(turn.events[5]).toMatchObject({ status: 'completed', exitCode: 0 });
  });

  it('lowers actions for a tool that may run commands unknown to it, and for no other', () => {
    const parsed = parse([init, calls('t1', 'Frobnicate'), calls('t2', 'mcp__s__t'), calls('t3', 'TaskCreate'), result()]);
    expect(parsed.turn.evidenceCoverage?.actions).toStrictEqual({ status: 'partial', reason: 'not known whether these tools run commands: Frobnicate' });
    expect(parsed.turn.events.map((event) => event.type === 'operation.started' && event.operation.kind === 'tool' && event.operation.command?.classification)).toStrictEqual([undefined, 'not-command', 'not-command']);
  });

  it('asks for each question of a control request, with ids to answer by', () => {
    const questions = [{ question: 'Colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }, { question: 'Size?', options: [{ label: 'Big' }] }];
    const asked = { type: 'control_request', request_id: 'r1', request: { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: { questions }, tool_use_id: 't1' } };
    const parsed = parse([init, calls('t1', 'AskUserQuestion', { questions }), asked], { exitCode: null });
    expect(parsed.turn.status).toBe('waiting');
    expect(parsed.turn.events.flatMap((event) => (event.type === 'input.requested' ? [event.request] : []))).toStrictEqual([
      { id: 'r1#0', action: 'AskUserQuestion', input: { questions }, prompt: 'Colour?', options: [{ id: 'Red', label: 'Red' }, { id: 'Blue', label: 'Blue' }] },
      { id: 'r1#1', action: 'AskUserQuestion', input: { questions }, prompt: 'Size?', options: [{ id: 'Big', label: 'Big' }] },
    ]);
  });

  it('tells a summary of the conversation as injected context, not as a prompt', () => {
    const summary = { type: 'user', isCompactSummary: true, message: { role: 'user', content: 'earlier: ran npm publish' } };
    const parsed = parse([init, summary, says('on'), result()], OK, { emitPrompt: true });
    expect(parsed.turn.events).toStrictEqual([
      { type: 'context.injected', text: 'earlier: ran npm publish', source: 'compaction' },
      { type: 'message', role: 'assistant', text: 'on' },
    ]);
  });

  it('tells a compaction with its reason and both context sizes', () => {
    const boundary = { type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: 'auto', pre_tokens: 180_000, post_tokens: 972 } };
    const parsed = parse([init, says('a', {}, { usage: { input_tokens: 180_000 } }), boundary]);
    expect(parsed.turn.events[1]).toStrictEqual({ type: 'compaction', reason: 'auto', tokensBefore: 180_000, tokensAfter: 972 });
    expect(parsed.turn.usage?.inputTokens).toBe(180_000);
  });

  it('marks retries as recovered only when the service answered after them', () => {
    expect(recorded('api-529-then-ok', ['stdout']).turn.events.map((event) => event.type === 'error' && event.recovered)).toStrictEqual([true, true, false]);
    expect(recorded('api-500-fail', ['stdout']).turn.events.map((event) => event.type === 'error' && event.recovered)).toStrictEqual([undefined, undefined, undefined]);
  });

  it('is not deceived by output that looks like its own lines', () => {
    const parsed = recorded('stdout-noise-lines');
    expect(parsed.ending).toStrictEqual({ kind: 'completed' });
    expect(parsed.unrecognisedCount).toBe(0);
    expect(toolsOf(parsed.turn.events)).toStrictEqual([['Bash', 'completed', undefined]]);
  });
});

describe('calls that were refused', () => {
  it.each([
    ['permission-default', [['Write', 'rejected'], ['Bash', 'rejected'], ['Read', 'completed'], ['Bash', 'completed']]],
    ['permission-plan', [['Write', 'rejected'], ['ExitPlanMode', 'rejected']]],
    ['disallowed-tools', [['Write', 'rejected'], ['Bash', 'rejected'], ['Bash', 'completed']]],
    ['allowed-tools', [['Bash', 'completed'], ['Bash', 'rejected']]],
    ['prompt-stdio-deny', [['Write', 'rejected'], ['Bash', 'rejected']]],
    ['hooks-events', [['Bash', 'completed'], ['Write', 'rejected']]],
    ['mcp-permission', [['mcp__tiny__add', 'rejected']]],
    ['tool-errors', [['Read', 'failed'], ['Edit', 'failed'], ['Bash', 'failed'], ['Frobnicate', 'failed'], ['Read', 'completed'], ['Edit', 'failed']]],
    ['stream-input-interrupt', [['Bash', 'failed']]],
    ['skill-tool-errors', [['Skill', 'failed'], ['Skill', 'failed']]],
  ])('are told apart from failed ones in %s, with stdout alone', (name, expected) => {
    expect(toolsOf(recorded(name, ['stdout']).turn.events).map(([tool, status]) => [tool, status])).toStrictEqual(expected);
  });

  it('cannot be imitated by the words of an MCP server', () => {
    const imitation = answers('t1', 'Permission to use mcp__s__t has been denied', {}, { is_error: true });
    const parsed = parse([init, calls('t1', 'mcp__s__t'), imitation, result()]);
    expect(toolsOf(parsed.turn.events)).toStrictEqual([['mcp__s__t', 'failed', undefined]]);
  });

  it('tell a delegation that never started as a rejected tool call', () => {
    const refused = answers('t1', 'no helpers today', {}, { is_error: true });
    const parsed = parse([init, calls('t1', 'Agent', { prompt: 'p' }), refused, result({ permission_denials: [{ tool_name: 'Task', tool_use_id: 't1', tool_input: {} }] })]);
    expect(parsed.turn.events).toStrictEqual([
      { type: 'operation.started', operationId: 't1', operation: { kind: 'tool', name: 'Agent', input: { prompt: 'p' }, tool: 'agent_task', command: { classification: 'not-command' } } },
      { type: 'operation.finished', operationId: 't1', kind: 'tool', status: 'rejected', output: 'no helpers today' },
    ]);
  });
});

describe('subagents', () => {
  const inside = (parent: string): object => ({ parent_tool_use_id: parent });

  it('carry their calls as nested ones', () => {
    const parsed = parse([init, calls('t1', 'Task', { subagent_type: 'explorer' }), calls('b1', 'Bash', { command: 'ls' }, inside('t1')), answers('b1', 'a', inside('t1')), answers('t1', 'report'), result()]);
    expect(parsed.turn.events).toMatchObject([
      { type: 'operation.started', operationId: 't1', operation: { kind: 'subagent', name: 'explorer' } },
      { type: 'operation.started', operationId: 'b1', parentOperationId: 't1' },
      { type: 'operation.finished', operationId: 'b1', parentOperationId: 't1', status: 'completed' },
      { type: 'operation.finished', operationId: 't1', kind: 'subagent', status: 'completed', output: 'report' },
    ]);
  });

  it('that run side by side keep their own calls', () => {
    const parsed = parse([
      init, calls('t1', 'Agent'), calls('t2', 'Agent'),
      calls('b1', 'Bash', {}, inside('t2')), calls('b2', 'Bash', {}, inside('t1')), calls('b3', 'Bash', {}, inside('t2')),
      answers('t2', 'two'), answers('t1', 'one'), result(),
    ]);
    expect(toolsOf(parsed.turn.events)).toStrictEqual([['Bash', 'pending', 't2'], ['Bash', 'pending', 't1'], ['Bash', 'pending', 't2']]);
  });

  it('are only Task and Agent, not the to-do tools whose names begin alike', () => {
    const names = ['Task', 'Agent', 'TaskCreate', 'TaskUpdate', 'TaskOutput'];
    const parsed = parse([init, ...names.map((name, index) => calls(`t${index}`, name)), result()]);
    expect(parsed.turn.events.flatMap((event) => (event.type === 'operation.started' && event.operation.kind === 'subagent' ? [event.operationId] : []))).toStrictEqual(['t0', 't1']);
  });

  it('that the service failed are failed, although the CLI calls them completed', () => {
    const { turn } = recorded('subagent-errors', ['stdout']);
    expect(turn.events.flatMap((event) => (event.type === 'operation.finished' ? [[event.operationId, event.kind, event.status]] : []))).toStrictEqual([
      ['toolu_fake_0001', 'subagent', 'failed'], ['toolu_fake_0002', 'subagent', 'failed'],
    ]);
  });

  it('that delegate again lower actions on stdout alone', () => {
    const parsed = parse([init, calls('t1', 'Agent'), calls('t2', 'Agent', {}, inside('t1')), answers('t1', 'r'), result()]);
    expect(parsed.turn.evidenceCoverage?.actions?.reason).toContain('a subagent delegated again');
  });
});

describe('the ending of a run', () => {
  it('is an API error when the result says so, whatever its subtype and the exit code', () => {
    const parsed = parse([init, result({ is_error: true, terminal_reason: 'api_error', api_error_status: 403, result: 'access disabled', num_turns: 484, total_cost_usd: 5.1, usage: { input_tokens: 1, output_tokens: 1 } })]);
    expect(parsed.ending).toStrictEqual({ kind: 'api-error', reason: 'access disabled', httpStatus: 403 });
    expect(parsed.turn.status).toBe('failed');
    expect(parsed.turn.events.filter(({ type }) => type === 'message')).toStrictEqual([]);
    expect(parsed.turn.usage?.costUSD).toBe(5.1);
  });

  it('is incomplete without a result line, also with exit code 0', () => {
    const parsed = parse([init, calls('t1', 'Bash', { command: 'ls' }), answers('t1', 'a')]);
    expect(parsed.ending).toStrictEqual({ kind: 'incomplete', reason: 'stdout has no result line; the process exited with 0' });
    expect(parsed.turn.status).toBe('failed');
    expect(Object.entries(parsed.turn.evidenceCoverage ?? {}).map(([channel, entry]) => `${channel} ${entry.status}`).sort()).toStrictEqual([
      'actions partial', 'data partial', 'events partial', 'messages partial', 'status partial', 'usage unavailable',
    ]);
  });

  it('is incomplete when the harness sent the signal, although the CLI reports success', () => {
    const parsed = recorded('sigterm-subagent-late', ['stdout', 'session'], { exitCode: 0, signal: 'SIGTERM', stoppedByHarness: true });
    expect(parsed.ending).toStrictEqual({ kind: 'incomplete', reason: 'the harness stopped the CLI (SIGTERM) before it was done' });
    expect(parsed.turn.evidenceCoverage?.status?.status).toBe('partial');
  });

  it('is incomplete when the agent went on after the last result', () => {
    expect(parse([init, says('a'), result(), init, says('b')]).ending.kind).toBe('incomplete');
  });

  it('follows the last of several results', () => {
    const interrupted = result({ subtype: 'error_during_execution', is_error: true, result: undefined });
    expect(parse([init, says('a'), interrupted, init, says('b'), result()]).ending).toStrictEqual({ kind: 'completed' });
  });

  it.each([
    ['bad-flags-run-2', 'not one line of the record was understood; the process exited with 1; stderr ends: error: unknown option \'--no-such-flag\''],
  ])('is nothing, with what stderr says, when the CLI did not start (%s)', (name, reason) => {
    const parsed = recorded(name);
    expect(parsed.ending).toStrictEqual({ kind: 'nothing', reason });
    expect(parsed.turn.evidenceCoverage?.actions?.status).toBe('unavailable');
  });

  it('is nothing for a log that only quotes events', () => {
    const parsed = parseClaudeCode([{ kind: 'stdout', bytes: bytesOf('12:[2025-11-13] [INFO] {"type":"assistant"}\n{\n  "type": "assistant"\n}\n') }], OK);
    expect(parsed.ending.kind).toBe('nothing');
    expect(parsed.unrecognisedCount).toBe(4);
  });

  it.each([
    ['max-turns', 'failed'], ['refusal', 'failed'], ['hooks-block-prompt-run-1', 'failed'], ['slash-builtin-run-3', 'failed'],
    ['compact-auto-failed', 'failed'], ['api-prompt-too-long', 'failed'], ['resume-missing', 'failed'], ['prompt-stdio-deny', 'failed'],
    ['api-400', 'api-error'], ['api-429-fail', 'api-error'], ['auth-401-fail', 'api-error'], ['no-api-key', 'api-error'], ['request-timeout', 'api-error'],
    ['auth-401', 'incomplete'], ['sigkill-in-tool', 'incomplete'], ['sigkill-truncated', 'incomplete'], ['sigterm-in-tool', 'incomplete'],
    ['slash-builtin-run-1', 'completed'], ['empty-answer', 'completed'], ['fallback-model', 'completed'],
  ])('of %s is %s', (name, kind) => {
    expect(recorded(name).ending.kind).toBe(kind);
  });

  it.each([
    ['an answer cut at the output limit', { stop_reason: 'max_tokens' }, {}],
    ['a run halted by a hook', { terminal_reason: 'hook_stopped', result: '' }, {}],
    ['structured output that was asked for and is missing', {}, { wantsData: true }],
  ])('is a failure for %s', (_name, more, options) => {
    expect(parse([init, says('a'), result(more)], OK, { prompt: 'x', ...options }).ending.kind).toBe('failed');
  });

  it('gives the structured output as data', () => {
    expect(recorded('json-schema').turn.data).toStrictEqual({ name: 'Ada', age: 36 });
  });
});

describe('the streaming parser', () => {
  it('tells events while the bytes come in', () => {
    const parser = createClaudeCodeParser({ prompt: 'x' });
    const bytes = linesOf(init, assistant({ type: 'text', text: 'hi' }));
    parser.push(bytes.subarray(0, bytes.length - 10));
    expect(parser.events).toStrictEqual([]);
    parser.push(bytes.subarray(bytes.length - 10));
    expect(parser.events).toStrictEqual([{ type: 'message', role: 'assistant', text: 'hi' }]);
    expect(parser.end({ exitCode: 1 }).ending.kind).toBe('incomplete');
  });
});
