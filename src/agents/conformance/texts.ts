import type { StreamEvent } from '../../evidence/events.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { differenceOf } from '../../sandbox/conformance/difference.js';
import { bytesOf, textOf, wholeOf, type Given } from './record.js';
import { everyTranscript, faultOf, tell } from './tell.js';
import type { RecordedTranscript, TranscriptSubject } from './transcript-subject.js';

/** Characters that a careless reader splits lines at, drops or changes, as they stand in UTF-8 and as JSON escapes. */
const RAW = ' \u2028\u2029\u0085\uFEFFé 中文 \u{1F600} ';
const ESCAPED = '\\ud83d\\ude00 \\ud800 \\udc00x \\u0000\\u001b[31m';
const SHORTEST_TEXT = 3;

/** What a parser owes for text: every character of it. */
export function textChecks(subject: TranscriptSubject): readonly ConformanceCheck[] {
  return [
    everyTranscript(subject, 'keeps every character of what was said', (transcript) => {
      const clean = tell(subject, wholeOf(transcript)).turn.events;
      const spoken = withStrangeText(transcript, clean);
      if (spoken === undefined) return;
      const { events } = tell(subject, spoken.given).turn;
      const difference = differenceOf(renamed(clean, spoken.from, spoken.to), events, 'events');
      if (difference !== undefined) throw faultOf(subject, spoken.given)('the same events with the other text in them', difference);
    }),
  ];
}

/** The run with strange characters behind a text that it says; undefined when the record has none in plain sight. */
export function withStrangeText(transcript: RecordedTranscript, events: readonly StreamEvent[]): { readonly given: Given; readonly from: string; readonly to: string } | undefined {
  const whole = wholeOf(transcript);
  const records = whole.witnesses.map(({ bytes }) => textOf(bytes));
  const said = events.flatMap((event) => (event.type === 'message' && event.role === 'assistant' ? [event.text] : []));
  const from = said.find((text) => text.trim().length >= SHORTEST_TEXT && records.some((record) => record.includes(JSON.stringify(text))));
  if (from === undefined) return undefined;
  const quoted = JSON.stringify(from);
  const spoken = `${quoted.slice(0, -1)}${RAW}${ESCAPED}"`;
  return {
    from, to: JSON.parse(spoken) as string,
    given: {
      ...whole, input: `${whole.input} with U+2028, lone surrogates and the like in what it says`,
      witnesses: whole.witnesses.map((witness, index) => ({ ...witness, bytes: bytesOf((records[index] ?? '').replaceAll(quoted, () => spoken)) })),
    },
  };
}

/** The value with every string that is the text replaced. */
function renamed<T>(value: T, from: string, to: string): T {
  if (typeof value === 'string') return (value === from ? to : value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => renamed(item, from, to)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renamed(item as unknown, from, to)])) as T;
}
