import { describe, expect, test } from 'vitest';
import { judgeInputRequest, type InputRequestFilter, type PendingInput } from '../../src/assert/input-claims.js';
import { completeEvidenceCoverage, type EvidenceCoverage } from '../../src/evidence/coverage.js';
import { coverageWith } from './scopes.js';

const SIZE = { id: 'r1', prompt: 'Which size?' };
const COLOUR = { id: 'r2', prompt: 'Which colour?' };
const cut = coverageWith('events', 'partial');

describe('exactly one request that fits', () => {
  test.each<[string, PendingInput['requests'], InputRequestFilter, EvidenceCoverage, string]>([
    ['is there', [SIZE, COLOUR], { prompt: /size/ }, completeEvidenceCoverage, 'matched'],
    ['is not there', [SIZE], { prompt: /colour/ }, completeEvidenceCoverage, 'mismatched'],
    ['is one of two', [SIZE, COLOUR], {}, completeEvidenceCoverage, 'mismatched'],
    ['is there, and another may not have been seen', [SIZE], { prompt: /size/ }, cut, 'unavailable'],
    ['was not seen and may be there', [SIZE], { prompt: /colour/ }, cut, 'unavailable'],
    ['is one of two, whatever else was not seen', [SIZE, COLOUR], {}, cut, 'mismatched'],
  ])('%s', (_what, requests, filter, coverage, expected) => {
    expect(judgeInputRequest({ session: 'the agent', status: 'waiting', requests, coverage }, filter).outcome.status).toBe(expected);
  });
});
