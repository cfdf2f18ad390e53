import { describe, expect, test } from 'vitest';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import type { ClaimSpec } from '../../src/assert/entry.js';
import type { ScopeEvidence } from '../../src/assert/scope.js';
import type { CountOptions } from '../../src/assert/selection.js';
import { succeeded } from '../../src/assert/status-claims.js';
import { calledTool, notCalledTool, type ToolSelector } from '../../src/assert/tool-claims.js';
import { outcomeOf } from './outcomes.js';
import type { EvidenceCoverageEntry } from '../../src/evidence/coverage.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import type { TurnStatus } from '../../src/evidence/turn.js';
import { commandMatch } from '../../src/expect/command.js';
import { not } from '../../src/expect/combine.js';
import { jsonMatch } from '../../src/expect/json-match.js';
import type { MatchOutcome } from '../../src/expect/match.js';
import { toolMatch } from '../../src/expect/tool.js';
import { includes } from '../../src/expect/texts.js';
import { equals } from '../../src/expect/values.js';
import { call, coverageWith, scopeOf } from './scopes.js';

type Status = MatchOutcome['status'];
type Coverage = EvidenceCoverageEntry['status'];

const statusOf = async (claim: ClaimSpec): Promise<Status> => (await outcomeOf(claim)).status;

describe('coverage decides what was not seen, and never what was', () => {
  const edits = (times: number): readonly StreamEvent[] => Array.from({ length: times }, () => call('Edit')).flat();
  const claims: Record<string, (scope: ScopeEvidence) => ClaimSpec> = {
    'called': (scope) => calledTool(scope, 'Edit'),
    'called at least 2 times': (scope) => calledTool(scope, 'Edit', { count: { atLeast: 2 } }),
    'called exactly 2 times': (scope) => calledTool(scope, 'Edit', { count: 2 }),
    'not called': (scope) => notCalledTool(scope, 'Edit'),
  };
  test.each<[claim: keyof typeof claims, seen: number, complete: Status, partial: Status]>([
    ['called', 0, 'mismatched', 'unavailable'],
    ['called', 1, 'matched', 'matched'],
    ['called', 2, 'matched', 'matched'],
    ['called at least 2 times', 0, 'mismatched', 'unavailable'],
    ['called at least 2 times', 1, 'mismatched', 'unavailable'],
    ['called at least 2 times', 2, 'matched', 'matched'],
    ['called at least 2 times', 3, 'matched', 'matched'],
    ['called exactly 2 times', 0, 'mismatched', 'unavailable'],
    ['called exactly 2 times', 1, 'mismatched', 'unavailable'],
    ['called exactly 2 times', 2, 'matched', 'unavailable'],
    ['called exactly 2 times', 3, 'mismatched', 'mismatched'],
    ['not called', 0, 'matched', 'unavailable'],
    ['not called', 1, 'mismatched', 'mismatched'],
  ])('%s, seen %d times: %s where all calls are seen, else %s', async (claim, seen, complete, partial) => {
    const events = [...call('Read'), ...edits(seen)];
    const orphan: StreamEvent = { type: 'operation.finished', operationId: 'lost', kind: 'tool', status: 'completed' };
    const outcomes = await Promise.all([
      scopeOf({ events }),
      scopeOf({ events, coverage: coverageWith('events', 'unavailable') }),
      scopeOf({ events, coverage: coverageWith('actions', 'partial') }),
      scopeOf({ events, coverage: coverageWith('actions', 'unavailable') }),
      scopeOf({ events, running: true }),
      scopeOf({ events: [...events, orphan] }),
    ].map((scope) => statusOf((claims[claim] as (typeof claims)[string])(scope))));
    expect(outcomes).toEqual([complete, complete, partial, partial, partial, partial]);
  });

  test.each<[string, ScopeEvidence, string, string]>([
    ['a channel is not complete', scopeOf({ coverage: coverageWith('actions', 'partial') }), 'actions-coverage-partial', 'actions coverage is partial: the stream was cut'],
    ['a send is under way', scopeOf({ running: true }), 'scope-still-running', 'a send of turn 1 is still under way'],
    [
      'an end has no start', scopeOf({ events: [{ type: 'operation.finished', operationId: '1', kind: 'tool', status: 'completed' }] }),
      'orphan-end', '1 tool calls ended that were not seen to start',
    ],
  ])('says so when %s', async (_when, scope, code, reason) => {
    expect(await outcomeOf(notCalledTool(scope, 'Edit'))).toEqual({ status: 'unavailable', code, reason });
  });
});

