import { describe, it } from 'vitest';
import { parseCodexAppServer, parseCodexExec } from '../../../src/agents/codex/parse.js';
import { expectGolden } from '../golden.js';
import { fixturesOf } from '../fixtures.js';

describe('recorded runs of codex exec 0.171.0', () => {
  const runs = fixturesOf('codex', '0.171.0').filter(({ name }) => !name.startsWith('app-'));
  it.each(runs.map((run) => [run.name, run] as const))('tells %s as its script ran it', (_name, run) => {
    expectGolden(run.folder, parseCodexExec(run.witnesses, run.end, { prompt: 'known to the harness' }));
  });
});

describe('recorded turns of codex app-server 0.171.0', () => {
  const runs = fixturesOf('codex', '0.171.0').filter(({ name }) => name.startsWith('app-'));
  it.each(runs.map((run) => [run.name, run] as const))('tells %s as its script ran it', (_name, run) => {
    expectGolden(run.folder, parseCodexAppServer(run.witnesses.filter(({ kind }) => kind !== 'rollout'), run.end, { prompt: 'known to the harness' }));
  });
});
