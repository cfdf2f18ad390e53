import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { damageChecks } from './damage.js';
import { endingChecks } from './endings.js';
import { hostileValueChecks } from './hostile-values.js';
import { noiseChecks } from './noise.js';
import { pieceChecks } from './pieces.js';
import { prefixChecks } from './prefixes.js';
import { recordedRunChecks } from './recorded-runs.js';
import { textChecks } from './texts.js';
import type { TranscriptSubject } from './transcript-subject.js';

/**
 * What a transcript parser owes, as checks for any test runner: `for (const { title, run } of transcriptConformance(subject)) it(title, run)`.
 * Every check goes over all recorded runs and is the same on every machine. The parser must be synchronous, its
 * records lines of JSON.
 *
 * @throws TypeError for a subject without a name or without a recorded run.
 */
export function transcriptConformance(subject: TranscriptSubject): readonly ConformanceCheck[] {
  if (subject.name.trim() === '') throw new TypeError('transcriptConformance() needs a `name` that is not empty.');
  if (subject.transcripts.length === 0) throw new TypeError(`transcriptConformance() needs at least one recorded run; "${subject.name}" has none.`);
  return [
    ...recordedRunChecks(subject),
    ...endingChecks(subject),
    ...prefixChecks(subject),
    ...noiseChecks(subject),
    ...hostileValueChecks(subject),
    ...damageChecks(subject),
    ...textChecks(subject),
    ...pieceChecks(subject),
  ];
}
