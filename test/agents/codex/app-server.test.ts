import { describe, expect, it } from 'vitest';
import { createCodexAppServerParser, parseCodexAppServer, type CodexThreadMemory } from '../../../src/agents/codex/parse.js';
import { toolOccurrencesOf } from '../../../src/evidence/occurrence.js';
import type { StreamEvent } from '../../../src/evidence/events.js';
import { fixture, linesOf } from '../fixtures.js';

const THREAD = '01a229f5-8bcf-7240-a62a-ab77d6e6b529';

function recorded(name: string, kinds: readonly string[] = ['stdout']) {
  const run = fixture('codex', '0.171.0', name);
  return parseCodexAppServer(run.witnesses.filter(({ kind }) => kinds.includes(kind)), run.end, { prompt: 'x' });
}

function statusesOf(events: readonly StreamEvent[]) {
  return toolOccurrencesOf(events).occurrences.map(({ operationId, status }) => `${operationId} ${status}`);
}

function note(method: string, params: object, more: object = {}): object {
  return { method, params: { threadId: THREAD, ...params }, ...more };
}

const opening = [note('thread/started', { thread: { id: THREAD, parentThreadId: null, model: 'gpt-5.5' } }), note('turn/started', { turn: { id: 't1', rootTurnId: 't1' } })];
const asking = note('item/commandExecution/requestApproval', { itemId: 'c1', command: "/bin/bash -lc 'touch x'", cwd: '/w', reason: 'May I?' }, { id: 0 });

describe('what an app-server sends', () => {
  it.each([
    ['app-command-accept', ['call_000002 completed', 'call_000004 completed']],
    ['app-command-decline', ['call_000002 rejected', 'call_000004 completed']],
    ['app-mcp', ['call_000002 completed', 'call_000004 completed', 'call_000006 failed', 'call_000008 failed', 'call_000010 rejected']],
    ['app-patch-accept', ['call_000002 completed', 'call_000004 completed']],
    ['app-interrupt', ['call_000003 pending']],
  ])('tells calls by their true ids and how they came out (%s)', (name, expected) => {
    expect(statusesOf(recorded(name).turn.events)).toStrictEqual(expected);
  });

  it('tells an approval with what it is about, under the id to answer it by', () => {
    const { turn } = recorded('app-command-accept');
    expect(turn.events.find(({ type }) => type === 'input.requested')).toMatchObject({
      request: { id: '0', action: 'command_execution', input: { command: "/bin/bash -lc 'touch /opt/escalated.txt'", cwd: '/srv/ws-codex' }, prompt: 'May I create a file outside the workspace?', options: [{ id: 'approve', label: 'Approve' }, { id: 'deny', label: 'Deny' }] },
    });
    expect(turn.status).toBe('completed');
  });

  it('is waiting while a request stands open and the process runs', () => {
    const parse = (...more: readonly object[]) => parseCodexAppServer([{ kind: 'stdout', bytes: linesOf(...opening, asking, ...more) }], { exitCode: null }, { prompt: 'x' });
    expect(parse().ending).toStrictEqual({ kind: 'waiting' });
    expect(parse(note('serverRequest/resolved', { requestId: 0 })).ending.kind).toBe('incomplete');
    expect(parse(note('serverRequest/resolved', { requestId: 0 }), note('turn/completed', { turn: { id: 't1', rootTurnId: 't1', status: 'completed', error: null, items: [] } })).ending).toStrictEqual({ kind: 'completed' });
  });

  it('tells a question with its choices', () => {
    expect(recorded('app-user-input').turn.events.flatMap((event) => (event.type === 'input.requested' ? [event.request] : []))).toStrictEqual([
      { id: '0#colour', action: 'request_user_input', prompt: 'Which colour?', options: [{ id: 'Red (Recommended)', label: 'Red (Recommended)' }, { id: 'Blue', label: 'Blue' }] },
    ]);
  });

  it('tells a subagent\'s thread under the call that started it, and counts its tokens', () => {
    const { turn } = recorded('app-subagent-v2');
    expect(turn.events.filter(({ parentOperationId }) => parentOperationId === 'call_000005').map(({ type }) => type)).toStrictEqual(['operation.started', 'operation.finished', 'message']);
    expect(turn.events.find((event) => event.type === 'operation.finished' && event.operationId === 'call_000005')).toMatchObject({ kind: 'subagent', status: 'completed', output: 'CHILD RESULT: subtracts instead of adding.' });
    // The script's own numbers: 15060 in the root thread, 1100 in the child.
    expect((turn.usage?.inputTokens ?? 0) + (turn.usage?.cacheReadTokens ?? 0)).toBe(16_160);
  });

  it('tells retries as recovered, and an interrupted turn as failed', () => {
    expect(recorded('app-error-retry').turn.events.flatMap((event) => (event.type === 'error' ? [event.recovered] : []))).toStrictEqual([true]);
    expect(recorded('app-interrupt').ending).toStrictEqual({ kind: 'failed', reason: 'the turn was interrupted' });
  });

  it('states the class and status of a failure', () => {
    const failed = note('turn/completed', { turn: { id: 't1', rootTurnId: 't1', status: 'failed', items: [], error: { message: 'high demand', codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 503 } } } } });
    expect(parseCodexAppServer([{ kind: 'stdout', bytes: linesOf(...opening, failed) }], { exitCode: null }).ending).toStrictEqual({ kind: 'api-error', reason: 'high demand', httpStatus: 503 });
  });

  it('keeps an unknown notification, and says so', () => {
    const parsed = parseCodexAppServer([{ kind: 'stdout', bytes: linesOf(...opening, note('hologram/shown', {})) }], { exitCode: null });
    expect(parsed.unrecognised).toStrictEqual([{ source: 'stdout', line: 3, why: 'unknown notification "hologram/shown"' }]);
  });

  it.each(['app-command-accept', 'app-items', 'app-mcp', 'app-patch-accept', 'app-reasoning-raw', 'app-subagent-v2', 'app-user-input'])('is merged with rollouts without doubles (%s)', (name) => {
    const rollout = recorded(name, ['rollout']).turn.events;
    const both = recorded(name, ['stdout', 'rollout']).turn.events;
    const own = ['error', 'input.requested'];
    expect(both.filter(({ type }) => !own.includes(type))).toStrictEqual(rollout.filter(({ type }) => !own.includes(type)));
  });
});

describe('a connection that serves several turns', () => {
  it('carries threads and totals from turn to turn', () => {
    const { stdout } = fixture('codex', '0.171.0', 'app-two-turns');
    const lines = Buffer.from(stdout).toString('utf8').split('\n');
    const cut = lines.findIndex((line) => line.includes('"turn/completed"')) + 1;
    let before: CodexThreadMemory | undefined;
    const turns = [lines.slice(0, cut), lines.slice(cut)].map((part) => {
      const parser = createCodexAppServerParser({ prompt: 'x', ...(before === undefined ? {} : { before }) });
      parser.push(Buffer.from(part.join('\n')));
      const parsed = parser.end({ exitCode: null });
      before = parsed.after;
      return parsed;
    });
    expect(turns.map(({ ending }) => ending.kind)).toStrictEqual(['completed', 'completed']);
    expect(new Set(turns.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(turns.map(({ turn }) => (turn.usage?.inputTokens ?? 0) + (turn.usage?.cacheReadTokens ?? 0))).toStrictEqual([4_100, 4_700]);
  });
});
