import { describe, expect, test } from 'vitest';
import { ClaimAuthoringError } from '../../src/assert/errors.js';
import type { ClaimLedger } from '../../src/assert/ledger.js';
import type { TestContext } from '../../src/define/context.js';
import { isTrue } from '../../src/expect/values.js';
import { openPassTest } from './contexts.js';

const groupsOf = async (claims: ClaimLedger): Promise<unknown[]> => (await claims.settle()).map(({ label, groups }) => [label, groups]);

/** Opens so many groups, one inside the other. */
async function nest(t: TestContext, depth: number, body: () => void): Promise<void> {
  if (depth === 0) body();
  else await t.group(`level ${depth}`, () => nest(t, depth - 1, body));
}

describe('t.group', () => {
  test('puts the claims that are made in it under its title, outermost first', async () => {
    const { t, claims } = openPassTest();
    t.check(true, isTrue()).label('before');
    await t.group('outer', async () => {
      t.check(true, isTrue()).label('in outer');
      await t.group('inner', () => { t.check(true, isTrue()).label('in inner').group('own'); });
      t.check(true, isTrue()).label('after inner');
    });
    t.check(true, isTrue()).label('after').group('own');
    expect(await groupsOf(claims)).toEqual([
      ['before', undefined], ['in outer', ['outer']], ['in inner', ['outer', 'inner', 'own']], ['after inner', ['outer']], ['after', ['own']],
    ]);
  });

  test('keeps titles apart when groups run side by side', async () => {
    const { t, claims } = openPassTest();
    let passOn = (): void => undefined;
    const passed = new Promise<void>((resolve) => { passOn = resolve; });
    await Promise.all([
      t.group('first', async () => { await passed; t.check(true, isTrue()).label('a'); }),
      t.group('second', async () => {
        t.check(true, isTrue()).label('b');
        passOn();
        await Promise.resolve();
        t.check(true, isTrue()).label('c');
      }),
    ]);
    expect(Object.fromEntries(await groupsOf(claims) as [string, unknown][])).toEqual({ a: ['first'], b: ['second'], c: ['second'] });
  });

  test('nests 16 deep and no deeper', async () => {
    const { t, claims } = openPassTest();
    await nest(t, 16, () => { t.check(true, isTrue()); });
    await expect(nest(t, 17, () => { t.check(true, isTrue()); })).rejects.toEqual(new ClaimAuthoringError('Groups nest 16 deep; "level 1" is one more.'));
    expect((await claims.settle()).map(({ groups }) => groups?.length)).toEqual([16]);
  });

  test('passes on what its body throws, and is closed then', async () => {
    const { t, claims } = openPassTest();
    const trouble = new Error('no such table');
    await expect(t.group('a', () => Promise.reject(trouble))).rejects.toBe(trouble);
    t.check(true, isTrue()).label('after');
    expect(await groupsOf(claims)).toEqual([['after', undefined]]);
  });

  test.each<[string, unknown, unknown, string]>([
    ['a blank title', ' ', () => undefined, 'group(title, body) needs 1 to 256 characters and no control characters; " " is none.'],
    ['a title of 257 characters', 'x'.repeat(257), () => undefined, `group(title, body) needs 1 to 256 characters and no control characters; "${'x'.repeat(257)}" is none.`],
    ['no body', 'a', undefined, 'group(title, body) needs a function.'],
  ])('refuses %s', async (_what, title, body, message) => {
    await expect(openPassTest().t.group(title as string, body as () => void)).rejects.toEqual(new ClaimAuthoringError(message));
  });
});
