import { describe, expect, test } from 'vitest';
import type { Claim } from '../../src/assert/claim.js';
import type { ClaimSpec, EvaluationKind } from '../../src/assert/entry.js';
import { ClaimAuthoringError, ClaimStop } from '../../src/assert/errors.js';
import type { AnyHandle } from '../../src/assert/handle.js';
import { ClaimLedger } from '../../src/assert/ledger.js';

const holds: ClaimSpec = { description: 'it holds', evaluate: () => ({ status: 'matched' }) };
const differs: ClaimSpec = { description: 'it differs', evaluate: () => ({ status: 'mismatched', expected: '1', received: '2' }) };
const hidden: ClaimSpec = { description: 'it is hidden', evaluate: () => ({ status: 'unavailable', code: 'not-kept', reason: 'it was not kept' }) };
const breaks: ClaimSpec = { description: 'it breaks', evaluate: () => { throw new Error('no such table'); } };
const measures = (score: number): ClaimSpec => ({ kind: 'measurement', description: 'it measures', measure: () => ({ status: 'measured', score }) });
const unmeasured: ClaimSpec = { kind: 'measurement', description: 'it measures', measure: () => ({ status: 'unavailable', code: 'judge-key-missing', reason: 'no key' }) };
const gives = (given: number): ClaimSpec => ({ kind: 'points', description: 'given', given });

const SPECS = { 'boolean': holds, 'file': { ...holds, atEnd: true }, 'measurement': measures(0.5), 'points': gives(2) } as const satisfies Record<string, ClaimSpec>;
type Kind = keyof typeof SPECS;

/** Each method, with an argument that is good. */
const METHODS = {
  'key': (handle) => handle.key('a'),
  'label': (handle) => handle.label('a'),
  'group': (handle) => handle.group('a'),
  'optional': (handle) => handle.optional(),
  'soft': (handle) => handle.soft(),
  'gate': (handle) => handle.gate(),
  'gate(n)': (handle) => handle.gate(0.5),
  'atLeast': (handle) => handle.atLeast(0.5),
  'score': (handle) => handle.score(1),
  'orStop': (handle) => handle.orStop(),
} as const satisfies Record<string, (handle: AnyHandle) => unknown>;
type Method = keyof typeof METHODS;

const NAMING: readonly Method[] = ['key', 'label', 'group'];
const ALLOWED: Record<EvaluationKind, Record<Kind, readonly Method[]>> = {
  pass: {
    'boolean': [...NAMING, 'optional', 'soft', 'gate', 'orStop'],
    'file': [...NAMING, 'optional', 'soft', 'gate'],
    'measurement': [...NAMING, 'optional', 'gate(n)', 'atLeast', 'orStop'],
    'points': NAMING,
  },
  score: {
    'boolean': [...NAMING, 'gate', 'score', 'orStop'],
    'file': [...NAMING, 'gate', 'score'],
    'measurement': [...NAMING, 'gate(n)', 'atLeast', 'score', 'orStop'],
    'points': NAMING,
  },
};

/** Uses one method; a promise is waited for. That the test would stop is fine. */
async function use(handle: AnyHandle, method: Method): Promise<void> {
  try {
    await METHODS[method](handle);
  } catch (error) {
    if (!(error instanceof ClaimStop)) throw error;
  }
}

const CASES = (['pass', 'score'] as const).flatMap((evaluation) => (Object.keys(SPECS) as Kind[]).map((kind) => [kind, evaluation] as const));

describe.each(CASES)('the handle of a %s claim in a %s eval', (kind, evaluation) => {
  const open = (): AnyHandle => new ClaimLedger({ evaluation }).register(SPECS[kind]);

  test('takes what has a meaning there and refuses the rest', async () => {
    const taken: string[] = [];
    for (const method of Object.keys(METHODS) as Method[]) {
      try {
        await use(open(), method);
        taken.push(method);
      } catch (error) {
        expect(error).toBeInstanceOf(ClaimAuthoringError);
      }
    }
    expect(new Set(taken)).toEqual(new Set(ALLOWED[evaluation][kind]));
  });

  test.each(ALLOWED[evaluation][kind])('takes .%s once', async (method) => {
    const handle = open();
    await use(handle, method);
    await expect(use(handle, method)).rejects.toBeInstanceOf(ClaimAuthoringError);
  });

  test.each(ALLOWED[evaluation][kind])('takes .%s no more when it was evaluated', async (method) => {
    const ledger = new ClaimLedger({ evaluation });
    const handle = ledger.register(SPECS[kind]);
    await ledger.settle();
    const name = method === 'gate(n)' ? 'gate' : method;
    await expect(use(handle, method)).rejects.toEqual(new ClaimAuthoringError(`.${name}() came after the claim was evaluated ("${SPECS[kind].description}")`));
  });

  test('gives itself back, and cannot be changed', () => {
    for (const method of ALLOWED[evaluation][kind].filter((name) => name !== 'orStop')) {
      const handle = open();
      expect(METHODS[method](handle)).toBe(handle);
      expect(Object.isFrozen(handle)).toBe(true);
    }
  });
});

