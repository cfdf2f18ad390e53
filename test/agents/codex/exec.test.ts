import { describe, expect, it } from 'vitest';
import { createCodexExecParser, parseCodexExec, type CodexParseOptions } from '../../../src/agents/codex/parse.js';
import type { ProcessEnd } from '../../../src/agents/transcript.js';
import { bytesOf, fixture, linesOf } from '../fixtures.js';
import { command, item, message, threadStarted, turnCompleted, turnStarted } from './lines.js';

const OK: ProcessEnd = { exitCode: 0 };

function parse(lines: readonly unknown[], end: ProcessEnd = OK, options: CodexParseOptions = { prompt: 'x' }) {
  return parseCodexExec([{ kind: 'stdout', bytes: linesOf(threadStarted, turnStarted, ...lines) }], end, options);
}

/** Stdout alone. */
function recorded(name: string, options: CodexParseOptions = { prompt: 'x' }) {
  const run = fixture('codex', '0.171.0', name);
  return parseCodexExec(run.witnesses.filter(({ kind }) => kind !== 'rollout'), run.end, options);
}

describe('the events of exec --json', () => {
  it('tells a failed command inside a turn that completed', () => {
    const parsed = parse([
      command('started', 'item_0', "/bin/bash -lc 'ls /x'"),
      command('completed', 'item_0', "/bin/bash -lc 'ls /x'", { exit_code: 2, status: 'failed', aggregated_output: 'no' }),
      turnCompleted(),
    ]);
    expect(parsed.turn.events).toStrictEqual([
      {
        type: 'operation.started', operationId: 'item_0',
        operation: {
          kind: 'tool', name: 'command_execution', input: { command: 'ls /x' }, tool: 'shell',
          command: {
            classification: 'command', original: { state: 'opaque', reason: 'unsupported-protocol' },
            logical: { state: 'opaque', normalizer: 'logical-command/v1', reason: 'original-opaque' },
            shell: { source: 'ls /x', shell: '/bin/bash' },
          },
        },
      },
      { type: 'operation.finished', operationId: 'item_0', kind: 'tool', status: 'failed', output: 'no', exitCode: 2 },
    ]);
    expect(parsed.ending).toStrictEqual({ kind: 'completed' });
  });

  it('takes -1 for no exit code', () => {
    const parsed = parse([command('completed', 'item_0', 'bash -lc x', { exit_code: -1, status: 'failed', aggregated_output: 'No such file' }), turnCompleted()]);
    expect(parsed.turn.events[1]).toStrictEqual({ type: 'operation.finished', operationId: 'item_0', kind: 'tool', status: 'failed', output: 'No such file' });
  });

  it('takes back the quoting of the joined command line', () => {
    const source = "it's \"a\" $HOME";
    const parsed = parse([command('started', 'item_0', `/bin/bash -lc 'it'"'"'s "a" $HOME'`)]);
    expect(parsed.turn.events[0]).toMatchObject({ operation: { command: { shell: { source, shell: '/bin/bash' } } } });
  });

  it('does not take the placeholder of an unprintable command for its source', () => {
    const parsed = parse([command('started', 'item_0', '<command included NUL byte>')]);
    expect(parsed.turn.events[0]).toMatchObject({ operation: { command: { original: { state: 'opaque', reason: 'redacted' } } } });
  });

  it('tells MCP calls by server and tool, and a refused one as rejected', () => {
    const ends = recorded('mcp').turn.events.flatMap((event) => (event.type === 'operation.finished' ? [event.status] : []));
    const names = recorded('mcp').turn.events.flatMap((event) => (event.type === 'operation.started' && event.operation.kind === 'tool' ? [event.operation.name] : []));
    expect(names).toStrictEqual(['demo.echo', 'demo.lookup', 'demo.fails', 'demo.breaks', 'demo.delete_all']);
    expect(ends).toStrictEqual(['completed', 'completed', 'failed', 'failed', 'rejected']);
  });

  it('tells a declined command as rejected', () => {
    expect(recorded('auto-review').turn.events.flatMap((event) => (event.type === 'operation.finished' ? [event.status] : []))).toStrictEqual(['rejected', 'completed', 'completed']);
  });

  it('reads a web search although its line has two ids', () => {
    const { turn } = recorded('web-search');
    expect(turn.events.flatMap((event) => (event.type === 'operation.started' ? [event.operationId] : []))).toStrictEqual(['ws_000001', 'ws_000002', 'ws_000003', 'ws_000004']);
    expect(turn.evidenceCoverage?.actions?.reason).toContain('does not say whether a web search failed');
  });

  it('tells words once that a cut stream brought three times', () => {
    const parsed = recorded('response-failed');
    expect(parsed.turn.events.map((event) => (event.type === 'message' ? event.text : event.type))).toStrictEqual(['Partial words', 'error', 'error', 'error']);
    expect(parsed.problems).toStrictEqual(['a model stream was cut and the answer asked for again; words that came twice are told once']);
  });

  it('keeps words that the agent says twice by itself', () => {
    expect(parse([message('item_0', 'again'), message('item_1', 'again'), turnCompleted()]).turn.events.length).toBe(2);
  });

  it('marks retries as recovered when the turn completed, and not when it failed', () => {
    expect(recorded('disconnect-then-ok').turn.events.flatMap((event) => (event.type === 'error' ? [event.recovered] : []))).toStrictEqual([true, true]);
    expect(recorded('error-500').turn.events.flatMap((event) => (event.type === 'error' ? [event.recovered] : []))).toStrictEqual([undefined, undefined, undefined]);
  });

  it('starts a subagent at its spawn and ends it with the state that a later call shows', () => {
    const { turn } = recorded('subagent-v1');
    const order = turn.events.flatMap((event) => ('operationId' in event && event.operationId !== undefined ? [`${event.type === 'operation.started' ? '>' : '<'} ${event.operationId} ${event.type === 'operation.started' ? event.operation.kind : event.type === 'operation.finished' ? event.kind : ''}`] : []));
    expect(order.slice(0, 5)).toStrictEqual(['> item_1 subagent', '> item_2 tool', '< item_2 tool', '< item_1 subagent', '> item_3 tool']);
    expect(turn.events.find((event) => event.type === 'operation.finished' && event.kind === 'subagent')).toMatchObject({ status: 'completed', output: 'CHILD RESULT: subtracts instead of adding.' });
  });

  it('leaves a command open that was running when the process was killed', () => {
    const parsed = recorded('kill-kill');
    expect(parsed.turn.events.map(({ type }) => type)).toStrictEqual(['message', 'operation.started']);
    expect(parsed.ending.kind).toBe('incomplete');
  });

  it('keeps an unknown item, says so, and lowers what it may hide', () => {
    const parsed = parse([item('completed', { id: 'item_0', type: 'hologram' }), message('item_1', 'a'), turnCompleted()]);
    expect(parsed.unrecognised).toStrictEqual([{ source: 'stdout', line: 3, why: 'unknown item type "hologram"' }]);
    expect(parsed.turn.evidenceCoverage?.actions?.reason).toContain('1 piece of the record is of a kind this parser does not know');
    expect(parsed.turn.evidenceCoverage?.status).toBeUndefined();
  });
});

