import { describe, expect, test } from 'vitest';
import { Semaphore } from '../../src/lifetime/semaphore.js';

/** Lets everything go on that can. */
const settled = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

describe('Semaphore', () => {
  test('lets the first ones in and the others in the order in which they came', async () => {
    const semaphore = new Semaphore(2);
    const entered: string[] = [];
    const enter = async (name: string): Promise<() => void> => {
      const leave = await semaphore.acquire();
      entered.push(name);
      return leave;
    };
    const [a, b, c, d] = [enter('a'), enter('b'), enter('c'), enter('d')];
    const [leaveA, leaveB] = [await a, await b];
    expect(entered).toEqual(['a', 'b']);
    leaveB();
    const leaveC = await c;
    expect(entered).toEqual(['a', 'b', 'c']);
    leaveA();
    await d;
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
    leaveC();
  });

  test('takes a place back once, however often it is given back', async () => {
    const semaphore = new Semaphore(1);
    const leave = await semaphore.acquire();
    leave();
    leave();
    const second = await semaphore.acquire();
    let third = false;
    const waiting = semaphore.acquire().then(() => { third = true; });
    await settled();
    expect(third).toBe(false);
    second();
    await waiting;
    expect(third).toBe(true);
  });

  test('rejects a waiter with the reason of its signal and keeps the others in order', async () => {
    const semaphore = new Semaphore(1);
    const leave = await semaphore.acquire();
    const impatient = new AbortController();
    const reason = new Error('the time is up');
    const entered: string[] = [];
    const first = semaphore.acquire(impatient.signal);
    const second = semaphore.acquire().then((release) => { entered.push('second'); return release; });
    const third = semaphore.acquire().then((release) => { entered.push('third'); return release; });
    impatient.abort(reason);
    await expect(first).rejects.toBe(reason);
    leave();
    (await second)();
    (await third)();
    expect(entered).toEqual(['second', 'third']);
  });

  test('does not let anybody in whose signal has aborted before', async () => {
    const semaphore = new Semaphore(1);
    const reason = new Error('the run was interrupted');
    await expect(semaphore.acquire(AbortSignal.abort(reason))).rejects.toBe(reason);
    const leave = await semaphore.acquire();
    leave();
  });

  test('does not take a place away from a holder whose signal aborts later', async () => {
    const semaphore = new Semaphore(1);
    const controller = new AbortController();
    const leave = await semaphore.acquire();
    const waiting = semaphore.acquire(controller.signal);
    leave();
    const leaveAgain = await waiting;
    controller.abort();
    let next = false;
    const third = semaphore.acquire().then(() => { next = true; });
    await settled();
    expect(next).toBe(false);
    leaveAgain();
    await third;
    expect(next).toBe(true);
  });

  test.each([0, -1, 1.5, Number.NaN])('refuses the size %s', (size) => {
    expect(() => new Semaphore(size)).toThrow(`A semaphore needs a size of at least 1, not ${size}.`);
  });
});