describe('a call that cannot be compared may be one or not', () => {
  // Overlapping ids: the names of these calls are known, their status is not.
  const undecidable = [...call('Edit', 'pending', 'same'), ...call('Edit', 'pending', 'same')];
  const failedEdit = toolMatch('Edit', { status: 'failed' });
  test.each<[string, readonly StreamEvent[], ToolSelector, CountOptions | 'not', Status]>([
    ['one would do, and one surely fits', [...undecidable, ...call('Edit', 'failed')], failedEdit, {}, 'matched'],
    ['one would do, and two may fit', undecidable, failedEdit, {}, 'unavailable'],
    ['three are claimed, and at most two can fit', undecidable, failedEdit, { count: { atLeast: 3 } }, 'mismatched'],
    ['exactly three are claimed, and at most two can fit', undecidable, failedEdit, { count: 3 }, 'mismatched'],
    ['exactly one is claimed, one fits and two more may', [...undecidable, ...call('Edit', 'failed')], failedEdit, { count: 1 }, 'unavailable'],
    ['exactly one is claimed and two surely fit', [...undecidable, ...call('Edit', 'failed'), ...call('Edit', 'failed')], failedEdit, { count: 1 }, 'mismatched'],
    ['none is claimed and two may fit', undecidable, failedEdit, 'not', 'unavailable'],
    ['none of another name is claimed', undecidable, toolMatch('Write', { status: 'failed' }), 'not', 'matched'],
    ['only the name is asked for', undecidable, 'Edit', { count: 2 }, 'matched'],
    ['a command is asked for and the calls were not classified', call('Bash'), commandMatch('git'), {}, 'unavailable'],
    ['no command is claimed and the calls were not classified', call('Bash'), commandMatch('git'), 'not', 'unavailable'],
  ])('%s', async (_what, events, selector, options, expected) => {
    const scope = scopeOf({ events });
    expect(await statusOf(options === 'not' ? notCalledTool(scope, selector) : calledTool(scope, selector, options))).toBe(expected);
  });
});

describe('calledTool', () => {
  test('pairs ids within each session', async () => {
    const sessions = [
      { events: call('Edit', 'completed', 'item_0'), statuses: ['completed'] as const },
      { events: call('Edit', 'failed', 'item_0'), statuses: ['completed'] as const },
    ];
    expect(await statusOf(calledTool(scopeOf({ sessions }), toolMatch('Edit', { status: 'failed' }), { count: 1 }))).toBe('matched');
  });

  test('compares input and output of the calls', async () => {
    const scope = scopeOf({ events: call('Edit') });
    expect(await statusOf(calledTool(scope, toolMatch('Edit', { input: jsonMatch({ file_path: 'a' }) })))).toBe('matched');
    expect(await statusOf(calledTool(scope, toolMatch('Edit', { input: jsonMatch({ file_path: 'b' }) })))).toBe('mismatched');
    expect(await statusOf(calledTool(scope, toolMatch('Edit', { output: includes('done') })))).toBe('unavailable');
    expect(await statusOf(calledTool(scope, not(toolMatch('Edit'))))).toBe('mismatched');
  });

  test.each<[string, readonly StreamEvent[], object]>([
    ['no call at all', [], { status: 'mismatched', expected: 'at least once', received: '0 found; no tool was called' }],
    ['the names that were called instead', [...call('Read'), ...call('Bash'), ...call('Read')], { status: 'mismatched', expected: 'at least once', received: '0 found; called: Read (2 times), Bash' }],
    ['where the nearest call differs', [...call('Read'), ...call('Edit', 'rejected', 'c1')], {
      status: 'mismatched', expected: 'at least once', received: '0 found; called: Read, Edit', nearest: { what: 'Edit (c1, rejected)', expected: 'status completed', received: 'rejected' },
    }],
  ])('tells %s', async (_what, events, outcome) => {
    expect(await outcomeOf(calledTool(scopeOf({ events }), toolMatch('Edit', { status: 'completed' })))).toEqual(outcome);
  });

  test('says in words what is claimed', () => {
    const scope = scopeOf({});
    expect([
      calledTool(scope, 'Edit'), calledTool(scope, 'Edit', { count: 1 }), calledTool(scope, 'Edit', { count: { atLeast: 2 } }), notCalledTool(scope, 'Edit'),
    ].map((claim) => claim.description)).toEqual([
      'turn 1 called tool "Edit"', 'turn 1 called tool "Edit" exactly once', 'turn 1 called tool "Edit" at least 2 times', 'turn 1 did not call tool "Edit"',
    ]);
  });

  test.each<[string, () => unknown, string]>([
    ['none, for which there is another claim', () => calledTool(scopeOf({}), 'Edit', { count: 0 }), 'calledTool: a count is a whole number from 1 or { atLeast }, not 0. For none use notCalledTool.'],
    ['at least none', () => calledTool(scopeOf({}), 'Edit', { count: { atLeast: 0 } }), 'calledTool: a count is a whole number from 1 or { atLeast }, not {"atLeast":0}. For none use notCalledTool.'],
    ['half a call', () => calledTool(scopeOf({}), 'Edit', { count: 1.5 }), 'calledTool: a count is a whole number from 1 or { atLeast }, not 1.5. For none use notCalledTool.'],
    ['an unknown bound', () => calledTool(scopeOf({}), 'Edit', { count: { atMost: 1 } } as unknown as CountOptions), 'calledTool: a count is a whole number from 1 or { atLeast }, not {"atMost":1}. For none use notCalledTool.'],
    ['an unknown option', () => calledTool(scopeOf({}), 'Edit', { times: 2 } as CountOptions), 'calledTool does not know the option "times". It knows count.'],
    ['an empty name', () => calledTool(scopeOf({}), ''), 'calledTool needs a tool name, toolMatch(...), commandMatch(...) or shellMatch(...).'],
    ['no selector', () => notCalledTool(scopeOf({}), undefined as unknown as string), 'notCalledTool needs a tool name, toolMatch(...), commandMatch(...) or shellMatch(...).'],
    ['a match of values', () => notCalledTool(scopeOf({}), equals('Edit') as unknown as string), 'notCalledTool needs a tool name, toolMatch(...), commandMatch(...) or shellMatch(...).'],
  ])('refuses %s', (_what, make, message) => {
    expect(make).toThrow(new ClaimAuthoringError(message));
  });
});

