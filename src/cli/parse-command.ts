import { readFile } from 'node:fs/promises';
import { isBesideSession, isClientRecord, parseTranscript, recogniseFormat, type TranscriptFile, type TranscriptFormat } from '../agents/parse-transcript.js';
import { messageOf } from '../lifetime/error.js';
import { plainJsonLine, plainLine } from '../report/plain-text.js';
import { transcriptListing } from '../report/transcript-listing.js';
import { EXIT } from './exit-codes.js';
import { readTranscriptFiles } from './transcript-files.js';

/** Options of `niceeval parse`, as commander hands them over. */
export interface ParseFlags {
  readonly format: 'auto' | TranscriptFormat;
  readonly json?: boolean;
  readonly exitCode?: number;
  readonly stderr?: string;
}

/** `niceeval parse`. */
export async function parseCommand(paths: readonly string[], flags: ParseFlags): Promise<number> {
  let files: readonly TranscriptFile[];
  let stderr: Uint8Array | undefined;
  try {
    const { named, walked } = await readTranscriptFiles(paths);
    files = [...named, ...walked.filter(isWanted)];
    stderr = flags.stderr === undefined ? undefined : await readFile(flags.stderr);
  } catch (error) {
    return refuse(messageOf(error));
  }
  const where = paths.map((path) => JSON.stringify(path)).join(', ');
  if (files.length === 0) return refuse(`no transcript lies in ${where}; name the files themselves to have them read by --format`);
  if (files.every(({ bytes }) => bytes.length === 0)) return refuse(`nothing to read in ${where}`);
  const outcome = parseTranscript(files, {
    ...(flags.format === 'auto' ? {} : { format: flags.format }),
    ...(flags.exitCode === undefined ? {} : { end: { exitCode: flags.exitCode } }),
    ...(stderr === undefined ? {} : { stderr }),
  });
  if (outcome.kind === 'refused') return refuse(outcome.reason);
  const { format, cliVersion, turns, usage, evidenceCoverage, unrecognised, problems } = outcome.transcript;
  if (flags.json === true) {
    const told = { format, ...(cliVersion === undefined ? {} : { cliVersion }), turns, usage, evidenceCoverage, unrecognised, problems };
    process.stdout.write(`${plainJsonLine(told)}\n`);
  } else {
    process.stdout.write(transcriptListing(outcome.transcript));
  }
  return outcome.transcript.unrecognisedCount > 0 ? EXIT.unreadableLines : EXIT.ok;
}

/** What merely lies beside transcripts in a folder is left alone, whatever `--format` says. */
function isWanted({ path, bytes }: TranscriptFile): boolean {
  if (isBesideSession(path) || recogniseFormat(bytes) !== undefined || isClientRecord(bytes)) return true;
  process.stderr.write(`niceeval: ${plainLine(path)} is no transcript and was skipped\n`);
  return false;
}

function refuse(reason: string): number {
  process.stderr.write(`niceeval: ${plainLine(reason)}\n`);
  return EXIT.usage;
}
