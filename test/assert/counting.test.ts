import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { find, judgeCount, type Countable, type CountState } from '../../src/assert/count.js';
import { eventOrder } from '../../src/assert/event-claims.js';
import { findOrder } from '../../src/assert/order.js';
import { judgeOrder } from '../../src/assert/order-claims.js';
import { toolOrder } from '../../src/assert/tool-claims.js';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import { eventMatch } from '../../src/expect/event.js';
import type { MatchOutcome } from '../../src/expect/match.js';
import { toolMatch } from '../../src/expect/tool.js';
import { outcomeOf } from './outcomes.js';
import { call, coverageWith, orphanEnd, says, scopeOf, undecidable } from './scopes.js';

type Status = MatchOutcome['status'];
const STATUSES = ['matched', 'mismatched', 'unavailable'] as const;
const OUTCOMES: Record<Status, MatchOutcome> = {
  matched: { status: 'matched' },
  mismatched: { status: 'mismatched', expected: 'more', received: 'less' },
  unavailable: { status: 'unavailable', code: 'not-kept', reason: 'it was not kept' },
};
const GAP = { code: 'actions-coverage-partial', reason: 'cut' };

const statusOf = (state: CountState): Status => (typeof state === 'string' ? state : state.status);

/** What all ways to complete a picture have in common: all hold, none holds, or some do. */
function verdictOver(completions: readonly boolean[]): Status {
  return completions.every(Boolean) ? 'matched' : completions.some(Boolean) ? 'unavailable' : 'mismatched';
}

describe('a count is decided exactly when every way to complete the picture decides it alike', () => {
  test('for all small numbers', () => {
    const unseen = 8; // More than any bound below, so that what may be hidden can pass each of them.
    for (let matched = 0; matched <= 4; matched += 1) for (let undecided = 0; undecided <= 3; undecided += 1) {
      for (let min = 0; min <= 4; min += 1) for (const max of [...Array.from({ length: 5 - min }, (_item, more) => min + more), Infinity]) {
        for (const gap of [undefined, GAP]) {
          const completions: boolean[] = [];
          for (let more = 0; more <= undecided; more += 1) for (let hidden = 0; hidden <= (gap === undefined ? 0 : unseen); hidden += 1) {
            const count = matched + more + hidden;
            completions.push(count >= min && count <= max);
          }
          const state = judgeCount({ min, max }, { matched, undecided, ...(undecided === 0 ? {} : { firstUndecided: OUTCOMES.unavailable as never }), gap });
          expect({ matched, undecided, min, max, gap, status: statusOf(state) }).toEqual({ matched, undecided, min, max, gap, status: verdictOver(completions) });
        }
      }
    }
  });

  test('over candidates of every kind, answered at once or later', async () => {
    const candidates = fc.array(fc.record({ status: fc.constantFrom(...STATUSES), isLate: fc.boolean() }), { maxLength: 6 });
    await fc.assert(fc.asyncProperty(candidates, fc.nat(3), fc.nat(3), fc.boolean(), async (subjects, min, more, isComplete) => {
      const match: Countable<(typeof subjects)[number]> = { description: 'is one', evaluate: ({ status, isLate }) => (isLate ? Promise.resolve(OUTCOMES[status]) : OUTCOMES[status]) };
      const found = await find(match, subjects);
      const state = judgeCount({ min, max: min + more }, { ...found, matched: found.matched.length, gap: isComplete ? undefined : GAP });
      // Every subset of what is undecided may match, and up to 8 unseen ones may be there.
      const open = subjects.filter(({ status }) => status === 'unavailable').length;
      const certain = subjects.filter(({ status }) => status === 'matched').length;
      const completions = Array.from({ length: 2 ** open }, (_item, subset) => subset.toString(2).replaceAll('0', '').length)
        .flatMap((picked) => Array.from({ length: isComplete ? 1 : 9 }, (_item, hidden) => certain + picked + hidden))
        .map((count) => count >= min && count <= min + more);
      expect(statusOf(state)).toBe(verdictOver(completions));
    }), { numRuns: 400 });
  });
});

/** Independent of the cursor: every way to pick rising places is tried. */
function embeds(rows: readonly (readonly boolean[])[], from = 0): boolean {
  const [row, ...later] = rows;
  if (row === undefined) return true;
  return row.some((fits, index) => index >= from && fits && embeds(later, index + 1));
}

