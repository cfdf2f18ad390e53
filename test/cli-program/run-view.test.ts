import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { takeKeys, type Keyboard } from '../../src/cli/quiet-keys.js';
import { isLive } from '../../src/cli/run-view.js';

describe('a live view', () => {
  it.each([
    ['on a terminal', { live: true }, true, { TERM: 'xterm' }, true],
    ['where CI is said to be none', { live: true }, true, { CI: 'false' }, true],
    ['in a pipe', { live: true }, undefined, {}, false],
    ['with --no-live', { live: false }, true, {}, false],
    ['with --json', { live: true, json: true }, true, {}, false],
    ['in CI', { live: true }, true, { CI: 'true' }, false],
    ['on a dumb terminal', { live: true }, true, { TERM: 'dumb' }, false],
  ])('%s', (_where, flags, isTTY, env, expected) => {
    expect(isLive(flags, isTTY === undefined ? {} : { isTTY }, (name) => (env as Readonly<Record<string, string>>)[name])).toBe(expected);
  });
});

/** A keyboard that nobody presses but the test. */
class FakeKeyboard extends EventEmitter {
  isTTY = true;
  isRaw = false;
  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    return this;
  }
  unref(): this { return this; }
  pause(): this { return this; }
}

describe('keys while a region is drawn', () => {
  it('are not shown, but Ctrl-C interrupts; afterwards the terminal has them as before', async () => {
    const keyboard = new FakeKeyboard();
    const release = takeKeys(keyboard as unknown as Keyboard, () => true);
    expect(keyboard.isRaw).toBe(true);
    const interrupted = new Promise<void>((resolve) => { process.once('SIGINT', () => resolve()); });
    keyboard.emit('data', Buffer.from('xy\r'));
    keyboard.emit('data', Buffer.from('\u0003'));
    await interrupted;
    release();
    expect([keyboard.isRaw, keyboard.listenerCount('data')]).toEqual([false, 0]);
  });

  it.each([['a process in the background', true, false, false], ['no terminal', false, false, true], ['a terminal that somebody else has in hand', true, true, true]])('are left alone for %s', (_what, isTTY, isRaw, isInFront) => {
    const keyboard = Object.assign(new FakeKeyboard(), { isTTY, isRaw });
    takeKeys(keyboard as unknown as Keyboard, () => isInFront)();
    expect([keyboard.isRaw, keyboard.listenerCount('data')]).toEqual([isRaw, 0]);
  });
});
