import { describe, it } from 'vitest';
import { parseClaudeCode } from '../../../src/agents/claude-code/parse.js';
import { expectGolden } from '../golden.js';
import { fixturesOf } from '../fixtures.js';

describe('recorded runs of Claude Code 2.1.197', () => {
  it.each(fixturesOf('claude-code', '2.1.197').map((run) => [run.name, run] as const))('tells %s as its script ran it', (_name, run) => {
    expectGolden(run.folder, parseClaudeCode(run.witnesses, run.end, { prompt: 'known to the harness' }));
  });
});
