import { messageOf } from '../lifetime/error.js';
import type { WorkspaceLedger } from '../workspace/ledger.js';
import type { Patch } from '../workspace/patch.js';
import type { AttemptNotes } from './attempt-notes.js';

/** The patch of all changes. A patch is for people: without one the Attempt stands all the same, with a remark. */
export async function patchOrNote(ledger: WorkspaceLedger | undefined, notes: AttemptNotes): Promise<Patch | undefined> {
  try {
    return await ledger?.finish();
  } catch (error) {
    notes.note('patch-failed', `no patch could be made: ${messageOf(error)}`);
    return undefined;
  }
}
