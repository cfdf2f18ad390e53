import { describe, expect, test } from 'vitest';
import { discoverProject } from '../../src/plan/discover.js';
import { planRun, type PlanOptions } from '../../src/plan/plan.js';
import { decide, type Decision, type PriorOutcome, type Undecided } from '../../src/plan/reuse.js';
import { evalFile, experimentFile, writeProject } from './project.js';

const passed: PriorOutcome = { runId: 'new', attemptId: 'a.x.1', evalId: 'a', experimentId: 'x', index: 1, identity: 'same', verdict: 'passed', durationMs: 1000, interrupted: false };
const failed: PriorOutcome = { ...passed, verdict: 'failed' };
const attempt: Undecided = { index: 1, identity: 'same', limitMs: undefined, rerun: 'errored', keepSandbox: undefined };
const run = (why: string): object => ({ action: 'run', why });
const reuse = (why: string, from = { runId: 'new', attemptId: 'a.x.1' }): object => ({ action: 'reuse', from, why });
const { identity: _none, ...unidentified } = passed;

describe('an Attempt', () => {
  test.each<[string, readonly PriorOutcome[], Partial<Undecided>, object]>([
    ['that passed', [passed], {}, reuse('passed-before')],
    ['that failed', [failed], {}, reuse('failed-before')],
    ['that failed, when nothing more is to run again', [failed], { rerun: 'none' }, reuse('failed-before')],
    ['that failed, when what failed is to run again', [failed], { rerun: 'failed' }, run('rerun-failed')],
    ['that passed, when what failed is to run again', [passed], { rerun: 'failed' }, reuse('passed-before')],
    ['that passed, when everything is to run again', [passed], { rerun: 'all' }, run('rerun-all')],
    ['that errored', [{ ...passed, verdict: 'errored' }], { rerun: 'none' }, run('errored')],
    ['that was skipped', [{ ...passed, verdict: 'skipped' }], { rerun: 'none' }, run('skipped')],
    ['that was interrupted', [{ ...passed, interrupted: true }], { rerun: 'none' }, run('interrupted')],
    ['with another identity', [passed], { identity: 'other' }, run('identity-mismatch')],
    ['without an identity today', [passed], { identity: undefined }, run('identity-mismatch')],
    ['without an identity then', [unidentified], {}, run('identity-mismatch')],
    ['without an identity then and today', [unidentified], { identity: undefined }, run('identity-mismatch')],
    ['that took as long as it may take', [passed], { limitMs: 1000 }, reuse('passed-before')],
    ['that took longer than it may take', [passed], { limitMs: 999 }, run('timeout-exceeded')],
    ['that failed and took longer than it may take', [failed], { limitMs: 999 }, run('timeout-exceeded')],
    ['that nobody knows', [], {}, run('no-record')],
    ['of another index', [{ ...passed, index: 2 }], {}, run('no-record')],
    ['whose sandbox is to be kept', [passed], { keepSandbox: 'all' }, run('sandbox-kept')],
    ['that failed, where the sandboxes of those are to be kept', [failed], { keepSandbox: 'failed' }, run('sandbox-kept')],
    ['that passed, where the sandboxes of others are to be kept', [passed], { keepSandbox: 'failed' }, reuse('passed-before')],
    ['that an older run has and the newest has not', [{ ...passed, index: 2 }, { ...passed, runId: 'old' }], {}, run('no-record')],
    ['that errored in the newest run and passed in an older one', [{ ...passed, verdict: 'errored' }, { ...passed, runId: 'old' }], {}, run('errored')],
    ['that was another one in the newest run', [{ ...passed, identity: 'other' }, { ...passed, runId: 'old' }], {}, run('identity-mismatch')],
    ['that the newest run used again itself', [{ ...passed, reusedFrom: { runId: 'first', attemptId: 'a.x.1' } }], {}, reuse('passed-before', { runId: 'first', attemptId: 'a.x.1' })],
  ])('%s', (_what, outcomes, change, decision) => {
    expect(decide(outcomes, { ...attempt, ...change })).toEqual(decision);
  });
});

describe('planRun', () => {
  const FILES = { 'evals/a.eval.ts': evalFile(), 'evals/b.eval.ts': evalFile(), 'experiments/x.ts': experimentFile('timeoutMs: 5000'), 'experiments/y.ts': experimentFile() };

  async function decisionsOf(options: Partial<PlanOptions>): Promise<readonly (Decision | undefined)[]> {
    await using project = await writeProject(FILES);
    return (await planRun(await discoverProject(project.root), { selectors: [], experiments: [], tags: [], ...options })).attempts.map(({ decision }) => decision);
  }

  /** What a run of everything came to: each Attempt passed, after 6 seconds. */
  async function allPassed(): Promise<PlanOptions['prior']> {
    await using project = await writeProject(FILES);
    const { attempts } = await planRun(await discoverProject(project.root), { selectors: [], experiments: [], tags: [] });
    const outcomes = attempts.map(({ id, evalId, experimentId, index, identity }): PriorOutcome => ({
      runId: 'before', attemptId: id, evalId, experimentId, index, ...(identity === undefined ? {} : { identity }), verdict: 'passed', durationMs: 6000, interrupted: false,
    }));
    return { of: (experimentId, evalId) => outcomes.filter((outcome) => outcome.experimentId === experimentId && outcome.evalId === evalId) };
  }

  test('runs everything where nothing earlier is given', async () => {
    expect(await decisionsOf({})).toEqual(Array.from({ length: 4 }, () => run('asked-for')));
    expect(await decisionsOf({ reuse: { rerun: 'failed' } })).toEqual(Array.from({ length: 4 }, () => run('asked-for')));
  });

  test('uses again what the same pair of eval and experiment came to, by the limits of today', async () => {
    const prior = await allPassed();
    const decisions = await decisionsOf({ ...(prior === undefined ? {} : { prior }), attempts: 2 });
    expect(decisions.map((decision) => decision?.action === 'reuse' ? decision.from.attemptId.replace(/[0-9a-f]{8}/, '*') : decision?.why)).toEqual([
      'timeout-exceeded', 'no-record', 'timeout-exceeded', 'no-record', 'a.y.*.1', 'no-record', 'b.y.*.1', 'no-record',
    ]);
  });

  test('runs all of it again when asked to', async () => {
    const prior = await allPassed();
    expect(await decisionsOf({ ...(prior === undefined ? {} : { prior }), reuse: { rerun: 'all' } })).toEqual(Array.from({ length: 4 }, () => run('rerun-all')));
  });
});
