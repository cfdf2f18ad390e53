import { describe, expect, test } from 'vitest';
import { eventOrder, event, notEvent } from '../../src/assert/event-claims.js';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import { calledTool, notCalledTool, toolOrder } from '../../src/assert/tool-claims.js';
import { outcomeOf } from '../assert/outcomes.js';
import { call, scopeOf } from '../assert/scopes.js';
import { and, not, or } from '../../src/expect/combine.js';
import { commandMatch } from '../../src/expect/command.js';
import { eventMatch } from '../../src/expect/event.js';
import type { EventMatch, ToolMatch } from '../../src/expect/match.js';
import { toolMatch } from '../../src/expect/tool.js';

const edits = (times: number) => scopeOf({ events: Array.from({ length: times }, () => call('Edit')).flat() });
const notes = (times: number) => scopeOf({ events: Array.from({ length: times }, () => ({ type: 'thinking', text: 'hm' } as const)) });

type Quantified = readonly [string, (match: ToolMatch | EventMatch) => ToolMatch | EventMatch, readonly number[]];
/** Which of 0 to 4 occurrences hold. */
const QUANTIFIERS: readonly Quantified[] = [
  ['atLeast(1)', (match) => match.atLeast(1), [1, 2, 3, 4]],
  ['atLeast(3)', (match) => match.atLeast(3), [3, 4]],
  ['atMost(0)', (match) => match.atMost(0), [0]],
  ['atMost(2)', (match) => match.atMost(2), [0, 1, 2]],
  ['exactly(0)', (match) => match.exactly(0), [0]],
  ['exactly(2)', (match) => match.exactly(2), [2]],
  ['between(0, 1)', (match) => match.between(0, 1), [0, 1]],
  ['between(1, 3)', (match) => match.between(1, 3), [1, 2, 3]],
  ['between(2, 2)', (match) => match.between(2, 2), [2]],
];

describe.each(QUANTIFIERS)('%s', (_name, quantified, holding) => {
  test.each([0, 1, 2, 3, 4])('of %d', async (times) => {
    const expected = holding.includes(times) ? 'matched' : 'mismatched';
    expect((await outcomeOf(calledTool(edits(times), quantified(toolMatch('Edit')) as ToolMatch))).status).toBe(expected);
    expect((await outcomeOf(event(notes(times), quantified(eventMatch('thinking')) as EventMatch))).status).toBe(expected);
  });
});

describe('a match that says how often', () => {
  test('is another one: the first is left as it was', () => {
    const tool = toolMatch('Edit');
    const twice = tool.exactly(2);
    expect([tool.count, twice.count, Object.isFrozen(twice), Object.isFrozen(twice.count)]).toEqual([undefined, { min: 2, max: 2 }, true, true]);
    expect(twice.description).toBe(tool.description);
    expect(() => { (twice as { count: unknown }).count = undefined; }).toThrow(TypeError);
    expect(tool.atLeast(3).count).toEqual({ min: 3, max: Infinity });
  });

  test('is told in words by the claim', () => {
    const scope = edits(0);
    expect([
      calledTool(scope, toolMatch('Edit')), calledTool(scope, toolMatch('Edit').atLeast(1)), calledTool(scope, toolMatch('Edit').atMost(0)),
      calledTool(scope, toolMatch('Edit').atMost(2)), calledTool(scope, toolMatch('Edit').exactly(1)), calledTool(scope, toolMatch('Edit').between(1, 3)),
      event(scope, eventMatch('compaction').atLeast(2)),
    ].map(({ description }) => description)).toEqual([
      'turn 1 called tool "Edit"', 'turn 1 called tool "Edit" at least once', 'turn 1 called tool "Edit" not at all',
      'turn 1 called tool "Edit" at most 2 times', 'turn 1 called tool "Edit" exactly once', 'turn 1 called tool "Edit" 1 to 3 times',
      'turn 1 had event compaction at least 2 times',
    ]);
  });

  test('can be a combination', async () => {
    const match = or(toolMatch('Edit'), toolMatch('Write')).exactly(2);
    expect((await outcomeOf(calledTool(scopeOf({ events: [...call('Edit'), ...call('Write'), ...call('Read')] }), match))).status).toBe('matched');
    expect(not(commandMatch('git')).atMost(1).count).toEqual({ min: 0, max: 1 });
    expect(and(eventMatch('message'), not(eventMatch('error'))).between(1, 2).count).toEqual({ min: 1, max: 2 });
  });

  test.each<[string, (match: ToolMatch | EventMatch) => unknown]>([
    ['atLeast', (match) => match.exactly(1).atLeast(1)], ['atMost', (match) => match.atLeast(1).atMost(2)],
    ['exactly', (match) => match.atMost(1).exactly(1)], ['between', (match) => match.between(1, 2).between(1, 2)],
  ])('cannot say it again by .%s()', (method, again) => {
    const message = `.${method}() was called on a match that says already how often. Say it once.`;
    expect(() => again(toolMatch('Edit'))).toThrow(new TypeError(message));
    expect(() => again(eventMatch('error'))).toThrow(new TypeError(message));
  });
});