describe('usage of exec --json', () => {
  it('makes exclusive buckets of counts that contain each other', () => {
    const { turn } = parse([turnCompleted({ input_tokens: 26_549, cached_input_tokens: 22_272, output_tokens: 1_590, reasoning_output_tokens: 1_152 })]);
    expect(turn.usage).toStrictEqual({ inputTokens: 4_277, outputTokens: 1_590, cacheReadTokens: 22_272, reasoningTokens: 1_152 });
  });

  it('leaves out what was not reported', () => {
    expect(parse([turnCompleted()]).turn.usage).toStrictEqual({ inputTokens: 100, outputTokens: 10, cacheReadTokens: 0 });
  });

  it('never goes below zero', () => {
    expect(parse([turnCompleted({ input_tokens: 10, cached_input_tokens: 50, output_tokens: 1 })]).turn.usage?.inputTokens).toBe(0);
  });

  it('takes the last of two running totals', () => {
    const parsed = parse([turnCompleted({ input_tokens: 10, output_tokens: 5 }), turnStarted, turnCompleted({ input_tokens: 30, output_tokens: 15 })]);
    expect(parsed.turn.usage).toStrictEqual({ inputTokens: 30, outputTokens: 15 });
  });

  // The scripts' own numbers: 4100/50 by the first process, 4700/50 by the second, 2500/10 by the third.
  it('is the growth of the total when a thread is resumed', () => {
    const one = recorded('resume-run-1');
    const two = recorded('resume-run-2', { prompt: 'x', before: one.after });
    const three = recorded('resume-run-3', { prompt: 'x', before: two.after });
    expect([one, two, three].map(({ turn }) => (turn.usage?.inputTokens ?? 0) + (turn.usage?.cacheReadTokens ?? 0))).toStrictEqual([4_100, 4_700, 2_500]);
    expect([one, two, three].map(({ turn }) => turn.usage?.outputTokens)).toStrictEqual([50, 50, 10]);
  });

  it('gives the item ids of later processes names of their own', () => {
    const one = recorded('resume-run-1');
    const two = recorded('resume-run-2', { prompt: 'x', before: one.after });
    const ids = (parsed: typeof one) => parsed.turn.events.flatMap((event) => (event.type === 'operation.started' ? [event.operationId] : []));
    expect([ids(one), ids(two)]).toStrictEqual([['item_0'], ['2:item_0']]);
  });

  it('is unknown, not zero, for a review that prints zeros', () => {
    const { turn } = recorded('review');
    expect(turn.usage).toBeUndefined();
    expect(turn.evidenceCoverage?.usage?.status).toBe('unavailable');
  });
});

