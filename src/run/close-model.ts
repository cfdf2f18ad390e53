import type { AttemptNotes } from './attempt-notes.js';
import type { ClosedLease, ModelLease } from './model-lease.js';
import type { TurnRecord } from './result.js';
import { wireDifferences } from './wire-differences.js';

/** What is done with what a lease came to. */
export interface CloseModelOptions {
  readonly keepCassette: boolean;
  readonly turns: readonly TurnRecord[];
  readonly notes: AttemptNotes;
  /** Told why nothing is learnt about the agent. */
  readonly fail: (trouble: Error) => void;
}

/** Ends an Attempt's way to its model. What was in no turn, or was told late, counts here. @returns `undefined`: it had none. */
export async function closeModel(model: ModelLease | undefined, { keepCassette, turns, notes, fail }: CloseModelOptions): Promise<Pick<ClosedLease, 'counted' | 'overBudget'> | undefined> {
  const closed = await model?.close({ keepCassette });
  if (closed === undefined) return undefined;
  for (const trouble of closed.troubles) fail(trouble);
  for (const remark of closed.remarks) notes.remark(remark);
  for (const difference of wireDifferences(turns, closed.counted)) notes.note('usage-differs', difference);
  return closed;
}
