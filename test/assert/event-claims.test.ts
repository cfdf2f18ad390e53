import { describe, expect, test } from 'vitest';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import { event, notEvent, type EventSelector } from '../../src/assert/event-claims.js';
import type { CountOptions } from '../../src/assert/selection.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import { eventMatch } from '../../src/expect/event.js';
import type { MatchOutcome } from '../../src/expect/match.js';
import { toolMatch } from '../../src/expect/tool.js';
import { equals } from '../../src/expect/values.js';
import { outcomeOf } from './outcomes.js';
import { call, delegation, orphanEnd, says, scopeOf, undecidable } from './scopes.js';

type Status = MatchOutcome['status'];

const compaction = (reason?: string): StreamEvent => ({ type: 'compaction', ...(reason === undefined ? {} : { reason }) });

describe('event', () => {
  test.each<[string, readonly StreamEvent[], EventSelector, CountOptions, Status]>([
    ['a kind by its bare name', [compaction()], 'compaction', {}, 'matched'],
    ['a kind that is not there', [says('a')], 'compaction', {}, 'mismatched'],
    ['messages of both roles', [says('a', 'user'), says('b')], 'message', { count: 2 }, 'matched'],
    ['messages of one role', [says('a', 'user'), says('b')], eventMatch('message', { role: 'assistant' }), { count: 1 }, 'matched'],
    ['exactly two, of which one is there', [compaction()], 'compaction', { count: 2 }, 'mismatched'],
    ['exactly two, of which three are there', [compaction(), compaction(), compaction()], 'compaction', { count: 2 }, 'mismatched'],
    ['at least two of three', [compaction(), compaction(), compaction()], 'compaction', { count: { atLeast: 2 } }, 'matched'],
    ['a reason that one tells and another does not', [compaction('auto'), compaction()], eventMatch('compaction', { reason: 'auto' }), {}, 'matched'],
    ['a reason that was not told', [compaction()], eventMatch('compaction', { reason: 'auto' }), {}, 'unavailable'],
    ['two with a reason, of which only one can have it', [compaction()], eventMatch('compaction', { reason: 'auto' }), { count: 2 }, 'mismatched'],
    ['another reason', [compaction('manual')], eventMatch('compaction', { reason: 'auto' }), {}, 'mismatched'],
    ['calls, and no subagents', [...call('Edit'), ...delegation('helper')], 'operation.started', { count: 1 }, 'matched'],
    ['subagents, and no calls', [...call('Edit'), ...delegation('helper')], eventMatch('operation.started', { subagent: true }), { count: 1 }, 'matched'],
    ['a call by the match of a tool', call('Edit', 'failed'), eventMatch('operation.finished', { tool: toolMatch('Edit', { status: 'failed' }) }), {}, 'matched'],
    ['the name of a call whose status is open', undecidable('Edit'), eventMatch('operation.started', { tool: 'Edit' }), { count: 2 }, 'matched'],
    ['the status of such a call', undecidable('Edit'), eventMatch('operation.started', { tool: toolMatch('Edit', { status: 'failed' }) }), {}, 'unavailable'],
    ['a start, of which only the end was seen', [orphanEnd()], 'operation.started', {}, 'unavailable'],
    ['an end, of which the start was not seen', [orphanEnd()], 'operation.finished', {}, 'matched'],
    ['the end of a tool, and it may be any', [orphanEnd()], eventMatch('operation.finished', { tool: 'Edit' }), {}, 'unavailable'],
  ])('%s', async (_what, events, selector, options, expected) => {
    expect((await outcomeOf(event(scopeOf({ events }), selector, options))).status).toBe(expected);
  });

  test('counts over all sessions of the scope, and pairs within each', async () => {
    const sessions = [{ events: call('Edit', 'completed', 'a'), statuses: [] }, { events: call('Bash', 'failed', 'a'), statuses: [] }];
    expect((await outcomeOf(event(scopeOf({ sessions }), 'operation.finished', { count: 2 }))).status).toBe('matched');
    expect((await outcomeOf(event(scopeOf({ sessions }), eventMatch('operation.finished', { tool: 'Bash', status: 'failed' }), { count: 1 }))).status).toBe('matched');
  });

  test.each<[string, readonly StreamEvent[], EventSelector, object]>([
    ['what was found', [says('a'), says('b')], 'message', { status: 'matched', note: 'message #1 "a", message #2 "b"' }],
    ['three and how many more', [says('a'), says('b'), says('c'), says('d'), says('e')], 'message', { status: 'matched', note: 'message #1 "a", message #2 "b", message #3 "c" and 2 more' }],
    ['that nothing was', [says('a')], 'error', { status: 'mismatched', expected: 'at least once', received: '0 found among 1 events' }],
    [
      'where the nearest differs', [says('a'), says('b', 'user')], eventMatch('message', { text: 'x' }),
      { status: 'mismatched', expected: 'at least once', received: '0 found among 2 events', nearest: { what: 'message #1 "a"', expected: '"x"', received: '"a"', path: '/text' } },
    ],
  ])('tells %s', async (_what, events, selector, outcome) => {
    expect(await outcomeOf(event(scopeOf({ events }), selector))).toEqual(outcome);
  });
});

describe('notEvent', () => {
  test.each<[string, readonly StreamEvent[], EventSelector, Status]>([
    ['what did not happen', [says('a')], 'error', 'matched'],
    ['what did', [{ type: 'error', message: 'no' }], 'error', 'mismatched'],
    ['what may have', [compaction()], eventMatch('compaction', { reason: 'auto' }), 'unavailable'],
    ['what may have, beside what did', [compaction(), compaction('auto')], eventMatch('compaction', { reason: 'auto' }), 'mismatched'],
    ['a start of which only the end was seen', [orphanEnd()], 'operation.started', 'unavailable'],
    ['a delegation of which only the end was seen', [orphanEnd('subagent')], eventMatch('operation.started', { subagent: 'helper' }), 'unavailable'],
    ['another kind beside such an end', [orphanEnd()], 'error', 'matched'],
  ])('%s', async (_what, events, selector, expected) => {
    expect((await outcomeOf(notEvent(scopeOf({ events }), selector))).status).toBe(expected);
  });

  test('tells what it found', async () => {
    expect(await outcomeOf(notEvent(scopeOf({ events: [{ type: 'skill.loaded', skill: 'pdf' }] }), 'skill.loaded'))).toEqual({
      status: 'mismatched', expected: 'no such event', received: '1 found: skill.loaded #1 pdf',
    });
  });
});

test('claims say in words what they are about', () => {
  const scope = scopeOf({});
  expect([event(scope, 'compaction'), event(scope, 'compaction', { count: 1 }), notEvent(scope, eventMatch('error', { message: /a/ }))].map(({ description }) => description)).toEqual([
    'turn 1 had event compaction', 'turn 1 had event compaction exactly once', 'turn 1 had no event error with message "/a/"',
  ]);
});

test.each<[string, unknown, string]>([
  ['an unknown kind', 'tool', 'eventMatch does not know the kind "tool". It knows message, operation.started, operation.finished, skill.loaded, input.requested, thinking, context.injected, compaction, error.'],
  ['a match of values', equals(1), 'An event is asked for by eventMatch(...) or by the name of a kind, not by {"domain":"value","description":"equals 1"}.'],
  ['nothing', undefined, 'An event is asked for by eventMatch(...) or by the name of a kind, not by undefined.'],
])('refuses %s', (_what, selector, message) => {
  for (const make of [event, notEvent]) expect(() => make(scopeOf({}), selector as EventSelector)).toThrow(new ClaimAuthoringError(message));
});