describe('succeeded', () => {
  test.each<[TurnStatus, Coverage, Status]>([
    ['completed', 'complete', 'matched'],
    ['completed', 'partial', 'unavailable'],
    ['completed', 'unavailable', 'unavailable'],
    ['failed', 'complete', 'mismatched'],
    ['failed', 'partial', 'mismatched'],
    ['failed', 'unavailable', 'mismatched'],
    ['waiting', 'complete', 'mismatched'],
    ['waiting', 'partial', 'mismatched'],
    ['waiting', 'unavailable', 'mismatched'],
  ])('a turn that is %s on a status channel that is %s: %s', async (turn, coverage, expected) => {
    expect(await statusOf(succeeded(scopeOf({ statuses: [turn], coverage: coverageWith('status', coverage) })))).toBe(expected);
  });

  test('does not care for the coverage of other channels', async () => {
    const coverages = (['events', 'actions', 'messages', 'usage', 'data'] as const).map((channel) => coverageWith(channel, 'unavailable'));
    expect(await Promise.all(coverages.map((coverage) => statusOf(succeeded(scopeOf({ coverage })))))).toEqual(coverages.map(() => 'matched'));
  });

  test.each<[string, readonly (readonly TurnStatus[])[], boolean, Status]>([
    ['all turns completed', [['completed', 'completed'], ['completed']], false, 'matched'],
    ['an earlier turn waited and was answered', [['waiting', 'completed']], false, 'matched'],
    ['the last turn waits', [['completed', 'waiting']], false, 'mismatched'],
    ['the last turn of another session waits', [['completed'], ['waiting']], false, 'mismatched'],
    ['an earlier turn failed', [['failed', 'completed']], false, 'mismatched'],
    ['a turn of another session failed', [['completed'], ['failed']], false, 'mismatched'],
    ['nothing was sent', [], false, 'mismatched'],
    ['the first send is under way', [], true, 'unavailable'],
    ['a later send is under way', [['completed']], true, 'unavailable'],
    ['the answer to a question is under way', [['waiting']], true, 'unavailable'],
    ['a turn failed and another is under way', [['failed']], true, 'mismatched'],
  ])('on several turns: %s', async (_what, statuses, running, expected) => {
    const sessions = statuses.map((session) => ({ events: [], statuses: session }));
    expect(await statusOf(succeeded(scopeOf({ sessions, running })))).toBe(expected);
  });

  test('tells the last error that the agent did not get over', async () => {
    const events: readonly StreamEvent[] = [
      { type: 'error', message: 'overloaded', recovered: true }, { type: 'error', message: 'no credit' }, { type: 'error', message: 'rate limit', recovered: true },
    ];
    expect(await outcomeOf(succeeded(scopeOf({ events, statuses: ['failed'] })))).toEqual({ status: 'mismatched', expected: 'completed', received: 'failed: no credit' });
  });

  test.each<[string, ScopeEvidence, MatchOutcome]>([
    ['nothing was sent', scopeOf({ sessions: [] }), { status: 'mismatched', expected: 'completed', received: 'nothing was sent' }],
    ['the agent waits', scopeOf({ statuses: ['waiting'] }), { status: 'mismatched', expected: 'completed', received: 'waiting for a person' }],
    ['a turn failed without an error event', scopeOf({ statuses: ['failed'] }), { status: 'mismatched', expected: 'completed', received: 'failed' }],
    ['the status is not known', scopeOf({ coverage: coverageWith('status', 'partial') }), { status: 'unavailable', code: 'status-coverage-partial', reason: 'status coverage is partial: the stream was cut' }],
  ])('says so when %s', async (_when, scope, outcome) => {
    expect(await outcomeOf(succeeded(scope))).toEqual(outcome);
  });
});
