import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { defineAgent } from '../../src/agents/define-agent.js';
import { AgentSendError } from '../../src/agents/errors.js';
import { EvalFatalError, ExperimentFatalError } from '../../src/define/failure-class.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import { equals } from '../../src/expect/values.js';
import { readRun } from '../../src/record/read-run.js';
import { attemptsOf, directAgent, ran } from './running.js';

// Clocks go a hundred times as fast; everything else is real.
let clock: NodeJS.Timeout;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  clock = setInterval(() => { vi.advanceTimersByTime(200); }, 2);
});
afterEach(() => {
  clearInterval(clock);
  vi.useRealTimers();
});

const done = { events: [], status: 'completed' } as const;
const limited = (): AgentSendError => new AgentSendError('own: the model service failed: 429', { kind: 'api-error', agent: 'own', httpStatus: 429 });
const send = async (t: { send(text: string): Promise<unknown> }): Promise<void> => { await t.send('work'); };

describe('an Attempt that the infrastructure broke', () => {
  test('is begun again in a record of its own, and its last try counts', async () => {
    let calls = 0;
    const agent = directAgent(async () => { calls += 1; if (calls < 3) throw limited(); return done; });
    await ran(attemptsOf({ agent, model: 'm' }, { a: send }), {}, async ({ result, events, folder }) => {
      expect(result.counts).toEqual({ total: 1, passed: 1, failed: 0, errored: 0, skipped: 0, infrastructure: 0 });
      expect(result.attempts).toMatchObject([{ id: 'a.own.1.try3', index: 1, verdict: 'passed', retries: ['a.own.1', 'a.own.1.try2'] }]);
      expect(events.flatMap((event) => (event.type === 'attempt.retrying' ? [[event.attempt, event.try, event.kind]] : []))).toEqual([['a.own.1', 1, 'rate-limit'], ['a.own.1.try2', 2, 'rate-limit']]);
      expect((await readdir(join(folder, 'attempts'))).sort()).toEqual(['a.own.1', 'a.own.1.try2', 'a.own.1.try3']);
      const record = await readRun(folder);
      expect([record.attempts.map(({ id }) => id), record.notStarted, record.inFlight, record.problems]).toEqual([['a.own.1.try3'], [], [], []]);
    });
  });

  test('is errored after its last try, and told as broken by the infrastructure', async () => {
    const agent = directAgent(async () => { throw limited(); });
    await ran(attemptsOf({ agent, retries: 1 }, { a: send }), {}, ({ result }) => {
      expect(result.counts).toEqual({ total: 1, passed: 0, failed: 0, errored: 1, skipped: 0, infrastructure: 1 });
      expect(result.attempts).toMatchObject([{ id: 'a.own.1.try2', failure: { kind: 'rate-limit', infrastructure: true } }]);
    });
  });

  test('is not begun again where a flag says so', async () => {
    let calls = 0;
    await ran(attemptsOf({ agent: directAgent(async () => { calls += 1; throw limited(); }), retries: 5 }, { a: send }), { retries: 0 }, () => { expect(calls).toBe(1); });
  });

  test('keeps its last word when the run is interrupted while it waits', async () => {
    const interruption = new AbortController();
    const agent = directAgent(async () => { throw limited(); });
    const options = { signal: interruption.signal, onEvent: ({ type }: { readonly type: string }) => { if (type === 'attempt.retrying') interruption.abort(); } };
    await ran(attemptsOf({ agent }, { a: send, b: send }), options, ({ result }) => {
      expect(result.attempts).toMatchObject([{ id: 'a.own.1', verdict: 'errored', failure: { kind: 'rate-limit' } }]);
      expect(result.notRun).toEqual([{ id: 'b.own.1', evalId: 'b', experimentId: 'own', index: 1, reason: 'interrupted', detail: 'the run was interrupted' }]);
    });
  });

  test('stops the run when there are more of them than allowed', async () => {
    const agent = directAgent(async () => { throw limited(); });
    await ran(attemptsOf({ agent, retries: 0 }, { a: send, b: send, c: send, d: send }), { maxInfraFailures: 1 }, ({ result, warnings }) => {
      expect([result.counts.infrastructure, result.notRun.map(({ id, reason }) => [id, reason])]).toEqual([2, [['c.own.1', 'halted'], ['d.own.1', 'halted']]]);
      expect(warnings).toContain('The infrastructure broke 2 Attempts; 1 are allowed. Nothing more is begun.');
    });
  });
});

describe('a wrong answer', () => {
  test('is never tried again', async () => {
    let calls = 0;
    const agent = directAgent(async () => { calls += 1; return done; });
    await ran(attemptsOf({ agent, retries: 9, classifyFailure: () => ({ retryable: true, reason: 'please' }) }, { a: async (t) => { await t.send('x'); t.check(1, equals(2)); } }), {}, ({ result }) => {
      expect([calls, result.counts.failed]).toEqual([1, 1]);
    });
  });
});

