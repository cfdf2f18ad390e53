import type { RunEvent } from '../run/ports.js';
import { plainJsonLine } from './plain-text.js';

/** Tells a run as JSON lines. Big evidence is in the record; the lines name it. */
export function createNdjsonReporter(write: (text: string) => unknown): (event: RunEvent) => void {
  return (event) => write(`${plainJsonLine(lineOf(event))}\n`);
}

function lineOf(event: RunEvent): object {
  switch (event.type) {
    case 'attempt.finished': {
      const { id, evalId, experimentId, index, agent, model, verdict, reasons, error, claims, usage, timings, interrupted } = event.result;
      return {
        type: event.type, attempt: id, evalId, experimentId, index, agent, ...(model === undefined ? {} : { model }), verdict, reasons, interrupted,
        ...(error === undefined ? {} : { error }), claims, usage, timings,
      };
    }
    case 'run.finished': {
      const { runId, startedAt, durationMs, interrupted, counts } = event.result;
      return { type: event.type, runId, startedAt, durationMs, interrupted, counts };
    }
    default: return event;
  }
}
