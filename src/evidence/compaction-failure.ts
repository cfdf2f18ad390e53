import type { StreamEvent } from './events.js';

const FAILED = 'Compaction failed: ';

/** A compaction that came to nothing, which the stream has no kind of its own for. The CLI goes on. */
export function compactionFailure(reason: string): StreamEvent & { readonly type: 'error' } {
  return { type: 'error', message: `${FAILED}${reason}`, recovered: true };
}

/** True for what {@link compactionFailure} made. */
export function isCompactionFailure(event: StreamEvent): boolean {
  return event.type === 'error' && event.message.startsWith(FAILED);
}
