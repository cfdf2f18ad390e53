import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';

const input = { name: 'own', evidenceCoverage: completeEvidenceCoverage, send: () => Promise.resolve({ events: [], status: 'completed' as const }) };

describe('the files that an agent rests on', () => {
  test('are kept', () => {
    expect(defineAgent({ ...input, inputFiles: ['./rules.md'] }).inputFiles).toEqual(['./rules.md']);
  });

  test.each([['./rules.md'], [['']], [[1]], [['a\0b']], [{}]])('are refused when they are %j', (inputFiles) => {
    expect(() => defineAgent({ ...input, inputFiles: inputFiles as never })).toThrow('defineAgent(): `inputFiles` of the agent "own" must be a list of paths.');
  });
});
