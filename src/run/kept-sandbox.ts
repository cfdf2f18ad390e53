import { messageOf } from '../lifetime/error.js';
import type { KeptSandbox, OwnedSandbox } from '../sandbox/sandbox.js';
import type { Judgement } from '../verdict/verdict.js';
import type { AttemptNotes } from './attempt-notes.js';
import type { AttemptWorld } from './attempt-world.js';

/** What decides whether a sandbox is kept. */
export interface KeepOptions {
  readonly world: Pick<AttemptWorld, 'keep' | 'signal'>;
  /** Found before the sandbox would be gone. */
  readonly judgement: () => Promise<Judgement>;
  readonly notes: AttemptNotes;
  readonly onKept: () => void;
}

/** Leaves a sandbox alive where that is wanted. @returns `undefined`: it is not kept. */
export async function keptSandbox(sandbox: OwnedSandbox | undefined, { world: { keep, signal }, judgement, notes, onKept }: KeepOptions): Promise<KeptSandbox | undefined> {
  if (keep === undefined || sandbox === undefined || signal.aborted) return undefined;
  const { verdict } = await judgement();
  if (keep === 'failed' && verdict !== 'failed' && verdict !== 'errored') return undefined;
  try {
    await sandbox.endAgentProcesses();
    const kept = await sandbox.keep?.();
    if (kept !== undefined) onKept();
    return kept;
  } catch (error) {
    notes.note('keep-failed', `the sandbox could not be kept: ${messageOf(error)}`);
    return undefined;
  }
}
