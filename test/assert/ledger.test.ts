import { describe, expect, test } from 'vitest';
import type { AnyHandle } from '../../src/assert/handle.js';
import { ClaimAuthoringError, ClaimStop } from '../../src/assert/errors.js';
import { ClaimLedger } from '../../src/assert/ledger.js';
import type { ClaimSpec } from '../../src/assert/entry.js';
import type { MatchOutcome } from '../../src/expect/match.js';

const OUTCOMES = {
  matched: { status: 'matched' },
  mismatched: { status: 'mismatched', expected: '1', received: '2' },
  unavailable: { status: 'unavailable', reason: 'it was not kept' },
} as const satisfies Record<MatchOutcome['status'], MatchOutcome>;

const spec = (description: string, outcome: keyof typeof OUTCOMES = 'matched'): ClaimSpec => ({ description, evaluate: () => OUTCOMES[outcome] });

describe('ClaimLedger', () => {
  test('settles every claim in the order in which it was made', async () => {
    const ledger = new ClaimLedger();
    ledger.register(spec('a'));
    ledger.register({ description: 'b', evaluate: () => Promise.resolve({ status: 'mismatched', expected: 'x', received: 'y', path: '/0/name' }) }).label('the name');
    ledger.register(spec('c', 'unavailable')).optional();
    ledger.register({ description: 'd', evaluate: () => { throw new Error('no such table'); } });
    ledger.register({ description: 'e', evaluate: () => Promise.reject(new Error('not today')) });
    expect(await ledger.settle()).toEqual([
      { ordinal: 1, kind: 'boolean', description: 'a', gates: true, optional: false, state: 'matched' },
      { ordinal: 2, kind: 'boolean', description: 'b', label: 'the name', gates: true, optional: false, state: 'mismatched', expected: 'x', received: 'y', path: '/0/name' },
      { ordinal: 3, kind: 'boolean', description: 'c', gates: true, optional: true, state: 'unavailable', code: 'evidence-unavailable', reason: 'it was not kept' },
      { ordinal: 4, kind: 'boolean', description: 'd', gates: true, optional: false, state: 'errored', code: 'condition-threw', reason: 'no such table' },
      { ordinal: 5, kind: 'boolean', description: 'e', gates: true, optional: false, state: 'errored', code: 'condition-threw', reason: 'not today' },
    ]);
  });

  test('evaluates a claim once, however often it is settled', async () => {
    let evaluations = 0;
    const ledger = new ClaimLedger();
    const handle = ledger.register({ description: 'a', evaluate: () => { evaluations += 1; return OUTCOMES.matched; } });
    await handle.orStop();
    const first = await ledger.settle();
    expect(await ledger.settle()).toEqual(first);
    expect(evaluations).toBe(1);
  });

  test('takes no claim after it was settled', async () => {
    const ledger = new ClaimLedger();
    await ledger.settle();
    expect(() => ledger.register(spec('a'))).toThrow(new ClaimAuthoringError('"a" was claimed too late: the test has ended.'));
  });

  test('takes 4096 claims and no more', async () => {
    const ledger = new ClaimLedger();
    for (let made = 0; made < 4096; made += 1) ledger.register(spec('a'));
    expect(() => ledger.register(spec('b'))).toThrow(new ClaimAuthoringError('An Attempt can make 4096 claims; this is one more.'));
    expect((await ledger.settle()).length).toBe(4096);
  });
});