test.each<[string, (match: ToolMatch) => unknown, string]>([
  ['at least none', (match) => match.atLeast(0), '.atLeast(0) asks for nothing: it always holds. Use at least 1, or .atMost(0) for none.'],
  ['none or more', (match) => match.between(0, Infinity), '.between(0, Infinity) asks for nothing: it always holds. Use at least 1, or .atMost(0) for none.'],
  ['any number at most', (match) => match.atMost(Infinity), '.atMost(Infinity) asks for nothing: it always holds. Use at least 1, or .atMost(0) for none.'],
  ['less than nothing', (match) => match.atLeast(-1), '.atLeast() needs whole numbers from 0, the smaller one first, not -1.'],
  ['half a time', (match) => match.exactly(1.5), '.exactly() needs whole numbers from 0, the smaller one first, not 1.5.'],
  ['the larger number first', (match) => match.between(3, 1), '.between() needs whole numbers from 0, the smaller one first, not 3 and 1.'],
  ['no number', (match) => match.atMost(Number.NaN), '.atMost() needs whole numbers from 0, the smaller one first, not NaN.'],
  ['endlessly many', (match) => match.exactly(Infinity), '.exactly() needs whole numbers from 0, the smaller one first, not Infinity.'],
  ['a number in words', (match) => match.atLeast('2' as unknown as number), '.atLeast() needs whole numbers from 0, the smaller one first, not 2.'],
])('refuses %s', (_what, quantified, message) => {
  expect(() => quantified(toolMatch('Edit'))).toThrow(new TypeError(message));
});

describe('where a number has no meaning it is refused', () => {
  const tool = toolMatch('Edit').exactly(2);
  const compaction = eventMatch('compaction').exactly(2);
  const scope = edits(2);
  const oneOccurrence = (word: string, what: string): TypeError => new TypeError(`${word}() looks at one occurrence, so "${what}" cannot say how often. Put the number on the whole: ${word}(...).atLeast(2).`);
  test.each<[string, () => unknown, Error]>([
    ['and', () => and(tool, toolMatch('Edit')), oneOccurrence('and', 'tool "Edit"')],
    ['or', () => or(eventMatch('error'), compaction), oneOccurrence('or', 'event compaction')],
    ['not', () => not(tool), oneOccurrence('not', 'tool "Edit"')],
    ['notCalledTool', () => notCalledTool(scope, tool), new ClaimAuthoringError('notCalledTool takes no number of times from "tool "Edit"": it says already: not at all.')],
    ['notEvent', () => notEvent(scope, compaction), new ClaimAuthoringError('notEvent takes no number of times from "event compaction": it says already: not at all.')],
    ['toolOrder', () => toolOrder(scope, ['Read', tool]), new ClaimAuthoringError('toolOrder takes no number of times from "tool "Edit"": name a tool twice for "twice in order".')],
    ['eventOrder', () => eventOrder(scope, ['message', compaction]), new ClaimAuthoringError('eventOrder takes no number of times from "event compaction": name an event twice for "twice in order".')],
    ['count beside it, of tools', () => calledTool(scope, tool, { count: 2 }), new ClaimAuthoringError('calledTool: "tool "Edit"" says already how often. Leave `count` out.')],
    ['count beside it, of events', () => event(scope, compaction, { count: { atLeast: 1 } }), new ClaimAuthoringError('event: "event compaction" says already how often. Leave `count` out.')],
    [
      'a tool inside an event', () => eventMatch('operation.started', { tool }),
      new TypeError('eventMatch looks at one event, so the match in `tool` cannot say how often. Put the number on the whole: eventMatch(...).atLeast(2).'),
    ],
  ])('%s', (_where, use, error) => {
    expect(use).toThrow(error);
  });
});

test.each<[string, unknown, string]>([
  ['zero', 0, '0'], ['half', 0.5, '0.5'], ['a text', '2', '"2"'], ['at least zero', { atLeast: 0 }, '{"atLeast":0}'], ['at most', { atMost: 2 }, '{"atMost":2}'], ['null', null, 'null'],
])('a count of %s is refused', (_what, count, shown) => {
  expect(() => calledTool(edits(1), 'Edit', { count } as never)).toThrow(new ClaimAuthoringError(`calledTool: a count is a whole number from 1 or { atLeast }, not ${shown}. For none use notCalledTool.`));
  expect(() => event(edits(1), 'error', { count } as never)).toThrow(new ClaimAuthoringError(`event: a count is a whole number from 1 or { atLeast }, not ${shown}. For none use notEvent.`));
});

test.each<[string, unknown, string]>([
  ['an unknown option', { times: 1 }, 'calledTool does not know the option "times". It knows count.'],
  ['options that are none', null, 'calledTool needs its options as an object, not null.'],
])('calledTool refuses %s', (_what, options, message) => {
  expect(() => calledTool(edits(1), 'Edit', options as never)).toThrow(new ClaimAuthoringError(message));
});
