import { describe, expect, test } from 'vitest';
import {
  completeEvidenceCoverage, EVIDENCE_CHANNELS, evidenceCoverageSchema, foldCoverage, lowerCoverage, worseEntry,
  type EvidenceCoverage, type EvidenceCoverageEntry,
} from '../../src/evidence/coverage.js';

const complete: EvidenceCoverageEntry = { status: 'complete' };
const partial: EvidenceCoverageEntry = { status: 'partial', reason: 'only the last event is sent' };
const unavailable: EvidenceCoverageEntry = { status: 'unavailable', reason: 'the interface hides it' };

test('has the six channels of the standard', () => {
  expect(EVIDENCE_CHANNELS).toEqual(['events', 'actions', 'messages', 'usage', 'status', 'data']);
  expect(completeEvidenceCoverage).toEqual({
    events: complete, actions: complete, messages: complete, usage: complete, status: complete, data: complete,
  });
});

describe('a turn may only lower the coverage of its agent', () => {
  const entries = { complete, partial, unavailable };
  const own: Record<keyof typeof entries, EvidenceCoverageEntry> = {
    complete, partial: { status: 'partial', reason: 'of this turn' }, unavailable: { status: 'unavailable', reason: 'of this turn' },
  };
  test.each([
    ['complete', 'complete', 'allowed'],
    ['complete', 'partial', 'allowed'],
    ['complete', 'unavailable', 'allowed'],
    ['partial', 'complete', 'refused'],
    ['partial', 'partial', 'allowed'],
    ['partial', 'unavailable', 'allowed'],
    ['unavailable', 'complete', 'refused'],
    ['unavailable', 'partial', 'refused'],
    ['unavailable', 'unavailable', 'allowed'],
  ] as const)('declared %s, turn %s: %s', (declared, turn, expected) => {
    const agent: EvidenceCoverage = { ...completeEvidenceCoverage, usage: entries[declared] };
    const lower = (): EvidenceCoverage => lowerCoverage(agent, { usage: own[turn] });
    if (expected === 'allowed') {
      expect(lower()).toEqual({ ...completeEvidenceCoverage, usage: own[turn] });
    } else {
      expect(lower).toThrow(new RangeError(
        `A turn claims ${turn} coverage of "usage", but its agent declares ${declared}. `
          + 'A turn may only lower coverage: declare it on the agent or leave the channel out.',
      ));
    }
  });

  test('a channel that the turn leaves out keeps the declaration', () => {
    const agent: EvidenceCoverage = { ...completeEvidenceCoverage, actions: partial, data: unavailable };
    expect(lowerCoverage(agent)).toEqual(agent);
    expect(lowerCoverage(agent, { usage: unavailable })).toEqual({ ...agent, usage: unavailable });
  });
});

test.each([
  [complete, complete, complete],
  [complete, partial, partial],
  [partial, complete, partial],
  [partial, unavailable, unavailable],
  [unavailable, complete, unavailable],
  [partial, partial, partial],
  [partial, { status: 'partial', reason: 'a second reason' }, { status: 'partial', reason: 'only the last event is sent; a second reason' }],
] as const)('of %j and %j the worse is %j', (a, b, worse) => {
  expect(worseEntry(a, b)).toEqual(worse);
});

test('several turns together are per channel as bad as the worst of them', () => {
  const first: EvidenceCoverage = { ...completeEvidenceCoverage, usage: partial };
  const second: EvidenceCoverage = { ...completeEvidenceCoverage, usage: unavailable, actions: partial };
  expect(foldCoverage([first, second, completeEvidenceCoverage])).toEqual({ ...completeEvidenceCoverage, usage: unavailable, actions: partial });
});

describe('the schema of a declaration', () => {
  test.each<[string, unknown]>([
    ['a channel is missing', { ...completeEvidenceCoverage, data: undefined }],
    ['a partial channel has no reason', { ...completeEvidenceCoverage, data: { status: 'partial' } }],
    ['a reason is blank', { ...completeEvidenceCoverage, data: { status: 'unavailable', reason: '  ' } }],
    ['a complete channel has a reason', { ...completeEvidenceCoverage, data: { status: 'complete', reason: 'all of it' } }],
    ['a status is not known', { ...completeEvidenceCoverage, data: { status: 'most', reason: 'nearly' } }],
    ['there is a seventh channel', { ...completeEvidenceCoverage, spans: complete }],
  ])('refuses it when %s', (_when, coverage) => {
    expect(evidenceCoverageSchema.safeParse(coverage).success).toBe(false);
  });

  test('takes all three states', () => {
    const coverage = { ...completeEvidenceCoverage, usage: partial, data: unavailable };
    expect(evidenceCoverageSchema.parse(coverage)).toEqual(coverage);
  });
});
