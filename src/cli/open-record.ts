import { messageOf } from '../lifetime/error.js';
import { AuthoringError } from '../plan/errors.js';
import { openRunRecord } from '../record/run-record.js';
import type { RunSink } from '../run/ports.js';

/** @throws AuthoringError where the record cannot be written: nothing has started then. */
export async function openRecordOrTell(folder: string): Promise<RunSink> {
  try {
    return await openRunRecord(folder);
  } catch (error) {
    throw new AuthoringError([`The record cannot be written to ${folder}: ${messageOf(error)}. Make the project's folder writable.`], { cause: error });
  }
}
