import { describe, it } from 'vitest';
import { parseCodexExec } from '../../../src/agents/codex/parse.js';
import { expectGolden } from '../golden.js';
import { fixturesOf } from '../fixtures.js';

describe('recorded runs of codex exec 0.171.0', () => {
  const runs = fixturesOf('codex', '0.171.0').filter(({ name }) => !name.startsWith('app-'));
  it.each(runs.map((run) => [run.name, run] as const))('tells %s as its script ran it', (_name, run) => {
    expectGolden(run.folder, parseCodexExec(run.witnesses, run.end, { prompt: 'known to the harness' }));
  });
});
