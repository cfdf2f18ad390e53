import { readFileSync } from 'node:fs';
import type { ReadStream } from 'node:tty';

const INTERRUPT = 0x03;
const QUIT = 0x1c;

/** Standard input, as far as it is needed. */
export type Keyboard = Pick<ReadStream, 'isRaw' | 'setRawMode' | 'on' | 'off' | 'unref' | 'pause'> & { readonly isTTY?: boolean };

/**
 * Keeps keys from being shown while a region is drawn: each would stand in the middle of it. Ctrl-C and Ctrl-\ do what they always do.
 * Gives a function that gives the keys back.
 *
 * @param isInFront False for a process in the background, whose keys belong to another. Default: as the system says.
 */
export function takeKeys(stdin: Keyboard, isInFront: () => boolean = isInForeground): () => void {
  if (stdin.isTTY !== true || stdin.isRaw || !isInFront()) return () => undefined;
  const onKeys = (keys: Buffer): void => {
    if (keys.includes(INTERRUPT)) process.kill(process.pid, 'SIGINT');
    if (keys.includes(QUIT)) process.kill(process.pid, 'SIGQUIT');
  };
  stdin.setRawMode(true);
  stdin.on('data', onKeys);
  stdin.unref();
  return () => {
    stdin.off('data', onKeys);
    stdin.pause();
    try {
      stdin.setRawMode(false);
    } catch {
      // A terminal that was closed has nothing to be given back to.
    }
  };
}

/** A process in the background that changes the terminal is stopped by the system. Where nobody can tell, it is in front. */
function isInForeground(): boolean {
  try {
    // proc(5): behind the name in parentheses come state, ppid, pgrp, session, tty_nr, tpgid.
    const text = readFileSync('/proc/self/stat', 'latin1');
    const [, , pgrp, , , tpgid] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return pgrp === tpgid;
  } catch {
    return true;
  }
}
