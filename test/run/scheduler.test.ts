import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPace } from '../../src/run/pace.js';
import { schedule, type Job, type JobEnding, type Schedule } from '../../src/run/scheduler.js';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

interface NamedJob extends Job { readonly name: string }

/** A scheduler whose jobs end when the test says so. */
function stage(jobs: readonly NamedJob[], more: { readonly places?: number; readonly lanePlaces?: ReadonlyMap<string, number>; readonly mayStart?: (a: { running: number; opening: number }) => boolean; readonly signal?: AbortSignal } = {}) {
  const started: string[] = [];
  const dropped: [string, string][] = [];
  const ends = new Map<string, (ending: JobEnding) => void>();
  const opened = new Map<string, () => void>();
  const plan: Schedule<NamedJob, string> = schedule<NamedJob, string>(jobs, {
    places: more.places ?? 2,
    ...(more.lanePlaces === undefined ? {} : { lanePlaces: more.lanePlaces }),
    ...(more.mayStart === undefined ? {} : { mayStart: more.mayStart }),
    pace: createPace({ now: () => performance.now(), random: () => 1 }),
    signal: more.signal ?? new AbortController().signal,
    whenAborted: 'interrupted',
    start: (job, open) => {
      started.push(job.name);
      opened.set(job.name, open);
      return new Promise((resolve) => { ends.set(job.name, resolve); });
    },
    onDropped: (job, reason) => dropped.push([job.name, reason]),
  });
  const end = async (name: string, ending: JobEnding = { kind: 'done' }): Promise<void> => {
    ends.get(name)?.(ending);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { plan, started, dropped, end, open: (name: string) => opened.get(name)?.(), settled: async () => { await vi.advanceTimersByTimeAsync(0); return started; } };
}

const job = (name: string, more: Partial<Job> = {}): NamedJob => ({ name, lane: name[0] ?? '', ready: Promise.resolve(), ...more });

describe('the scheduler', () => {
  test('gives every lane its first place before any gets a second', async () => {
    const { settled } = stage(['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => job(name)), { places: 4 });
    expect(await settled()).toEqual(['a1', 'b1', 'c1', 'a2']);
  });

  test('does not let a fast lane wait for a slow one', async () => {
    const { settled, end, started } = stage(['a1', 'a2', 'b1', 'b2', 'b3'].map((name) => job(name)), { places: 2 });
    await settled();
    for (const name of ['b1', 'b2']) await end(name);
    expect(started).toEqual(['a1', 'b1', 'b2', 'b3']);
  });

  test('keeps to the places of a lane and gives those that are left to others', async () => {
    const { settled, end, started } = stage(['a1', 'a2', 'b1', 'b2'].map((name) => job(name)), { places: 3, lanePlaces: new Map([['a', 1]]) });
    expect(await settled()).toEqual(['a1', 'b1', 'b2']);
    await end('b1');
    expect(started).toEqual(['a1', 'b1', 'b2']);
    await end('a1');
    expect(started).toEqual(['a1', 'b1', 'b2', 'a2']);
  });

  test('begins what is ready and does not wait for the image of another', async () => {
    let made: () => void = () => undefined;
    const ready = new Promise<void>((resolve) => { made = resolve; });
    const { settled, started, end } = stage([job('a1', { ready }), job('a2'), job('b1')], { places: 1 });
    expect(await settled()).toEqual(['a2']);
    made();
    await end('a2');
    await end('b1');
    expect(started).toEqual(['a2', 'b1', 'a1']);
  });

  test('gives the place away while a job waits to be begun again', async () => {
    const { settled, started, end } = stage([job('a1'), job('a2')], { places: 1 });
    await settled();
    await end('a1', { kind: 'again', afterMs: 10_000 });
    expect(started).toEqual(['a1', 'a2']);
    await end('a2');
    await vi.advanceTimersByTimeAsync(9_999);
    expect(started).toEqual(['a1', 'a2']);
    await vi.advanceTimersByTimeAsync(1);
    expect(started).toEqual(['a1', 'a2', 'a1']);
  });

  test('slows all on a model down when one is told "too many", and nobody else', async () => {
    const { settled, started, end } = stage([job('a1', { model: 'm' }), job('b1', { model: 'm' }), job('c1'), job('b2', { model: 'm' }), job('c2')], { places: 2 });
    await settled();
    await end('a1', { kind: 'done', rateLimited: true });
    expect(started).toEqual(['a1', 'b1', 'c1']);
    await end('c1');
    expect(started).toEqual(['a1', 'b1', 'c1', 'c2']);
    await end('c2');
    await end('b1');
    await vi.advanceTimersByTimeAsync(4_000);
    expect(started).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(started).toEqual(['a1', 'b1', 'c1', 'c2', 'b2']);
  });

  test('asks the machine before each, and again when one has opened', async () => {
    const { settled, started, open } = stage(['a1', 'a2', 'a3'].map((name) => job(name)), { places: 3, mayStart: ({ running, opening }) => running === 0 || opening < 1 });
    expect(await settled()).toEqual(['a1']);
    open('a1');
    expect(started).toEqual(['a1', 'a2']);
  });

  test('asks the machine again after a while when nothing else happens', async () => {
    let isFree = false;
    const { settled, started } = stage(['a1', 'a2'].map((name) => job(name)), { mayStart: ({ running }) => running === 0 || isFree });
    await settled();
    isFree = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(started).toEqual(['a1', 'a2']);
  });

  test('drops what has not begun, tells why, and ends when the rest has', async () => {
    const { plan, settled, dropped, end } = stage(['a1', 'a2', 'b1'].map((name) => job(name)), { places: 1 });
    await settled();
    plan.drop(({ lane }) => lane === 'a', 'no use');
    expect(dropped).toEqual([['a2', 'no use']]);
    await end('a1');
    await end('b1');
    await plan.ended;
  });

  test('does not begin a job again that was dropped while it was at work', async () => {
    const { plan, settled, started, dropped, end } = stage([job('a1')], { places: 1 });
    await settled();
    plan.drop(({ lane }) => lane === 'a', 'no use');
    await end('a1', { kind: 'again', afterMs: 5 });
    await plan.ended;
    expect([started, dropped]).toEqual([['a1'], [['a1', 'no use']]]);
  });

  test('tells each job once, also where whoever is told drops more', async () => {
    const told: string[] = [];
    const plan: Schedule<NamedJob, string> = schedule<NamedJob, string>(['a1', 'a2', 'a3'].map((name) => job(name, { ready: new Promise(() => undefined) })), {
      places: 1, pace: createPace({ now: () => 0, random: () => 1 }), signal: new AbortController().signal, whenAborted: 'x', start: async () => ({ kind: 'done' }),
      onDropped: ({ name }) => {
        told.push(name);
        plan.drop(() => true, 'all');
      },
    });
    plan.drop(({ name }) => name !== 'a2', 'some');
    await plan.ended;
    expect(told.sort()).toEqual(['a1', 'a2', 'a3']);
  });

  test('begins nothing after an interruption and ends when the last has ended', async () => {
    const interruption = new AbortController();
    const { plan, settled, started, dropped, end } = stage(['a1', 'a2'].map((name) => job(name)), { places: 1, signal: interruption.signal });
    await settled();
    interruption.abort();
    expect(dropped).toEqual([['a2', 'interrupted']]);
    await end('a1', { kind: 'again', afterMs: 5 });
    await plan.ended;
    expect([started, dropped]).toEqual([['a1'], [['a2', 'interrupted'], ['a1', 'interrupted']]]);
  });

  test('drops all where the run was interrupted before it began', async () => {
    const { plan, dropped } = stage([job('a1', { ready: new Promise(() => undefined) })], { signal: AbortSignal.abort() });
    await plan.ended;
    expect(dropped).toEqual([['a1', 'interrupted']]);
  });

  test('ends at once without jobs', async () => {
    await stage([]).plan.ended;
  });

  test('never has more at work than there are places, begins each once, and ends, whatever happens', async () => {
    let seed = 7;
    const random = (): number => { seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31; return seed / 2 ** 31; };
    const jobs = Array.from({ length: 200 }, (_item, index) => job(`${'abcd'[index % 4]}${index}`, { model: `m${index % 3}` }));
    let running = 0;
    let most = 0;
    const begun = new Map<string, number>();
    const plan = schedule<NamedJob, string>(jobs, {
      places: 5, lanePlaces: new Map([['a', 2]]), pace: createPace({ now: () => performance.now(), random }), signal: new AbortController().signal, whenAborted: 'x',
      start: async ({ name }) => {
        running += 1;
        most = Math.max(most, running);
        const times = (begun.get(name) ?? 0) + 1;
        begun.set(name, times);
        await new Promise((resolve) => { setTimeout(resolve, random() * 100); });
        running -= 1;
        return times < 3 && random() < 0.2 ? { kind: 'again', afterMs: random() * 1_000, rateLimited: random() < 0.3 } : { kind: 'done' };
      },
      onDropped: () => { throw new Error('nothing is dropped'); },
    });
    let ended = false;
    void plan.ended.then(() => { ended = true; });
    await vi.advanceTimersByTimeAsync(60 * 60_000);
    expect([ended, most, begun.size, running]).toEqual([true, 5, 200, 0]);
  });
});