describe('a failure that reaches farther', () => {
  test('ends the eval, by this experiment only', async () => {
    const fatal = (): never => { throw new EvalFatalError('its data is gone'); };
    const [one, other] = ['one', 'other'].map((id) => attemptsOf({ id, agent: directAgent(async () => done), attempts: 2 }, { a: id === 'one' ? fatal : send, b: send }));
    await ran([...one ?? [], ...other ?? []], {}, ({ result, warnings }) => {
      expect(result.counts).toMatchObject({ passed: 6, errored: 1, infrastructure: 0 });
      expect(result.notRun).toEqual([{ id: 'a.one.2', evalId: 'a', experimentId: 'one', index: 2, reason: 'halted', detail: 'its data is gone' }]);
      expect(warnings).toContain('Nothing more of eval a by one is begun: its data is gone');
    });
  });

  test('ends the experiment', async () => {
    const agent = directAgent(async () => { throw new ExperimentFatalError('no licence'); });
    await ran(attemptsOf({ agent }, { a: send, b: send }), {}, ({ result }) => {
      expect([result.attempts.map(({ verdict }) => verdict), result.notRun.map(({ detail }) => detail)]).toEqual([['errored'], ['no licence']]);
    });
  });
});

describe('early exit', () => {
  test('leaves out what comes after a passed Attempt of the same eval and experiment, and says so', async () => {
    let calls = 0;
    const agent = directAgent(async () => { calls += 1; return done; });
    const test = async (t: Parameters<Parameters<typeof attemptsOf>[1][string]>[0]): Promise<void> => { await t.send('x'); t.check(calls, equals(2)); };
    await ran(attemptsOf({ agent, attempts: 4, earlyExit: true }, { a: test, b: send }), {}, ({ result }) => {
      expect(result.attempts.map(({ id, verdict }) => [id, verdict])).toEqual([['a.own.1', 'failed'], ['a.own.2', 'passed'], ['b.own.1', 'passed']]);
      expect(result.notRun.map(({ id, reason, detail }) => [id, reason, detail])).toEqual([
        ['a.own.3', 'early-exit', 'attempt 2 passed'], ['a.own.4', 'early-exit', 'attempt 2 passed'], ...[2, 3, 4].map((index) => [`b.own.${index}`, 'early-exit', 'attempt 1 passed']),
      ]);
    });
  });

  test('is overruled by a flag', async () => {
    await ran(attemptsOf({ agent: directAgent(async () => done), attempts: 2, earlyExit: true }, { a: send }), { earlyExit: false }, ({ result }) => { expect(result.counts.passed).toBe(2); });
  });
});

describe('a budget', () => {
  const spends = (tokens: number) => directAgent(async () => ({ ...done, usage: { inputTokens: tokens, outputTokens: 0 } }));

  test('of the run ends its beginnings, and what ran is judged', async () => {
    await ran(attemptsOf({ agent: spends(60), attempts: 4 }, { a: send }), { budget: { tokens: 100 } }, ({ result }) => {
      expect([result.counts.passed, result.notRun.map(({ reason, detail }) => [reason, detail])]).toEqual([
        2, [['budget', 'the budget of the run is spent: 120 of 100 tokens'], ['budget', 'the budget of the run is spent: 120 of 100 tokens']],
      ]);
    });
  });

  test('of an experiment leaves others alone', async () => {
    const attempts = [...attemptsOf({ id: 'poor', agent: spends(60), attempts: 3, budget: { tokens: 50 } }, { a: send }), ...attemptsOf({ id: 'rich', agent: spends(60), attempts: 3 }, { a: send })];
    await ran(attempts, {}, ({ result }) => {
      expect([result.attempts.map(({ experimentId }) => experimentId), result.notRun.length]).toEqual([['poor', 'rich', 'rich', 'rich'], 2]);
    });
  });

  test('in dollars is kept by the price list', async () => {
    // 1 US dollar for each million of input tokens.
    const pricing = { m: { inputPerMTok: 1, outputPerMTok: 1 } };
    await ran(attemptsOf({ agent: spends(1_000_000), model: 'm', attempts: 3, budget: 1.5 }, { a: send }), { pricing }, ({ result }) => {
      expect([result.counts.passed, result.notRun[0]?.detail]).toEqual([2, 'the budget of experiment own is spent: 2 of 1.5 US dollars']);
    });
  });

  test('of an Attempt refuses its next send; what it did until then is kept and judged', async () => {
    let judged = false;
    await ran(attemptsOf({ agent: spends(60), attemptBudget: { tokens: 50 } }, { a: async (t) => { t.check(1, equals(1)); await t.send('one'); judged = true; await t.send('two'); } }), {}, ({ result }) => {
      expect([judged, result.attempts]).toMatchObject([true, [{ verdict: 'errored', failure: { kind: 'budget', infrastructure: false }, usage: { inputTokens: 60 }, claims: { total: 1, matched: 1 } }]]);
    });
  });

  test('that nobody can enforce is said so, once', async () => {
    await ran(attemptsOf({ agent: directAgent(async () => done), attempts: 2, budget: { usd: 1, requests: 5 } }, { a: send }), {}, ({ warnings }) => {
      expect(warnings.filter((warning) => warning.includes('cannot be enforced'))).toEqual([
        'The budget of experiment own (1 US dollars) cannot be enforced for own: turn1: no usage is known.',
        'The budget of experiment own (5 requests) cannot be enforced for own: nobody counts its requests.',
      ]);
    });
  });

  test('of time ends beginnings although something still runs', async () => {
    let release: () => void = () => undefined;
    const agent = directAgent(() => new Promise((resolve) => { release = () => resolve(done); }));
    const options = { budget: { wallMs: 5_000 }, onEvent: ({ type }: { readonly type: string }) => { if (type === 'attempt.not-run') release(); } };
    await ran(attemptsOf({ agent, attempts: 2 }, { a: send }), options, ({ result }) => {
      expect([result.counts.passed, result.notRun.map(({ reason, detail }) => [reason, detail])]).toEqual([1, [['budget', 'its time is up']]]);
    });
  });
});

