import { EVIDENCE_CHANNELS, foldCoverage, completeEvidenceCoverage, type EvidenceCoverage } from '../evidence/coverage.js';
import type { Turn } from '../evidence/turn.js';
import { addUsage, type Usage } from '../evidence/usage.js';
import { isLookAlike, recogniseClaudeCode } from './claude-code/recognise.js';
import { parseClaudeCodeTurns } from './claude-code/turns.js';
import { writerOf } from './client-lines.js';
import { parseCodexTurns } from './codex/process-turns.js';
import { recogniseCodex } from './codex/recognise.js';
import { fieldsOf, type Fields } from './fields.js';
import { readJsonLine } from './json-line.js';
import { createLineReader } from './line-reader.js';
import { UNRECOGNISED_KEPT, type ParsedTurn, type ProcessEnd, type TranscriptEnding, type Unrecognised, type Witness } from './transcript.js';

/** The records that can be read, of any version. */
export const TRANSCRIPT_FORMATS = ['claude-code', 'claude-session', 'codex-exec', 'codex-rollout', 'codex-app-server'] as const;

export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

/** One file of a run. */
export interface TranscriptFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface ParseTranscriptOptions {
  /** Takes every file that is not recognised as something else for this. Default: by content. */
  readonly format?: TranscriptFormat;
  /** How the last process ended. Default: nobody knows. */
  readonly end?: ProcessEnd;
  readonly stderr?: Uint8Array;
}

/** A run told from its files. */
export interface ParsedTranscript {
  /** The record that leads: stdout where there is one. */
  readonly format: TranscriptFormat;
  readonly cliVersion?: string;
  readonly model?: string;
  readonly turns: readonly Turn[];
  /** How each turn came out, in the order of `turns`. */
  readonly endings: readonly TranscriptEnding[];
  readonly usage: Usage;
  /** The worst of the turns, per channel. */
  readonly evidenceCoverage: EvidenceCoverage;
  readonly unrecognised: readonly Unrecognised[];
  readonly unrecognisedCount: number;
  readonly problems: readonly string[];
}

export type TranscriptOutcome =
  | { readonly kind: 'parsed'; readonly transcript: ParsedTranscript }
  /** No file, or a mixture, of formats that can be read. Nothing was told. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Tells a run from its files, whatever wrote them: stdout, session folder or rollouts given together are records of one
 * run. The format is recognised by content. Never throws.
 */
export function parseTranscript(files: readonly TranscriptFile[], options: ParseTranscriptOptions = {}): TranscriptOutcome {
  const formats = new Map<TranscriptFile, TranscriptFormat>();
  const aside: TranscriptFile[] = [];
  for (const file of files) {
    if (isClientRecord(file.bytes)) {
      aside.push(file);
      continue;
    }
    const format = isBesideSession(file.path) ? 'claude-session' : recogniseFormat(file.bytes) ?? options.format;
    if (format === undefined) aside.push(file);
    else formats.set(file, format);
  }
  const own = [...formats].filter(([file]) => !isBesideSession(file.path)).map(([, format]) => format);
  if (own.length === 0) return { kind: 'refused', reason: `no known transcript format in ${files.map(({ path }) => JSON.stringify(path)).join(', ') || 'nothing'}; known are ${TRANSCRIPT_FORMATS.join(', ')}` };
  const clis = new Set(own.map((format) => format.split('-')[0]));
  if (clis.size > 1) return { kind: 'refused', reason: `the files are of different CLIs: ${[...new Set(own)].join(', ')}` };
  const live = new Set(own.filter((format) => format !== 'claude-session' && format !== 'codex-rollout'));
  if (live.size > 1) return { kind: 'refused', reason: `the files are of different runs: ${[...live].join(', ')}` };
  const witnesses: Witness[] = [...formats].map(([{ path, bytes }, format]) => ({ kind: KIND[format], path, bytes }));
  if (options.stderr !== undefined) witnesses.push({ kind: 'stderr', bytes: options.stderr });
  const end = options.end ?? { exitCode: null };
  const format = [...live][0] ?? own[0] ?? 'claude-code';
  const turns = format.startsWith('claude') ? parseClaudeCodeTurns(witnesses, end) : parseCodexTurns(witnesses, end, format === 'codex-app-server' ? 'app-server' : 'exec');
  return { kind: 'parsed', transcript: foldTurns(format, turns, aside.map(({ path, bytes }) => `${JSON.stringify(path)} is ${isClientRecord(bytes) ? 'what the client wrote' : 'no transcript'} and was left out`)) };
}

