import type { ParsedTurn, ProcessEnd, Witness } from '../transcript.js';

/** A parser that is fed as the output comes in. */
export interface StreamingParser {
  /** The next bytes of the leading record, cut anywhere. */
  push(bytes: Uint8Array): void;
  /** Called once, after the last piece. */
  end(end: ProcessEnd): ParsedTurn;
}

/** A run of the real CLI, as it was recorded. */
export interface RecordedTranscript {
  /** For messages, unique in its subject. */
  readonly name: string;
  /** The first `stdout` leads; without one, the first that is not `stderr`. The leading record is text of one piece a line. */
  readonly witnesses: readonly Witness[];
  readonly end: ProcessEnd;
  /** Whether the agent did what it was asked, as whoever recorded the run knows. */
  readonly completed: boolean;
}

/** What {@link transcriptConformance} takes: a pure parser and records to try it on. */
export interface TranscriptSubject {
  /** Begins every title. Not empty. */
  readonly name: string;
  /** Tells one process of the CLI. */
  readonly parse: (witnesses: readonly Witness[], end: ProcessEnd) => ParsedTurn;
  /**
   * Creates the same parser for output that comes in pieces. Absent: there is none.
   *
   * @param beside Every witness but the leading one, which is pushed.
   */
  readonly createParser?: (beside: readonly Witness[]) => StreamingParser;
  /** At least one. Some that completed, failed, were killed, called tools in parallel, said something, make a good selection. */
  readonly transcripts: readonly RecordedTranscript[];
  /** Whether a line of the leading record is the event that says how the run came out. Default: its last line is. */
  readonly isEndEvent?: (line: string) => boolean;
  /** A line in the shape of the record, of a type that no version of the CLI has. Default: a JSON object with an unknown `type`. */
  readonly unknownLine?: string;
}