test.each<[string, EvaluationKind, ClaimSpec, (handle: AnyHandle) => unknown, string]>([
  ['soft and then gate', 'pass', holds, (handle) => handle.soft().gate(), '.soft() and .gate() contradict each other. Keep one ("it holds")'],
  ['gate and then soft', 'pass', holds, (handle) => handle.gate().soft(), '.soft() and .gate() contradict each other. Keep one ("it holds")'],
  ['gate and then atLeast', 'pass', measures(1), (handle) => handle.gate(0.5).atLeast(0.4), '.gate(n) and .atLeast(n) are alternatives: one decides, the other only records. Keep one ("it measures")'],
  ['atLeast and then gate', 'score', measures(1), (handle) => handle.atLeast(0.4).gate(0.5), '.gate(n) and .atLeast(n) are alternatives: one decides, the other only records. Keep one ("it measures")'],
  ['optional in an eval that gives points', 'score', holds, (handle) => handle.optional(), '.optional() has no meaning in an eval that gives points. Points that cannot be told cannot be forgiven. Leave it out. ("it holds")'],
  ['soft in an eval that gives points', 'score', holds, (handle) => handle.soft(), '.soft() has no meaning in an eval that gives points. A claim there decides nothing unless .gate() says so. Leave it out. ("it holds")'],
  ['points in an eval that passes or fails', 'pass', holds, (handle) => handle.score(1), '.score() gives points, and this eval passes or fails. Use defineScoreEval ("it holds")'],
  ['a limit for a claim that holds or not', 'pass', holds, (handle) => handle.gate(1), '.gate(n) is for measurements; a claim that holds or not takes .gate() ("it holds")'],
  ['atLeast for such a claim', 'pass', holds, (handle) => handle.atLeast(1), '.atLeast(n) is for measurements. For how often, give the number to the match: toolMatch(...).atLeast(2) ("it holds")'],
  ['soft for a measurement', 'pass', measures(1), (handle) => handle.soft(), '.soft() is for claims that hold or not. Use .atLeast(n) to record a measurement ("it measures")'],
  ['a gate without a limit for a measurement', 'pass', measures(1), (handle) => handle.gate(), '.gate() needs a number from 0 to 1, not undefined.'],
  ['a gate above 1', 'pass', measures(1), (handle) => handle.gate(1.1), '.gate() needs a number from 0 to 1, not 1.1.'],
  ['a limit below 0', 'pass', measures(1), (handle) => handle.atLeast(-0.1), '.atLeast() needs a number from 0 to 1, not -0.1.'],
  ['negative points', 'score', holds, (handle) => handle.score(-1), 'Points are a finite number of at least 0, not -1.'],
  ['endless points', 'score', holds, (handle) => handle.score(Infinity), 'Points are a finite number of at least 0, not Infinity.'],
  ['points that are no number', 'score', holds, (handle) => handle.score('1' as never), 'Points are a finite number of at least 0, not "1".'],
  ['a blank key', 'pass', holds, (handle) => handle.key(' '), '.key() needs 1 to 256 characters and no control characters; " " is none.'],
  ['a group over two lines', 'pass', holds, (handle) => handle.group('a\nb'), '.group() needs 1 to 256 characters and no control characters; "a\\nb" is none.'],
])('%s is refused', (_what, evaluation, spec, configure, message) => {
  expect(() => configure(new ClaimLedger({ evaluation }).register(spec))).toThrow(new ClaimAuthoringError(message));
});

