import { expect, test } from 'vitest';
import { createTurnTaking } from '../../src/run/turn-taking.js';

test('lets one piece of work at a time go on, in the order in which they came', async () => {
  const take = createTurnTaking(new AbortController().signal);
  const told: string[] = [];
  let finishFirst = (): void => undefined;
  const first = take(async () => {
    told.push('a begins');
    await new Promise<void>((resolve) => { finishFirst = resolve; });
    told.push('a ends');
    return 'a';
  });
  const others = ['b', 'c'].map((name) => take(async () => {
    told.push(`${name} begins`);
    await Promise.resolve();
    told.push(`${name} ends`);
    return name;
  }));
  await new Promise((resolve) => { setImmediate(resolve); });
  expect(told).toEqual(['a begins']);
  finishFirst();
  expect(await Promise.all([first, ...others])).toEqual(['a', 'b', 'c']);
  expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('goes on after work that failed', async () => {
  const take = createTurnTaking(new AbortController().signal);
  const trouble = new Error('the sandbox was gone');
  const failed = take(() => Promise.reject(trouble));
  const next = take(() => Promise.resolve('next'));
  await expect(failed).rejects.toBe(trouble);
  expect(await next).toBe('next');
});

test('does not begin what still waits when the time is up, and does not cut what has begun', async () => {
  const controller = new AbortController();
  const take = createTurnTaking(controller.signal);
  let finish = (): void => undefined;
  let began = false;
  const first = take(() => new Promise<string>((resolve) => { finish = () => resolve('whole'); }));
  const second = take(() => { began = true; return Promise.resolve(); });
  const reason = new Error('the time is up');
  await new Promise((resolve) => { setImmediate(resolve); });
  controller.abort(reason);
  await expect(second).rejects.toBe(reason);
  finish();
  expect([await first, began]).toEqual(['whole', false]);
  await expect(take(() => Promise.resolve())).rejects.toBe(reason);
});
