import { describe, expect, test } from 'vitest';
import type { ToolOccurrence } from '../../src/evidence/occurrence.js';
import { and, not, or } from '../../src/expect/combine.js';
import { createMatch, type MatchOutcome, type ValueMatch } from '../../src/expect/match.js';
import { toolMatch } from '../../src/expect/tool.js';
import { equals, isTrue, satisfies } from '../../src/expect/values.js';

type Status = MatchOutcome['status'];

const OUTCOMES: Record<Status, MatchOutcome> = {
  matched: { status: 'matched' },
  mismatched: { status: 'mismatched', expected: 'more', received: 'less' },
  unavailable: { status: 'unavailable', reason: 'it was not kept' },
};
const fixed = (status: Status): ValueMatch => createMatch({ domain: 'value', description: status, evaluate: () => OUTCOMES[status] });

describe('three-valued logic', () => {
  test.each<[Status, Status, Status, Status]>([
    ['matched', 'matched', 'matched', 'matched'],
    ['matched', 'mismatched', 'mismatched', 'matched'],
    ['matched', 'unavailable', 'unavailable', 'matched'],
    ['mismatched', 'matched', 'mismatched', 'matched'],
    ['mismatched', 'mismatched', 'mismatched', 'mismatched'],
    ['mismatched', 'unavailable', 'mismatched', 'unavailable'],
    ['unavailable', 'matched', 'unavailable', 'matched'],
    ['unavailable', 'mismatched', 'mismatched', 'unavailable'],
    ['unavailable', 'unavailable', 'unavailable', 'unavailable'],
  ])('%s, %s: and %s, or %s', async (a, b, both, either) => {
    expect((await and(fixed(a), fixed(b)).evaluate(1)).status).toBe(both);
    expect((await or(fixed(a), fixed(b)).evaluate(1)).status).toBe(either);
  });

  test.each<[Status, Status]>([['matched', 'mismatched'], ['mismatched', 'matched'], ['unavailable', 'unavailable']])('%s: not %s', async (a, expected) => {
    expect((await not(fixed(a)).evaluate(1)).status).toBe(expected);
  });
});

test('says in words what was expected and received', async () => {
  expect(await or(equals(1), equals(2)).evaluate(3)).toEqual({ status: 'mismatched', expected: '(equals 1) or (equals 2)', received: '3' });
  expect(await and(equals(1), isTrue()).evaluate(1)).toEqual({ status: 'mismatched', expected: 'is true', received: '1' });
  expect(await not(equals(1)).evaluate(1)).toEqual({ status: 'mismatched', expected: 'not (equals 1)', received: 'one that it holds for' });
  expect(and(equals(1), not(isTrue())).description).toBe('(equals 1) and (not (is true))');
});

test('waits for conditions that answer later', async () => {
  const later = satisfies('answers later', () => Promise.resolve(false));
  expect((await and(isTrue(), later).evaluate(true)).status).toBe('mismatched');
  expect((await not(later).evaluate(true)).status).toBe('matched');
});

describe('matches of tool calls', () => {
  const call: ToolOccurrence = {
    operationId: '1', startedIndex: 0, operation: { kind: 'tool', name: 'Bash', input: { command: 'ls' }, tool: 'shell' }, status: 'completed',
  };

  test('combine like those of values and stay matches of tool calls', async () => {
    const either = or(toolMatch('Write'), toolMatch('Bash', { status: 'completed' }));
    const both = and(toolMatch('Bash'), not(toolMatch(undefined, { status: 'failed' })));
    expect([either.domain, both.domain]).toEqual(['tool', 'tool']);
    expect([(await either.evaluate(call)).status, (await both.evaluate(call)).status]).toEqual(['matched', 'matched']);
    expect((await not(toolMatch('Bash')).evaluate(call)).status).toBe('mismatched');
  });

  test('do not combine with those of values', () => {
    expect(() => and(toolMatch('Bash') as unknown as ValueMatch, isTrue())).toThrow(new TypeError('and() needs matches of one kind: of values, of tool calls or of events.'));
  });
});

test.each<[string, () => unknown, string]>([
  ['and of one', () => and(isTrue()), 'and() needs at least two matches.'],
  ['or of none', () => or(), 'or() needs at least two matches.'],
  ['or with a plain value', () => or(isTrue(), true as unknown as ValueMatch), 'or() needs comparisons made by niceeval/expect, not true.'],
  ['not of a plain value', () => not('a' as unknown as ValueMatch), 'not() needs comparisons made by niceeval/expect, not "a".'],
])('refuses %s', (_what, make, message) => {
  expect(make).toThrow(new TypeError(message));
});
