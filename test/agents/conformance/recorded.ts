import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { transcriptConformance } from '../../../src/agents/conformance/transcript-conformance.js';
import type { RecordedTranscript, TranscriptSubject } from '../../../src/agents/conformance/transcript-subject.js';
import type { Witness } from '../../../src/agents/transcript.js';
import type { Fixture } from '../fixtures.js';

/** Registers every check of a subject. */
export function itConforms(subject: TranscriptSubject): void {
  for (const { title, run } of transcriptConformance(subject)) it(title, run);
}

/** A recorded run for the conformance suite. Whether it completed is what its script says, as the golden file keeps it. */
export function recordedOf({ name, folder, witnesses, end }: Fixture): RecordedTranscript {
  const { ending } = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as { readonly ending: { readonly kind: string } };
  return { name, witnesses, end, completed: ending.kind === 'completed' };
}

/** What is left of a run of which only records of one kind were kept. */
export function onlyOf(kind: Witness['kind'], transcript: RecordedTranscript): RecordedTranscript {
  return { ...transcript, witnesses: transcript.witnesses.filter((witness) => witness.kind === kind) };
}

/** What the CLI wrote to its standard error. */
export function stderrOf(witnesses: readonly Witness[]): string {
  return witnesses.flatMap(({ kind, bytes }) => (kind === 'stderr' ? [Buffer.from(bytes).toString('utf8')] : [])).join('');
}

/** Tells lines of JSON by a field, which may lie below another one. */
export function isOneOf(path: readonly string[], values: readonly string[]): (line: string) => boolean {
  return (line) => {
    try {
      const found = path.reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], JSON.parse(line));
      return values.includes(found as string);
    } catch {
      return false;
    }
  };
}
