import { messageOf } from '../lifetime/error.js';
import { failureOf } from './failure.js';
import type { AttemptSink } from './ports.js';
import type { AttemptResult } from './result.js';

/**
 * Seals a result. One that cannot be written is errored, whatever it was, and takes nobody else down; what is small of
 * it is tried once more.
 */
export async function sealed(result: AttemptResult, sink: AttemptSink): Promise<AttemptResult> {
  try {
    await sink.seal(result);
    return result;
  } catch (error) {
    const message = `the record could not be written: ${messageOf(error)}`;
    const failed = result.error ?? { phase: 'record', code: 'record-failed', message };
    const broken: AttemptResult = {
      ...result, verdict: 'errored', reasons: [message, ...result.reasons], causes: [{ code: 'record-failed' }, ...result.causes], error: failed, failure: failureOf(failed),
    };
    await sink.seal({ ...broken, turns: [], changes: { state: 'unavailable', reason: message } }).catch(() => undefined);
    return broken;
  }
}