test('a key belongs to one claim of an Attempt', () => {
  const ledger = new ClaimLedger();
  ledger.register(holds).key('sum');
  const other = ledger.register(differs);
  expect(() => other.key('sum')).toThrow(new ClaimAuthoringError('The key "sum" is taken by another claim of this Attempt ("it differs")'));
  expect(other.key('sum2')).toBe(other);
});

/** What a claim came to, without what it is about. */
async function told(evaluation: EvaluationKind, spec: ClaimSpec, configure: (handle: AnyHandle) => unknown = () => undefined): Promise<Partial<Claim>> {
  const ledger = new ClaimLedger({ evaluation });
  configure(ledger.register(spec));
  const [{ ordinal: _ordinal, description: _description, kind: _kind, ...rest } = {}] = await ledger.settle();
  return rest;
}

describe('in an eval that passes or fails', () => {
  const missing = { state: 'errored', code: 'pass-measurement-threshold-missing', reason: 'it measured 0.5, but nothing says from what on that is good. Add .gate(n), or .atLeast(n) to record it only' };
  test.each<[string, ClaimSpec, (handle: AnyHandle) => unknown, Partial<Claim>]>([
    ['a claim gates by itself', differs, () => undefined, { gates: true, optional: false, state: 'mismatched', expected: '1', received: '2' }],
    ['gate says the same', differs, (handle) => handle.gate(), { gates: true, optional: false, state: 'mismatched', expected: '1', received: '2' }],
    ['orStop decides, also where the limit only records', measures(0.4), (handle) => { void handle.atLeast(0.5).orStop().catch(() => undefined); return handle; }, { gates: true, optional: false, state: 'mismatched', score: 0.4, threshold: 0.5, expected: 'at least 0.5', received: '0.4' }],
    ['soft makes a mismatch decide nothing', differs, (handle) => handle.soft(), { gates: false, optional: true, state: 'mismatched', expected: '1', received: '2' }],
    ['soft forgives what cannot be told', hidden, (handle) => handle.soft(), { gates: false, optional: true, state: 'unavailable', code: 'not-kept', reason: 'it was not kept' }],
    ['soft forgives no broken condition', breaks, (handle) => handle.soft(), { gates: false, optional: true, state: 'errored', code: 'condition-threw', reason: 'no such table' }],
    ['optional forgives no mismatch', differs, (handle) => handle.optional(), { gates: true, optional: true, state: 'mismatched', expected: '1', received: '2' }],
    ['a measurement at its gate', measures(0.5), (handle) => handle.gate(0.5), { gates: true, optional: false, state: 'matched', score: 0.5, threshold: 0.5 }],
    ['a measurement above its gate', measures(0.6), (handle) => handle.gate(0.5), { gates: true, optional: false, state: 'matched', score: 0.6, threshold: 0.5 }],
    ['a measurement below its gate', measures(0.4), (handle) => handle.gate(0.5), { gates: true, optional: false, state: 'mismatched', score: 0.4, threshold: 0.5, expected: 'at least 0.5', received: '0.4' }],
    ['a gate of 0', measures(0), (handle) => handle.gate(0), { gates: true, optional: false, state: 'matched', score: 0, threshold: 0 }],
    ['a measurement at its limit', measures(0.5), (handle) => handle.atLeast(0.5), { gates: false, optional: false, state: 'matched', score: 0.5, threshold: 0.5 }],
    ['a measurement below its limit', measures(0.4), (handle) => handle.atLeast(0.5), { gates: false, optional: false, state: 'mismatched', score: 0.4, threshold: 0.5, expected: 'at least 0.5', received: '0.4' }],
    ['a measurement without a limit is a mistake', measures(0.5), () => undefined, { gates: false, optional: false, score: 0.5, ...missing } as Partial<Claim>],
    ['and optional does not mend it', measures(0.5), (handle) => handle.optional(), { gates: false, optional: true, score: 0.5, ...missing } as Partial<Claim>],
    ['a measurement that there is none of', unmeasured, (handle) => handle.gate(0.5), { gates: true, optional: false, state: 'unavailable', code: 'judge-key-missing', reason: 'no key' }],
  ])('%s', async (_what, spec, configure, claim) => {
    expect(await told('pass', spec, configure)).toEqual(claim);
  });
});

