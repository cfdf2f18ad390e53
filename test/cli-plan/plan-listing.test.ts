import { describe, expect, test } from 'vitest';
import { planJsonLines, planListing } from '../../src/cli/plan-listing.js';
import { discoverProject } from '../../src/plan/discover.js';
import { planRun, type Plan, type PlannedAttempt } from '../../src/plan/plan.js';
import { evalFile, experimentFile, writeProject } from '../plan/project.js';

async function planWith(decisions: readonly PlannedAttempt['decision'][]): Promise<Plan> {
  await using project = await writeProject({ 'evals/a.eval.ts': evalFile(), 'experiments/x/y.ts': experimentFile() });
  const plan = await planRun(await discoverProject(project.root), { selectors: [], experiments: [], tags: [], attempts: decisions.length, timeoutMs: 50 });
  return { warnings: ['odd\u001b[31m'], attempts: plan.attempts.map(({ identity: _identity, ...attempt }, index) => ({ ...attempt, decision: decisions[index] ?? { action: 'run', why: 'asked-for' } })) };
}

describe('a plan is told', () => {
  const decisions = [
    { action: 'run', why: 'asked-for' }, { action: 'run', why: 'identity-mismatch' }, { action: 'reuse', from: { runId: 'r\u001b1', attemptId: 'a.1' }, why: 'passed-before' },
    { action: 'reuse', from: { runId: 'r1', attemptId: 'a.2' }, why: 'failed-before' },
  ] as const;

  test('to people, with why', async () => {
    expect(planListing(await planWith(decisions)).split('\n')).toEqual([
      'warning: odd\\u001b[31m',
      'a by x/y #1 (silent, at most 50 ms)',
      'a by x/y #2 (silent, at most 50 ms): runs: something that it rests on has changed',
      'a by x/y #3 (silent, at most 50 ms): used again: it passed in r\\u001b1, a.1',
      'a by x/y #4 (silent, at most 50 ms): used again: it failed in r1, a.2',
      '2 to run, 2 used again',
      '',
    ]);
  });

  test('to people as before, where everything runs', async () => {
    const { attempts } = await planWith(decisions.slice(0, 1));
    expect(planListing({ attempts, warnings: [] })).toBe('a by x/y #1 (silent, at most 50 ms)\n');
  });

  test('to programs, one line each', async () => {
    const lines = planJsonLines(await planWith(decisions.slice(2, 3))).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { type: 'run.warning', message: 'odd\u001b[31m' },
      {
        type: 'attempt.planned', attempt: expect.stringMatching(/^a\.x-y\.[0-9a-f]{8}\.1$/) as unknown, evalId: 'a', experimentId: 'x/y', group: 'x', index: 1, agent: 'silent',
        timeout: { limitMs: 50, source: '--timeout' }, decision: decisions[2],
      },
    ]);
  });
});