describe('the hooks of an experiment', () => {
  test('run once, before its first Attempt and after its last', async () => {
    const told: string[] = [];
    const agent = directAgent(async () => { told.push('send'); return done; });
    const setup = ({ experimentId, selectedEvalIds, progress }: { experimentId: string; selectedEvalIds: readonly string[]; progress: (m: string) => void }): void => { told.push(`setup ${experimentId} ${selectedEvalIds.join()}`); progress('up'); };
    await ran(attemptsOf({ agent, attempts: 2, setup, teardown: () => { told.push('teardown'); } }, { a: send, b: send }), { concurrency: 3 }, ({ events }) => {
      expect(told).toEqual(['setup own a,b', 'send', 'send', 'send', 'send', 'teardown']);
      expect(events.filter(({ type }) => type === 'experiment.progress')).toEqual([{ type: 'experiment.progress', experimentId: 'own', message: 'up' }]);
    });
  });

  test('make every Attempt errored when the set-up throws, tear down all the same, and leave other experiments alone', async () => {
    const told: string[] = [];
    const attempts = [
      ...attemptsOf({ id: 'bad', agent: directAgent(async () => done), setup: () => { throw new Error('no database'); }, teardown: () => { told.push('teardown'); } }, { a: send, b: send }),
      ...attemptsOf({ id: 'good', agent: directAgent(async () => done) }, { a: send }),
    ];
    await ran(attempts, {}, async ({ result, folder }) => {
      expect(result.attempts.map(({ experimentId, verdict, failure }) => [experimentId, verdict, failure?.kind])).toEqual([['bad', 'errored', 'harness'], ['bad', 'errored', 'harness'], ['good', 'passed', undefined]]);
      expect(told).toEqual(['teardown']);
      expect((await readRun(folder)).problems).toEqual([]);
    });
  });

  test('are not run for an experiment of which nothing is carried out', async () => {
    const told: string[] = [];
    await ran(attemptsOf({ agent: directAgent(async () => done), setup: () => { told.push('setup'); }, teardown: () => { told.push('teardown'); } }, { a: send }), { signal: AbortSignal.abort() }, () => { expect(told).toEqual([]); });
  });

  test('break nothing when the teardown fails or never ends', async () => {
    const attempts = [
      ...attemptsOf({ id: 'throws', agent: directAgent(async () => done), teardown: () => { throw new Error('still there'); } }, { a: send }),
      ...attemptsOf({ id: 'hangs', agent: directAgent(async () => done), teardown: () => new Promise(() => undefined) }, { a: send }),
    ];
    await ran(attempts, {}, ({ result, warnings }) => {
      expect(result.counts.passed).toBe(2);
      expect([...warnings].sort().slice(-2)).toEqual(['The teardown of experiment hangs failed: The teardown of 30000 ms ran out.', 'The teardown of experiment throws failed: still there']);
    });
  });
});

