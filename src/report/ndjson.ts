import type { RunEvent } from '../run/ports.js';
import type { AttemptResult } from '../run/result.js';
import { plainJsonLine } from './plain-text.js';

type Claim = AttemptResult['claims'][number];

/** Tells a run as JSON lines. Big evidence is in the record; the lines name it. */
export function createNdjsonReporter(write: (text: string) => unknown): (event: RunEvent) => void {
  return (event) => write(`${plainJsonLine(lineOf(event))}\n`);
}

/** What a judge saw may be a book. */
function withoutEvidence({ evidence: _evidence, ...claim }: Claim): Omit<Claim, 'evidence'> {
  return claim;
}

function lineOf(event: RunEvent): object {
  switch (event.type) {
    case 'attempt.finished': {
      const { id, evalId, experimentId, index, agent, model, verdict, failure, reasons, causes, score, error, retries, claims, usage, timings, interrupted } = event.result;
      return {
        type: event.type, attempt: id, evalId, experimentId, index, agent, ...(model === undefined ? {} : { model }), verdict, reasons, causes, ...(score === undefined ? {} : { score }), interrupted,
        ...(error === undefined ? {} : { error }), ...(failure === undefined ? {} : { failure }), ...(retries === undefined ? {} : { retries }), claims: claims.map(withoutEvidence), usage, timings,
      };
    }
    case 'run.finished': {
      const { attempts: _attempts, ...facts } = event.result;
      return { type: event.type, ...facts };
    }
    default: return event;
  }
}