describe('an order is decided exactly when every way to decide its candidates decides it alike', () => {
  const cells = (steps: number, subjects: number) => fc.array(fc.array(fc.constantFrom(...STATUSES), { minLength: subjects, maxLength: subjects }), { minLength: steps, maxLength: steps });
  const matrices = fc.tuple(fc.integer({ min: 2, max: 3 }), fc.nat(4)).chain(([steps, subjects]) => cells(steps, subjects));

  test('in one session, answered at once or later', async () => {
    await fc.assert(fc.asyncProperty(matrices, fc.boolean(), async (matrix, isLate) => {
      const subjects = (matrix[0] ?? []).map((_cell, index) => index);
      const steps = matrix.map((row, step): Countable<number> => ({
        description: `step ${step}`,
        evaluate: (index) => { const outcome = OUTCOMES[row[index] as Status]; return isLate ? Promise.resolve(outcome) : outcome; },
      }));
      const { state } = await findOrder(steps, subjects);
      const open = matrix.flatMap((row, step) => row.flatMap((cell, index) => (cell === 'unavailable' ? [[step, index] as const] : [])));
      const completions = Array.from({ length: 2 ** Math.min(open.length, 12) }, (_item, subset) => embeds(matrix.map((row, step) => row.map((cell, index) => {
        if (cell !== 'unavailable') return cell === 'matched';
        const bit = open.findIndex(([otherStep, otherIndex]) => otherStep === step && otherIndex === index);
        return (subset & (1 << bit)) !== 0;
      }))));
      expect({ found: 'matched', possible: 'unavailable', absent: 'mismatched' }[state]).toBe(verdictOver(completions));
    }), { numRuns: 300 });
  });

  test('over several sessions it holds where one of them has it', async () => {
    await fc.assert(fc.asyncProperty(fc.array(fc.array(fc.constantFrom('A', 'B', 'C'), { maxLength: 5 }), { maxLength: 3 }), fc.boolean(), async (sessions, isComplete) => {
      const order = ['A', 'B', 'A'];
      const scope = scopeOf({
        sessions: sessions.map((names) => ({ events: names.flatMap((name) => call(name)), statuses: ['completed'] })),
        ...(isComplete ? {} : { coverage: coverageWith('actions', 'partial') }),
      });
      const isThere = sessions.some((names) => embeds(order.map((step) => names.map((name) => name === step))));
      expect((await outcomeOf(toolOrder(scope, order))).status).toBe(isThere ? 'matched' : isComplete ? 'mismatched' : 'unavailable');
    }), { numRuns: 200 });
  });
});

describe('toolOrder', () => {
  const unclear = undecidable('Edit');
  const failedEdit = toolMatch('Edit', { status: 'failed' });
  test.each<[string, readonly StreamEvent[], Parameters<typeof toolOrder>[1], Status]>([
    ['one after the other', [...call('Read'), ...call('Edit')], ['Read', 'Edit'], 'matched'],
    ['others between', [...call('Read'), ...call('Bash'), ...call('Edit')], ['Read', 'Edit'], 'matched'],
    ['the other way round', [...call('Edit'), ...call('Read')], ['Read', 'Edit'], 'mismatched'],
    ['only the first', call('Read'), ['Read', 'Edit'], 'mismatched'],
    ['twice the same, once there', call('Read'), ['Read', 'Read'], 'mismatched'],
    ['twice the same, twice there', [...call('Read'), ...call('Read')], ['Read', 'Read'], 'matched'],
    ['twice the same with another between, which is not there', [...call('Read'), ...call('Read'), ...call('Edit')], ['Read', 'Edit', 'Read'], 'mismatched'],
    ['a name and a wider match, for one call', call('Edit'), ['Edit', toolMatch()], 'mismatched'],
    ['a candidate that may be the one', [...call('Read'), ...unclear], ['Read', failedEdit], 'unavailable'],
    ['a candidate that may be the one, too early', [...unclear, ...call('Read')], ['Read', failedEdit], 'mismatched'],
    ['a candidate that may be the one before a certain one', [...call('Read'), ...unclear, ...call('Edit', 'failed')], ['Read', failedEdit], 'matched'],
    ['an end without a start, and the order is there', [...call('Read'), ...call('Edit'), orphanEnd()], ['Read', 'Edit'], 'matched'],
    ['an end without a start, and it is not', [...call('Read'), orphanEnd()], ['Read', 'Edit'], 'unavailable'],
    ['nothing at all', [], ['Read', 'Edit'], 'mismatched'],
  ])('%s', async (_what, events, order, expected) => {
    expect((await outcomeOf(toolOrder(scopeOf({ events }), order))).status).toBe(expected);
  });

  test('is no order when its steps lie in two sessions', async () => {
    const sessions = [{ events: call('Read'), statuses: [] }, { events: call('Edit'), statuses: [] }];
    expect(await outcomeOf(toolOrder(scopeOf({ sessions }), ['Read', 'Edit']))).toEqual({ status: 'mismatched', expected: '2 in this order', received: 'the first 1; after them no tool "Edit"' });
  });

  test.each<[string, readonly StreamEvent[], string]>([
    ['nothing', [], 'no tool "Read"'],
    ['the first step', call('Read'), 'the first 1; after them no tool "Edit"'],
    ['two steps', [...call('Read'), ...call('Edit')], 'the first 2; after them no tool "Bash"'],
  ])('says how far it came: %s', async (_what, events, received) => {
    expect(await outcomeOf(toolOrder(scopeOf({ events }), ['Read', 'Edit', 'Bash']))).toEqual({ status: 'mismatched', expected: '3 in this order', received });
  });

  test('says why it cannot be told', async () => {
    const scope = scopeOf({ events: call('Read'), coverage: coverageWith('actions', 'partial') });
    expect(await outcomeOf(toolOrder(scope, ['Read', 'Edit']))).toEqual({ status: 'unavailable', code: 'actions-coverage-partial', reason: 'actions coverage is partial: the stream was cut' });
  });
});

