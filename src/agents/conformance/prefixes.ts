import type { StreamEvent } from '../../evidence/events.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { show } from '../../sandbox/conformance/difference.js';
import { joined, leadAlone, leadLinesOf, spread, wholeOf, withLead, type Given } from './record.js';
import { everyTranscript, faultOf, tell } from './tell.js';
import type { TranscriptSubject } from './transcript-subject.js';

const CUTS = 10;

/** What a parser owes for the beginning of a record: a part of what it tells of the whole. */
export function prefixChecks(subject: TranscriptSubject): readonly ConformanceCheck[] {
  return [
    everyTranscript(subject, 'invents nothing when its record is cut', (transcript) => {
      // What was kept beside it would have to be cut at the same moment.
      const whole = leadAlone(wholeOf(transcript));
      const { events } = tell(subject, whole).turn;
      for (const given of beginningsOf(whole)) {
        const stranger = inventedOf(tell(subject, given).turn.events, events);
        if (stranger !== undefined) throw faultOf(subject, given)('only events that are told of the whole record as well', `${show(stranger)}, which the whole record does not have`);
      }
    }),
  ];
}

/** Beginnings of the leading record, at line ends and in the middle of lines. */
function beginningsOf(whole: Given): readonly Given[] {
  const lines = leadLinesOf(whole);
  return spread(lines.length, CUTS).slice(0, -1).flatMap((count) => {
    const before = joined(lines.slice(0, count));
    const half = lines[count]?.subarray(0, Math.floor((lines[count]?.length ?? 0) / 2)) ?? new Uint8Array(0);
    return [
      withLead(whole, before, `cut after ${count} of ${lines.length} lines`),
      withLead(whole, joined([before, half]), `cut in the middle of line ${count + 1} of ${lines.length}`),
    ];
  });
}

/** The first event of a part that the whole does not have. */
function inventedOf(part: readonly StreamEvent[], whole: readonly StreamEvent[]): StreamEvent | undefined {
  const left = new Map<string, number>();
  for (const event of whole) left.set(keyOf(event), (left.get(keyOf(event)) ?? 0) + 1);
  return part.find((event) => {
    const count = left.get(keyOf(event)) ?? 0;
    if (count > 0) left.set(keyOf(event), count - 1);
    return count === 0 && !beginsOne(event, whole);
  });
}

/** What an event says that no later line can change. Statuses, outputs and kinds may: a failure may turn out to be a refusal. */
function keyOf(event: StreamEvent): string {
  switch (event.type) {
    case 'operation.started': case 'operation.finished': return JSON.stringify([event.type, event.operationId]);
    case 'message': return JSON.stringify([event.type, event.role, event.text]);
    case 'thinking': case 'context.injected': return JSON.stringify([event.type, event.text]);
    case 'input.requested': return JSON.stringify([event.type, event.request.id, event.request.action, event.request.prompt]);
    case 'skill.loaded': return JSON.stringify([event.type, event.skill]);
    case 'compaction': return JSON.stringify([event.type]);
    case 'error': return JSON.stringify([event.type, event.message]);
  }
}

/** An answer that was cut while it was streamed is the beginning of one. */
function beginsOne(event: StreamEvent, whole: readonly StreamEvent[]): boolean {
  if (event.type !== 'message' && event.type !== 'thinking') return false;
  return whole.some((other) => other.type === event.type && other.text.startsWith(event.text)
    && (event.type !== 'message' || other.type !== 'message' || other.role === event.role));
}
