import type { Turn } from '../evidence/turn.js';

/** One record of a run that a parser reads. */
export interface Witness {
  readonly kind: 'stdout' | 'stderr' | 'session' | 'rollout';
  /** Where the record lay. Session folders need it: the file names say which subagent wrote them. */
  readonly path?: string;
  readonly bytes: Uint8Array;
}

/** How the CLI's process ended, as the harness saw it. */
export interface ProcessEnd {
  /** `null`: it was killed, is still running, or nobody knows. */
  readonly exitCode: number | null;
  readonly signal?: string;
  /** The harness itself sent the signal (timeout, abort). Whatever the record says then, the run was cut. */
  readonly stoppedByHarness?: boolean;
}

/** What the record says about how the run came out. */
export type TranscriptEnding =
  /** The end event says success. */
  | { readonly kind: 'completed' }
  /** Stopped for a person. */
  | { readonly kind: 'waiting' }
  /** The end event says that the agent did not make it: turn limit, refusal, interrupt, budget. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** The model service refused or failed. */
  | { readonly kind: 'api-error'; readonly reason: string; readonly httpStatus?: number }
  /** Events, but no end event: killed, cut, lost. */
  | { readonly kind: 'incomplete'; readonly reason: string }
  /** Not one line was understood. */
  | { readonly kind: 'nothing'; readonly reason: string };

/** One piece of a record that was not understood. */
export interface Unrecognised {
  /** `stdout`, `stderr` or the path of the file. */
  readonly source: string;
  /** Counts from 1. */
  readonly line: number;
  readonly why: string;
}

/** One CLI process, told as a turn. */
export interface ParsedTurn {
  readonly turn: Turn;
  readonly ending: TranscriptEnding;
  readonly sessionId?: string;
  readonly cliVersion?: string;
  /** The model that the CLI says it uses. */
  readonly model?: string;
  readonly exitCode?: number | null;
  /** The first {@link UNRECOGNISED_KEPT} of them. */
  readonly unrecognised: readonly Unrecognised[];
  readonly unrecognisedCount: number;
  /** Sentences for a person: what looks wrong with the record, without being an event of the run. */
  readonly problems: readonly string[];
}

/** How many unrecognised pieces a parsed turn lists. The count goes on. */
export const UNRECOGNISED_KEPT = 100;

/** Says in which of several stdout files a turn's lines were not understood. */
export function withSource<P extends ParsedTurn>(parsed: P, path: string | undefined): P {
  if (path === undefined) return parsed;
  return { ...parsed, unrecognised: parsed.unrecognised.map((piece) => (piece.source === 'stdout' ? { ...piece, source: path } : piece)) };
}

/** Collects what a parser did not understand, in bounded memory. */
export interface TranscriptNotes {
  understood(): void;
  unrecognised(source: string, line: number, why: string): void;
  problem(sentence: string): void;
  readonly understoodCount: number;
  readonly unrecognisedCount: number;
  readonly kept: readonly Unrecognised[];
  readonly problems: readonly string[];
}

/** Creates empty notes. Plain fields: V8 keeps every object that was written with a getter until its next full collection. */
export function createTranscriptNotes(): TranscriptNotes {
  const kept: Unrecognised[] = [];
  const problems: string[] = [];
  const notes = {
    understoodCount: 0,
    unrecognisedCount: 0,
    kept,
    problems,
    understood() { notes.understoodCount += 1; },
    unrecognised(source: string, line: number, why: string) {
      notes.unrecognisedCount += 1;
      if (kept.length < UNRECOGNISED_KEPT) kept.push({ source, line, why });
    },
    problem(sentence: string) { if (!problems.includes(sentence)) problems.push(sentence); },
  };
  return notes;
}