describe('eventOrder', () => {
  const think: StreamEvent = { type: 'thinking', text: 'hm' };
  test.each<[string, readonly StreamEvent[], Parameters<typeof eventOrder>[1], Status]>([
    ['a question and its answer', [says('a', 'user'), says('b')], [eventMatch('message', { role: 'user' }), eventMatch('message', { role: 'assistant' })], 'matched'],
    ['the start and the end of one call', call('Edit'), ['operation.started', 'operation.finished'], 'matched'],
    ['an end before a start', call('Edit'), ['operation.finished', 'operation.started'], 'mismatched'],
    ['a call among other kinds', [think, ...call('Edit'), says('done')], ['thinking', eventMatch('operation.started', { tool: 'Edit' }), 'message'], 'matched'],
    ['the same kind twice, once there', [think, says('a')], ['thinking', 'thinking'], 'mismatched'],
    ['the same kind twice', [think, says('a'), think], ['thinking', 'thinking'], 'matched'],
    ['a reason that was not told', [think, { type: 'compaction' }], ['thinking', eventMatch('compaction', { reason: 'auto' })], 'unavailable'],
    ['a start that was missed', [says('a'), orphanEnd()], ['message', 'operation.started'], 'unavailable'],
    ['a subagent whose start was missed', [says('a'), orphanEnd('subagent')], ['message', eventMatch('operation.started', { subagent: true })], 'unavailable'],
  ])('%s', async (_what, events, order, expected) => {
    expect((await outcomeOf(eventOrder(scopeOf({ events }), order))).status).toBe(expected);
  });
});

test.each<[string, () => unknown, string]>([
  ['toolOrder of one', () => toolOrder(scopeOf({}), ['Read']), 'toolOrder needs a list of at least two tools.'],
  ['toolOrder of a name', () => toolOrder(scopeOf({}), 'Read' as never), 'toolOrder needs a list of at least two tools.'],
  ['toolOrder of what is no tool', () => toolOrder(scopeOf({}), ['Read', eventMatch('error') as never]), 'toolOrder needs a tool name, toolMatch(...), commandMatch(...) or shellMatch(...).'],
  ['eventOrder of one', () => eventOrder(scopeOf({}), ['message']), 'eventOrder needs a list of at least two events.'],
  ['eventOrder of a tool', () => eventOrder(scopeOf({}), ['message', toolMatch('Edit') as never]), 'An event is asked for by eventMatch(...) or by the name of a kind, not by {"domain":"tool","description":"tool \\"Edit\\""}.'],
])('refuses %s', (_what, make, message) => {
  expect(make).toThrow(new ClaimAuthoringError(message));
});

test('an order over no session is missing from its first step on', async () => {
  const steps: readonly Countable<number>[] = [{ description: 'a', evaluate: () => OUTCOMES.matched }, { description: 'b', evaluate: () => OUTCOMES.matched }];
  expect(await judgeOrder(scopeOf({ sessions: [] }), steps, () => [], undefined)).toEqual({ status: 'mismatched', expected: '2 in this order', received: 'no a' });
});