/** Recognises a record by its first lines; undefined when it is none that can be read. */
export function recogniseFormat(bytes: Uint8Array): TranscriptFormat | undefined {
  if (isClientRecord(bytes)) return undefined;
  const votes = new Map<TranscriptFormat, number>();
  let objects = 0;
  let foreign = false;
  lookAt(bytes, (record) => {
    objects += 1;
    if (isLookAlike(record)) foreign = true;
    const format = recogniseClaudeCode(record) ?? recogniseCodex(record);
    if (format !== undefined) votes.set(format, (votes.get(format) ?? 0) + 1);
  });
  const [best] = [...votes].sort((a, b) => b[1] - a[1]);
  // A stray look-alike does not make a transcript.
  return best !== undefined && !foreign && best[1] * 5 >= objects ? best[0] : undefined;
}

/** Whether a file is what a client said to a CLI, for instance a kept standard input. It tells nothing of what the CLI did. */
export function isClientRecord(bytes: Uint8Array): boolean {
  const writers = new Set<ReturnType<typeof writerOf>>();
  lookAt(bytes, (record) => writers.add(writerOf(record)));
  return writers.has('client') && !writers.has('cli');
}

/** The first objects of a record, behind a log's noise if there is any. */
function lookAt(bytes: Uint8Array, see: (record: Fields) => void): void {
  let objects = 0;
  const reader = createLineReader(({ text }) => readJsonLine(text, (value) => {
    for (const item of Array.isArray(value) ? (value as readonly unknown[]).slice(0, LOOK_AT) : [value]) {
      const record = fieldsOf(item);
      if (record === undefined || isLogEntry(record)) continue;
      objects += 1;
      see(record);
    }
  }, () => undefined), () => undefined);
  for (let start = 0, lines = 0; start < bytes.length && objects < LOOK_AT && lines < LINES_AT_MOST; lines += 1) {
    const feed = bytes.indexOf(LINE_FEED, start);
    const next = feed === -1 ? bytes.length : feed + 1;
    reader.push(bytes.subarray(start, next));
    start = next;
  }
  reader.end();
}

/** A line of a program's log that is written as JSON. */
function isLogEntry(record: Fields): boolean {
  return typeof record['level'] === 'string' && record['type'] === undefined;
}

const LOOK_AT = 60;
const LINES_AT_MOST = 5_000;
const LINE_FEED = 0x0a;

const KIND = {
  'claude-code': 'stdout', 'claude-session': 'session', 'codex-exec': 'stdout', 'codex-rollout': 'rollout', 'codex-app-server': 'stdout',
} as const satisfies Record<TranscriptFormat, Witness['kind']>;

/** Files of a session folder that are no transcripts themselves. */
export function isBesideSession(path: string): boolean {
  return /(?:^|\/)tool-results\/|(?:^|\/)agent-[^/]+\.meta\.json$/.test(path);
}

function foldTurns(format: TranscriptFormat, parsed: readonly ParsedTurn[], leftOut: readonly string[]): ParsedTranscript {
  const coverages = parsed.map(({ turn }) => ({ ...completeEvidenceCoverage, ...turn.evidenceCoverage }));
  const cliVersion = parsed.map((turn) => turn.cliVersion).find((version) => version !== undefined);
  const model = parsed.map((turn) => turn.model).find((name) => name !== undefined);
  return {
    format,
    ...(cliVersion === undefined ? {} : { cliVersion }),
    ...(model === undefined ? {} : { model }),
    turns: parsed.map(({ turn }) => turn),
    endings: parsed.map(({ ending }) => ending),
    usage: addUsage(parsed.map(({ turn }) => turn.usage ?? {})),
    evidenceCoverage: parsed.length === 0 ? unavailable('no turn was found') : foldCoverage(coverages),
    unrecognised: parsed.flatMap(({ unrecognised }) => unrecognised).slice(0, UNRECOGNISED_KEPT),
    unrecognisedCount: parsed.reduce((sum, { unrecognisedCount }) => sum + unrecognisedCount, 0),
    problems: [...new Set([...parsed.flatMap(({ problems }) => problems), ...leftOut])],
  };
}

function unavailable(reason: string): EvidenceCoverage {
  return Object.fromEntries(EVIDENCE_CHANNELS.map((channel) => [channel, { status: 'unavailable', reason }])) as unknown as EvidenceCoverage;
}