describe('a handle', () => {
  test('takes each of its methods once', async () => {
    const ledger = new ClaimLedger();
    const handle = ledger.register(spec('a'));
    expect(handle.label('first')).toBe(handle);
    expect(handle.optional()).toBe(handle);
    expect(() => handle.label('second')).toThrow(new ClaimAuthoringError('.label() was called twice ("a")'));
    expect(() => handle.optional()).toThrow(new ClaimAuthoringError('.optional() was called twice ("a")'));
    const stopping = handle.orStop();
    await expect(handle.orStop()).rejects.toEqual(new ClaimAuthoringError('.orStop() was called twice ("a")'));
    await stopping;
    expect(await ledger.settle()).toEqual([{ ordinal: 1, kind: 'boolean', description: 'a', label: 'first', gates: true, optional: true, state: 'matched' }]);
  });

  test.each<[string, (handle: AnyHandle) => unknown]>([
    ['label', (handle) => handle.label('late')],
    ['optional', (handle) => handle.optional()],
    ['orStop', (handle) => handle.orStop()],
  ])('takes no .%s() after its claim was evaluated', async (method, configure) => {
    const ledger = new ClaimLedger();
    const handle = ledger.register(spec('a'));
    await ledger.settle();
    await expect((async () => configure(handle))()).rejects.toEqual(new ClaimAuthoringError(`.${method}() came after the claim was evaluated ("a")`));
  });

  test.each<[string, string]>([['an empty text', ''], ['blanks', '  '], ['a newline', 'a\nb'], ['an escape character', '\u001b[31mred'], ['257 characters', 'x'.repeat(257)]])(
    'takes no label of %s', (_what, label) => {
      expect(() => new ClaimLedger().register(spec('a')).label(label)).toThrow(
        new ClaimAuthoringError(`.label() needs 1 to 256 characters and no control characters; ${JSON.stringify(label)} is none.`),
      );
    },
  );

  test('counts the characters of a label as people do', async () => {
    const ledger = new ClaimLedger();
    ledger.register(spec('a')).label('🙂'.repeat(256));
    expect((await ledger.settle())[0]?.label).toBe('🙂'.repeat(256));
  });
});

describe('orStop', () => {
  const cases: readonly [string, ClaimSpec, boolean, 'goes on' | 'stops'][] = [
    ['matched', spec('a', 'matched'), false, 'goes on'],
    ['mismatched', spec('a', 'mismatched'), false, 'stops'],
    ['mismatched and optional', spec('a', 'mismatched'), true, 'stops'],
    ['unavailable', spec('a', 'unavailable'), false, 'stops'],
    ['unavailable and optional', spec('a', 'unavailable'), true, 'goes on'],
    ['errored', { description: 'a', evaluate: () => { throw new Error('broken'); } }, false, 'stops'],
    ['errored and optional', { description: 'a', evaluate: () => { throw new Error('broken'); } }, true, 'stops'],
  ];
  test.each(cases)('on a claim that is %s', async (_state, claim, optional, expected) => {
    const ledger = new ClaimLedger();
    const handle = ledger.register(claim);
    if (optional) handle.optional();
    if (expected === 'goes on') {
      await handle.orStop();
      ledger.register(spec('b'));
      expect((await ledger.settle()).map(({ description }) => description)).toEqual(['a', 'b']);
    } else {
      await expect(handle.orStop()).rejects.toEqual(new ClaimStop('a'));
      expect(() => ledger.register(spec('b'))).toThrow(new ClaimAuthoringError('"b" was claimed too late: the test was stopped by "a".'));
      expect((await ledger.settle()).map(({ description }) => description)).toEqual(['a']);
    }
  });

  test('evaluates the claims before it first, in order, and leaves those about the end alone', async () => {
    const told: string[] = [];
    const ledger = new ClaimLedger();
    const claim = (description: string): ClaimSpec => ({ description, evaluate: () => { told.push(description); return OUTCOMES.matched; } });
    ledger.register(claim('a'));
    ledger.register({ ...claim('the end'), atEnd: true });
    const handle = ledger.register(claim('b'));
    ledger.register(claim('later'));
    await handle.orStop();
    expect(told).toEqual(['a', 'b']);
    await ledger.settle();
    expect(told).toEqual(['a', 'b', 'the end', 'later']);
  });

  test('does not stop at an earlier claim that does not hold', async () => {
    const ledger = new ClaimLedger();
    ledger.register(spec('a', 'mismatched'));
    await ledger.register(spec('b')).orStop();
    expect((await ledger.settle()).map(({ state }) => state)).toEqual(['mismatched', 'matched']);
  });

  test('is refused after soft, and soft after it', async () => {
    const ledger = new ClaimLedger();
    await expect(ledger.register(spec('a')).soft().orStop()).rejects.toEqual(new ClaimAuthoringError('.soft() and .orStop() contradict each other: what ends the test decides. Keep one ("a")'));
  });

  test('is refused for a claim about the end, which is not there yet', async () => {
    const ledger = new ClaimLedger();
    const handle = ledger.register({ ...spec('the agent changed a.txt'), atEnd: true });
    await expect(handle.orStop()).rejects.toEqual(
      new ClaimAuthoringError('.orStop() cannot wait for what an agent changed: it is judged when the test has ended. Leave .orStop() out ("the agent changed a.txt")'),
    );
    expect(await ledger.settle()).toEqual([{ ordinal: 1, kind: 'boolean', description: 'the agent changed a.txt', gates: true, optional: false, state: 'matched' }]);
  });
});
