import type { ProcessEnd, Witness } from '../transcript.js';
import type { RecordedTranscript, TranscriptSubject } from './transcript-subject.js';

const LINE_FEED = 0x0a;

/** What a parser is given, and the words for it in a message. */
export interface Given {
  readonly input: string;
  readonly witnesses: readonly Witness[];
  readonly end: ProcessEnd;
}

/** A recorded run as it is. */
export function wholeOf({ name, witnesses, end }: RecordedTranscript): Given {
  return { input: `the recorded run "${name}"`, witnesses, end };
}

/** The record that leads; undefined when there is nothing but standard error. */
export function leadOf(witnesses: readonly Witness[]): Witness | undefined {
  return witnesses.find(({ kind }) => kind === 'stdout') ?? witnesses.find(({ kind }) => kind !== 'stderr');
}

/** The run with other bytes in its leading record, or without one when there is none. */
export function withLead(given: Given, bytes: Uint8Array, what: string): Given {
  const lead = leadOf(given.witnesses);
  return { ...given, input: `${given.input} ${what}`, witnesses: given.witnesses.map((witness) => (witness === lead ? { ...witness, bytes } : witness)) };
}

/** The leading record and standard error, without what the CLI kept beside them. */
export function leadAlone(given: Given): Given {
  const lead = leadOf(given.witnesses);
  return { ...given, input: `${given.input}, its ${lead?.kind ?? 'records'} alone,`, witnesses: given.witnesses.filter((witness) => witness === lead || witness.kind === 'stderr') };
}

/** Lines with their line feeds; the last may have none. */
export function linesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const end = feed === -1 ? bytes.length : feed + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

/** The lines of the leading record. */
export function leadLinesOf({ witnesses }: { readonly witnesses: readonly Witness[] }): readonly Uint8Array[] {
  return linesOf(leadOf(witnesses)?.bytes ?? new Uint8Array(0));
}

export function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}

export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** Index of the line that first says how the run came out; the number of lines when none does. */
export function firstEndOf(subject: TranscriptSubject, lines: readonly Uint8Array[]): number {
  const texts = lines.map((line) => textOf(line).trim());
  const { isEndEvent } = subject;
  const found = isEndEvent === undefined ? texts.findLastIndex((text) => text !== '') : texts.findIndex((text) => text !== '' && isEndEvent(text));
  return found === -1 ? lines.length : found;
}

/** `wanted` indices from 0 to `count`, both ends included, as evenly as they come. */
export function spread(count: number, wanted: number): readonly number[] {
  const steps = Math.min(count, wanted - 1);
  if (steps <= 0) return [0];
  return [...new Set(Array.from({ length: steps + 1 }, (_none, step) => Math.round((step * count) / steps)))];
}
