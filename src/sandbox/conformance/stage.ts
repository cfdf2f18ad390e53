import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { messageOf } from '../../lifetime/error.js';
import { Scope } from '../../lifetime/scope.js';
import type { OwnedSandbox, SandboxProvider } from '../sandbox.js';
import { differenceOf, show } from './difference.js';
import { SandboxConformanceError } from './errors.js';
import type { SandboxSubject } from './sandbox-subject.js';

/** How long a sandbox of the suite lives at the most. */
const LIFETIME_MS = 30 * 60_000;
/** More than there are checks. */
const FOLDERS = 100;

/** Where one check plays: a sandbox, a folder of its own in it, and a way to say what is wrong. */
export interface Stage {
  readonly provider: SandboxProvider;
  readonly sandbox: OwnedSandbox;
  /** Absolute, in the working directory, empty. */
  readonly folder: string;
  /** A path in the folder. */
  at(name: string): string;
  /** Opens one more sandbox, which ends with the check. Default lifetime: half an hour, in milliseconds. */
  another(options?: { readonly lifetimeMs?: number; readonly signal?: AbortSignal }): Promise<OwnedSandbox>;
  /** A new folder of this machine, which ends with the check. */
  hostFolder(): Promise<string>;
  /** @throws SandboxConformanceError when the two are not deeply equal. */
  equal(input: string, received: unknown, expected: unknown): void;
  /** @throws SandboxConformanceError when it is not so. */
  holds(input: string, isSo: boolean, expected: string, received: string): void;
  /** Expects a rejection with an error of a class, and gives it. @throws SandboxConformanceError */
  rejects<E extends Error>(input: string, work: Promise<unknown>, wanted: abstract new (...given: never[]) => E): Promise<E>;
}

/** One check before it is given to a runner. */
export interface NamedCheck {
  readonly name: string;
  readonly play: (stage: Stage) => Promise<void>;
  /** Plays in a sandbox of its own, which may be ended. Default: in one that all such checks share, one after the other. */
  readonly alone?: boolean;
}

/** The stages of one suite. */
export interface Stages {
  play(check: NamedCheck): Promise<void>;
}

/** @param subject Its provider closes what is still open when the last check has ended. */
export function createStages(subject: SandboxSubject): Stages {
  let shared: Promise<OwnedSandbox> | undefined;
  let free: string[] = [];
  const open = async (options: { readonly lifetimeMs?: number; readonly signal?: AbortSignal } = {}): Promise<OwnedSandbox> => {
    const provider = await subject.provider();
    const network = subject.network ?? (provider.openClosedNetwork === undefined ? { kind: 'host' } : { kind: 'none' });
    return provider.openSandbox(subject.spec, { image: await provider.prepareImage(subject.spec), network, attemptId: 'conformance', lifetimeMs: LIFETIME_MS, ...options });
  };
  const livingShared = async (): Promise<OwnedSandbox> => {
    const known = await shared?.catch(() => undefined);
    if (known !== undefined && await known.isRunning()) return known;
    shared = open().then(async (sandbox) => {
      // One command for all folders: a backend may take a while for each.
      free = Array.from({ length: FOLDERS }, (_item, index) => posix.join(sandbox.workdir, `check-${index + 1}`));
      await sandbox.runCommandOrThrow('mkdir', free);
      return sandbox;
    });
    return shared;
  };
  return {
    async play({ name, play, alone = false }) {
      await using scope = new Scope();
      const provider = await subject.provider();
      const sandbox = alone ? scope.use('stop a sandbox', await open()) : await livingShared();
      const prepared = alone ? undefined : free.shift();
      const folder = prepared ?? posix.join(sandbox.workdir, `check-${randomUUID()}`);
      const fault = (input: string, expected: string, received: string, cause?: unknown): SandboxConformanceError =>
        new SandboxConformanceError({ subject: subject.name, input, expected, received }, { cause });
      const stage: Stage = {
        provider,
        sandbox,
        folder,
        at: (file) => posix.join(folder, file),
        another: async (options) => scope.use('stop a sandbox', await open(options)),
        hostFolder: async () => {
          const made = await mkdtemp(join(tmpdir(), 'niceeval-conformance-'));
          scope.defer('remove a folder', () => rm(made, { recursive: true, force: true }));
          return made;
        },
        equal: (input, received, expected) => {
          const difference = differenceOf(expected, received);
          if (difference !== undefined) throw fault(input, show(expected), difference);
        },
        holds: (input, isSo, expected, received) => { if (!isSo) throw fault(input, expected, received); },
        rejects: async (input, work, wanted) => {
          const outcome = await work.then((value): { readonly value: unknown } | { readonly error: unknown } => ({ value }), (error: unknown) => ({ error }));
          if ('value' in outcome) throw fault(input, `a rejection with ${wanted.name}`, `the answer ${show(outcome.value)}`);
          if (!(outcome.error instanceof wanted)) throw fault(input, `a rejection with ${wanted.name}`, `"${messageOf(outcome.error)}"`, outcome.error);
          return outcome.error;
        },
      };
      try {
        if (prepared === undefined) await sandbox.runCommandOrThrow('mkdir', [folder]);
        await play(stage);
      } catch (error) {
        if (error instanceof SandboxConformanceError) throw error;
        throw fault(`the check "${name}"`, 'answers', `it rejected with "${messageOf(error)}"`, error);
      }
    },
  };
}
