import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Scope } from '../../src/lifetime/scope.js';

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

describe('Scope', () => {
  test('closes in reverse order, one after the other', async () => {
    const told: string[] = [];
    const scope = new Scope();
    for (const name of ['first', 'second', 'third']) {
      scope.defer(name, async () => {
        told.push(`${name} begins`);
        await Promise.resolve();
        told.push(`${name} ends`);
      });
    }
    expect(await scope.close()).toEqual([]);
    expect(told).toEqual(['third begins', 'third ends', 'second begins', 'second ends', 'first begins', 'first ends']);
  });

  test('goes on after a cleanup that throws, rejects or throws something that is no error', async () => {
    const closed: string[] = [];
    const scope = new Scope();
    scope.defer('the folder', () => { closed.push('the folder'); });
    scope.defer('the text', () => { throw 'a text'; });
    scope.defer('the socket', () => Promise.reject(new Error('the other end is gone')));
    scope.defer('the lock', () => { throw new Error('nobody holds it'); });
    scope.defer('the file', () => { closed.push('the file'); });
    expect(await scope.close()).toEqual([
      { what: 'the lock', message: 'nobody holds it' },
      { what: 'the socket', message: 'the other end is gone' },
      { what: 'the text', message: 'a text' },
    ]);
    expect(closed).toEqual(['the file', 'the folder']);
  });

  test('leaves a cleanup that takes too long and goes on', async () => {
    const closed: string[] = [];
    const scope = new Scope({ cleanupLimitMs: 1_000 });
    scope.defer('the folder', () => { closed.push('the folder'); });
    scope.defer('the container', () => new Promise(() => undefined));
    const closing = scope.close();
    await vi.advanceTimersByTimeAsync(999);
    expect(closed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await closing).toEqual([{ what: 'the container', message: 'was not done after 1000 ms' }]);
    expect(closed).toEqual(['the folder']);
  });

  test('gives a cleanup 30 seconds when nothing else is said', async () => {
    const scope = new Scope();
    scope.defer('the container', () => new Promise(() => undefined));
    const closing = scope.close();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await closing).toEqual([{ what: 'the container', message: 'was not done after 30000 ms' }]);
  });

  test('leaves no timer behind', async () => {
    const scope = new Scope();
    scope.defer('the folder', () => undefined);
    await scope.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('runs every cleanup once, however often it is closed', async () => {
    let count = 0;
    const scope = new Scope();
    scope.defer('the counter', () => {
      count += 1;
      throw new Error('once is enough');
    });
    const answers = await Promise.all([scope.close(), scope.close()]);
    await scope[Symbol.asyncDispose]();
    expect(count).toBe(1);
    expect(answers).toEqual([
      [{ what: 'the counter', message: 'once is enough' }],
      [{ what: 'the counter', message: 'once is enough' }],
    ]);
  });

  test('refuses what is opened while it closes, by its name', async () => {
    const scope = new Scope();
    await scope.close();
    expect(() => scope.defer('a late container', () => undefined)).toThrow('"a late container" was opened in a scope that is closing already.');
  });

  test('closes what it was given to use and hands it back', async () => {
    const closed: string[] = [];
    const thing = { [Symbol.asyncDispose]: () => { closed.push('thing'); return Promise.resolve(); } };
    {
      await using scope = new Scope();
      expect(scope.use('the thing', thing)).toBe(thing);
      expect(closed).toEqual([]);
    }
    expect(closed).toEqual(['thing']);
  });
});
