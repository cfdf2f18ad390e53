import { messageOf } from '../lifetime/error.js';
import type { KeptSandbox, OwnedSandbox } from '../sandbox/sandbox.js';
import type { Judgement } from '../verdict/verdict.js';
import type { AttemptNotes } from './attempt-notes.js';
import type { KeepSandbox } from './attempt-world.js';

/**
 * Leaves a sandbox alive where that is wanted.
 *
 * @param options.judgement Found before the sandbox would be gone.
 * @returns `undefined`: it is not kept.
 */
export async function keptSandbox(
  sandbox: OwnedSandbox, { keep, judgement, notes }: { readonly keep: KeepSandbox; readonly judgement: () => Promise<Judgement>; readonly notes: AttemptNotes },
): Promise<KeptSandbox | undefined> {
  const { verdict } = await judgement();
  if (keep === 'failed' && verdict !== 'failed' && verdict !== 'errored') return undefined;
  try {
    await sandbox.endAgentProcesses();
    return await sandbox.keep?.();
  } catch (error) {
    notes.note('keep-failed', `the sandbox could not be kept: ${messageOf(error)}`);
    return undefined;
  }
}