describe('the ending of exec --json', () => {
  it.each([
    ['connection-refused', 'api-error'], ['error-400', 'api-error'], ['error-500', 'api-error'], ['response-failed', 'api-error'],
    ['context-exceeded', 'failed'], ['kill-term', 'incomplete'], ['int-model', 'incomplete'],
    ['bad-config', 'nothing'], ['human-output', 'nothing'], ['error-500-then-ok', 'completed'], ['unknown-model', 'completed'],
  ])('of %s is %s', (name, kind) => {
    expect(recorded(name).ending.kind).toBe(kind);
  });

  it('keeps to the end event when the exit code disagrees, and says so', () => {
    const parsed = parse([message('item_0', 'a'), turnCompleted()], { exitCode: 1 });
    expect(parsed.ending).toStrictEqual({ kind: 'completed' });
    expect([parsed.exitCode, parsed.problems]).toStrictEqual([1, ['the turn completed, but the process exited with 1']]);
  });

  it('is nothing for an empty output with exit code 0', () => {
    const parsed = parseCodexExec([{ kind: 'stdout', bytes: bytesOf('') }, { kind: 'stderr', bytes: bytesOf('NotFound: no such thread') }], OK);
    expect(parsed.ending).toStrictEqual({ kind: 'nothing', reason: 'not one line of the record was understood; the process exited with 0; stderr ends: NotFound: no such thread' });
  });

  it('counts the lines of a log that only quotes events', () => {
    const parsed = parseCodexExec([{ kind: 'stdout', bytes: bytesOf('12:[2025-11-13T05:30:02Z] [INFO] {"type":"turn.started"}\n') }], OK);
    expect([parsed.ending.kind, parsed.unrecognisedCount]).toStrictEqual(['nothing', 1]);
  });

  it('reads the structured answer from the last message', () => {
    expect(recorded('output-schema', { prompt: 'x', wantsData: true }).turn.data).toStrictEqual({ verdict: 'buggy', score: 0.25 });
    expect(parse([message('item_0', 'not JSON'), turnCompleted()], OK, { wantsData: true }).ending.kind).toBe('failed');
  });

  it('is incomplete when the harness sent the signal', () => {
    expect(parse([message('item_0', 'a'), turnCompleted()], { exitCode: 0, stoppedByHarness: true }).ending.kind).toBe('incomplete');
  });
});

describe('coverage of stdout alone', () => {
  it('admits what exec --json leaves out, and what would help', () => {
    expect(Object.entries(recorded('shell-ok').turn.evidenceCoverage ?? {}).map(([channel, entry]) => [channel, entry.status, /collect \$CODEX_HOME\/sessions/.test(entry.reason ?? '')])).toStrictEqual([
      ['events', 'partial', true], ['actions', 'partial', true], ['usage', 'partial', true],
    ]);
  });
});

describe('the streaming parser', () => {
  it('tells events while the bytes come in', () => {
    const parser = createCodexExecParser({ prompt: 'x' });
    const bytes = linesOf(threadStarted, turnStarted, message('item_0', 'hi'));
    parser.push(bytes.subarray(0, bytes.length - 10));
    expect(parser.events).toStrictEqual([]);
    parser.push(bytes.subarray(bytes.length - 10));
    expect(parser.events).toStrictEqual([{ type: 'message', role: 'assistant', text: 'hi' }]);
    expect(parser.end({ exitCode: 1 }).ending.kind).toBe('incomplete');
  });
});