describe('enough Attempts', () => {
  test('end those of the same eval and experiment, by what was completed', async () => {
    let calls = 0;
    const agent = directAgent(async () => { calls += 1; if (calls === 2) throw limited(); return done; });
    await ran(attemptsOf({ agent, attempts: 5, retries: 0 }, { a: send, b: send }), { isEnough: ({ passed, failed }) => passed + failed >= 3 }, ({ result }) => {
      expect(result.attempts.map(({ id, verdict }) => [id, verdict])).toEqual([
        ['a.own.1', 'passed'], ['a.own.2', 'errored'], ['a.own.3', 'passed'], ['a.own.4', 'passed'], ['b.own.1', 'passed'], ['b.own.2', 'passed'], ['b.own.3', 'passed'],
      ]);
      expect(result.notRun.map(({ id, reason, detail }) => [id, reason, detail])).toEqual([
        ['a.own.5', 'enough', '3 of 3 passed, which is precise enough'], ['b.own.4', 'enough', '3 of 3 passed, which is precise enough'], ['b.own.5', 'enough', '3 of 3 passed, which is precise enough'],
      ]);
    });
  });
});

describe('an outcome of another run', () => {
  test('stands for the Attempt, which is not carried out, and is recorded from the beginning', async () => {
    let calls = 0;
    const [first, second] = attemptsOf({ agent: directAgent(async () => { calls += 1; return done; }), attempts: 2 }, { a: send });
    if (first === undefined || second === undefined) throw new Error('two are planned');
    const from = { runId: 'before', attemptId: 'a.own.1' };
    const before = { id: 'a.own.1', evalId: 'a', experimentId: 'own', index: 1, agent: 'own', verdict: 'failed', claims: { total: 1, decided: 1, matched: 0 }, usage: {}, startedAt: '2025-03-01T10:00:00.000Z', durationMs: 7, timedOut: false } as const;
    const attempts = [{ ...first, decision: { action: 'reuse', from, why: 'failed-before' } as const }, second];
    await ran(attempts, { reused: async () => ({ ...before, retries: ['a.own.1'] }) }, async ({ result, events, folder }) => {
      expect([calls, result.counts]).toMatchObject([1, { total: 2, passed: 1, failed: 1 }]);
      expect(result.attempts[0]).toEqual({ ...before, reusedFrom: from });
      expect(events.filter(({ type }) => type === 'attempt.reused')).toHaveLength(1);
      // That it had been tried again there is part of that record.
      expect(result.attempts[0]).not.toHaveProperty('retries');
      expect((await readRun(folder)).attempts.map(({ verdict, reusedFrom }) => [verdict, reusedFrom])).toEqual([['failed', from], ['passed', undefined]]);
    });
  });

  test('that passed is enough for early exit', async () => {
    let calls = 0;
    const [first, ...others] = attemptsOf({ agent: directAgent(async () => { calls += 1; return done; }), attempts: 3, earlyExit: true }, { a: send });
    if (first === undefined) throw new Error('three are planned');
    const from = { runId: 'before', attemptId: 'a.own.1' };
    const before = { id: 'a.own.1', evalId: 'a', experimentId: 'own', index: 1, agent: 'own', verdict: 'passed', claims: { total: 1, decided: 1, matched: 1 }, usage: {}, startedAt: '2025-03-01T10:00:00.000Z', durationMs: 7, timedOut: false } as const;
    await ran([{ ...first, decision: { action: 'reuse', from, why: 'passed-before' } as const }, ...others], { reused: async () => before }, ({ result }) => {
      expect([calls, result.notRun.map(({ id, reason, detail }) => [id, reason, detail])]).toEqual([0, [['a.own.2', 'early-exit', 'attempt 1 passed'], ['a.own.3', 'early-exit', 'attempt 1 passed']]]);
    });
  });

  test('that cannot be read any more is no outcome: the Attempt is carried out', async () => {
    const [only] = attemptsOf({ agent: directAgent(async () => done) }, { a: send });
    if (only === undefined) throw new Error('one is planned');
    await ran([{ ...only, decision: { action: 'reuse', from: { runId: 'gone', attemptId: 'x' }, why: 'passed-before' } }], { reused: async () => undefined }, ({ result }) => {
      expect(result.attempts).toMatchObject([{ verdict: 'passed' }]);
    });
  });
});

describe('what an author\'s own code says of secrets', () => {
  test('is told without them', async () => {
    const agent = defineAgent({ name: 'own', evidenceCoverage: completeEvidenceCoverage, sensitiveValues: ['hush-hush'], send: async () => { throw limited(); } });
    const attempts = attemptsOf({
      agent, retries: 1, classifyFailure: () => { throw new Error('token hush-hush'); }, setup: ({ progress }) => { progress('with hush-hush'); }, teardown: () => { throw new Error('left hush-hush'); },
    }, { a: send, b: async () => { throw new EvalFatalError('no hush-hush'); } });
    await ran(attempts, {}, ({ events, result }) => {
      expect(JSON.stringify([events, result])).not.toContain('hush-hush');
      expect(JSON.stringify(events)).toContain('token [redacted]');
    });
  });
});
