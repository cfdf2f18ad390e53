import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SandboxGoneError } from '../../src/sandbox/errors.js';
import type { OwnedSandbox } from '../../src/sandbox/sandbox.js';
import { createContentStore } from '../../src/workspace/content-store.js';
import { WorkspaceLedger, type ImageStates } from '../../src/workspace/ledger.js';

let base: string;
beforeEach(async () => { base = await realpath(await mkdtemp(join(tmpdir(), 'niceeval-anchor-'))); });
afterEach(() => rm(base, { recursive: true, force: true }));

/** A sandbox that is a folder, seen through commands of this machine, as far as the beginning of a ledger needs one. */
function sandboxAt(root: string, looks: string[], breaks: boolean): OwnedSandbox {
  const parts: Partial<OwnedSandbox> = {
    workdir: root, home: root, rootIsTrusted: true,
    exec: async (argv, given = {}) => {
      looks.push(breaks ? 'broke' : 'looked');
      if (breaks) throw new SandboxGoneError('s', 'it was killed');
      const { stdout } = await execa(argv[0] ?? '', argv.slice(1), { encoding: 'buffer', stripFinalNewline: false });
      await given.onStdout?.(stdout);
      return { exitCode: 0 };
    },
    archive: () => Promise.reject(new SandboxGoneError('s', 'it was killed')),
  };
  return parts as OwnedSandbox;
}

test('a sandbox that breaks while it looks for all of its image takes no other down, and one of these looks for the rest', async () => {
  await writeFile(join(base, 'a.txt'), 'a');
  const looks: string[] = [];
  const states: ImageStates = new Map();
  const anchor = (breaks: boolean): Promise<WorkspaceLedger> => WorkspaceLedger.anchor(sandboxAt(base, looks, breaks), { store: createContentStore(join(base, '..', 'never-written')), imageId: 'i', states });
  const [broken, ...others] = await Promise.all([anchor(true), anchor(false), anchor(false), anchor(false)]);
  expect(broken.changes()).toEqual({ state: 'unavailable', reason: 'The sandbox s is gone: it was killed' });
  expect(others.map((ledger) => [ledger.changes().state, [...ledger.state.keys()]])).toEqual([['available', ['a.txt']], ['available', ['a.txt']], ['available', ['a.txt']]]);
  expect(looks).toEqual(['broke', 'looked']);
});