describe('in an eval that gives points', () => {
  test.each<[string, ClaimSpec, (handle: AnyHandle) => unknown, Partial<Claim>]>([
    ['a claim is only recorded', differs, () => undefined, { gates: false, optional: false, state: 'mismatched', expected: '1', received: '2' }],
    ['a claim that holds earns its points', holds, (handle) => handle.score(3), { gates: false, optional: false, state: 'matched', points: { possible: 3, earned: 3 } }],
    ['a claim that does not earns none', differs, (handle) => handle.score(3), { gates: false, optional: false, state: 'mismatched', expected: '1', received: '2', points: { possible: 3, earned: 0 } }],
    ['a claim that cannot be told has points that nobody knows', hidden, (handle) => handle.score(3), { gates: false, optional: false, state: 'unavailable', code: 'not-kept', reason: 'it was not kept', points: { possible: 3 } }],
    ['so has one whose condition broke', breaks, (handle) => handle.score(3), { gates: false, optional: false, state: 'errored', code: 'condition-threw', reason: 'no such table', points: { possible: 3 } }],
    ['a claim may be worth nothing', holds, (handle) => handle.score(0), { gates: false, optional: false, state: 'matched', points: { possible: 0, earned: 0 } }],
    ['a claim may gate as well', differs, (handle) => handle.gate().score(3), { gates: true, optional: false, state: 'mismatched', expected: '1', received: '2', points: { possible: 3, earned: 0 } }],
    ['a measurement earns its share', measures(0.25), (handle) => handle.score(4), { gates: false, optional: false, state: 'measured', score: 0.25, points: { possible: 4, earned: 1 } }],
    ['a measurement needs no limit', measures(0.25), () => undefined, { gates: false, optional: false, state: 'measured', score: 0.25 }],
    ['a measurement below its gate earns its share all the same', measures(0.25), (handle) => handle.score(4).gate(0.5), { gates: true, optional: false, state: 'mismatched', score: 0.25, threshold: 0.5, expected: 'at least 0.5', received: '0.25', points: { possible: 4, earned: 1 } }],
    ['a measurement that there is none of', unmeasured, (handle) => handle.score(4), { gates: false, optional: false, state: 'unavailable', code: 'judge-key-missing', reason: 'no key', points: { possible: 4 } }],
    ['points that the test gives are earned', gives(1.5), (handle) => handle.label('speed'), { label: 'speed', gates: false, optional: false, state: 'measured', points: { possible: 1.5, earned: 1.5 } }],
  ])('%s', async (_what, spec, configure, claim) => {
    expect(await told('score', spec, configure)).toEqual(claim);
  });
});

describe('orStop of a measurement', () => {
  test.each<[string, EvaluationKind, ClaimSpec, (handle: AnyHandle) => AnyHandle, 'goes on' | 'stops']>([
    ['at its gate', 'pass', measures(0.5), (handle) => handle.gate(0.5), 'goes on'],
    ['below its gate', 'pass', measures(0.4), (handle) => handle.gate(0.5), 'stops'],
    ['below a limit that only records', 'pass', measures(0.4), (handle) => handle.atLeast(0.5), 'stops'],
    ['without a limit, which is a mistake', 'pass', measures(1), (handle) => handle, 'stops'],
    ['without a limit, for points', 'score', measures(0), (handle) => handle.score(1), 'goes on'],
    ['that there is none of', 'pass', unmeasured, (handle) => handle.gate(0.5), 'stops'],
    ['that there is none of, forgiven', 'pass', unmeasured, (handle) => handle.gate(0.5).optional(), 'goes on'],
  ])('%s', async (_what, evaluation, spec, configure, expected) => {
    const stopping = configure(new ClaimLedger({ evaluation }).register(spec)).orStop();
    if (expected === 'stops') await expect(stopping).rejects.toEqual(new ClaimStop('it measures'));
    else await expect(stopping).resolves.toBeUndefined();
  });
});

test('measurements are made side by side, and told in the order in which they were claimed', async () => {
  const ledger = new ClaimLedger({ evaluation: 'score' });
  const begun: string[] = [];
  let meet = (): void => undefined;
  const met = new Promise<void>((resolve) => { meet = resolve; });
  const measure = (name: string): ClaimSpec => ({
    kind: 'measurement', description: name,
    measure: async () => {
      begun.push(name);
      if (begun.length === 3) meet();
      await met;
      return { status: 'measured', score: 1 };
    },
  });
  for (const name of ['a', 'b', 'c']) ledger.register(measure(name));
  expect((await ledger.settle()).map(({ description }) => description)).toEqual(['a', 'b', 'c']);
});
