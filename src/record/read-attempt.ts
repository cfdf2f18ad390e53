import { basename } from 'node:path';
import { createLineReader, type SourceLine } from '../agents/line-reader.js';
import type { Claim } from '../assert/claim.js';
import { parseJson } from '../evidence/json.js';
import { spanSchema, type Span } from '../evidence/span.js';
import { messageOf } from '../lifetime/error.js';
import type { AttemptResult } from '../run/result.js';
import { foldersIn, hasPart, openPart, readJson, readText, type Part } from './part.js';
import { rawFilesIn, type RawFile } from './raw-reader.js';
import { attemptFileSchema, changesFileSchema, claimsFileSchema, eventLineSchema, MARKER, type AttemptFile, type ChangesFile, type EventLine } from './schema.js';

/** A line of `events.jsonl`, from 1, or why it cannot be read. */
export type ReadEvent =
  | (EventLine & { readonly line: number; readonly problem?: never })
  | { readonly line: number; readonly problem: string };

/** An Attempt as it is on disk. What is large is read when it is asked for. */
export interface AttemptRecord {
  /** The name of its folder. */
  readonly id: string;
  readonly folder: string;
  /** `in-flight`: it has not ended, or whoever wrote it died. */
  readonly state: 'complete' | 'in-flight';
  /** What `attempt.json` says. Absent: there is none, or it cannot be read. */
  readonly facts?: AttemptFile;
  /** One line each for what was found wrong until now. */
  readonly problems: readonly string[];
  /** What happened, in order. A line that cannot be read comes as a problem. */
  events(): AsyncIterable<ReadEvent>;
  claims(): Promise<Part<readonly Claim[]>>;
  changes(): Promise<Part<ChangesFile>>;
  /** `missing`: the changes are not known, or there are none. */
  patch(): Promise<Part<string>>;
  raw(): Promise<readonly RawFile[]>;
  /** Requests to its model in time; a line that cannot be read is left out. `missing`: it asked none. */
  spans(): Promise<Part<readonly Span[]>>;
}

/**
 * Reads the folder of an Attempt. Never rejects for what is in it: a bad part is a problem, and a part that is asked for
 * answers why it cannot be read.
 */
export async function readAttempt(folder: string): Promise<AttemptRecord> {
  const [facts, marked] = await Promise.all([readJson(folder, 'attempt', attemptFileSchema), hasPart(folder, MARKER)]);
  const read = facts.state === 'read' ? facts.value : undefined;
  // Without sizes it was written when attempt.json itself came last.
  const isComplete = marked || (read !== undefined && read.files === undefined);
  const problems = [
    ...(facts.state === 'unreadable' || (facts.state === 'missing' && marked) ? [facts.problem] : []),
    ...await misfits(folder, read?.files ?? {}),
  ];
  return {
    id: basename(folder),
    folder,
    state: isComplete ? 'complete' : 'in-flight',
    ...(read === undefined ? {} : { facts: read }),
    problems,
    events: () => eventsIn(folder),
    async claims() {
      const part = await readJson(folder, 'claims', claimsFileSchema);
      return part.state === 'read' ? { state: 'read', value: part.value.claims } : part;
    },
    changes: () => readJson(folder, 'changes', changesFileSchema),
    patch: () => readText(folder, 'changes.patch'),
    async spans() {
      const part = await readText(folder, 'trace.jsonl');
      if (part.state !== 'read') return part;
      return { state: 'read', value: part.value.split('\n').flatMap((line) => spanSchema.safeParse(parseJson(line)).data ?? []) };
    },
    raw: async () => ((await foldersIn(folder)).includes('raw') ? rawFilesIn(folder) : []),
  };
}

/** Puts an Attempt together again as it was when it ended, but for its events. `undefined`: its facts cannot be read. */
export async function resultOf(record: AttemptRecord): Promise<{ readonly result: AttemptResult; readonly problems: readonly string[] } | undefined> {
  const { facts } = record;
  if (facts === undefined) return undefined;
  const [claims, changes] = await Promise.all([record.claims(), record.changes()]);
  const { format: _format, schemaVersion: _version, files: _files, turns, ...rest } = facts;
  const result = {
    ...rest,
    turns: turns.map((turn) => ({ ...turn, events: [] })),
    claims: claims.state === 'read' ? claims.value : [],
    changes: changes.state === 'read' ? changes.value.changes : { state: 'unavailable', reason: changes.problem },
  };
  // A record may know phases and kinds that this version does not: they are only shown.
  return { result: result as unknown as AttemptResult, problems: [claims, changes].flatMap((part) => (part.state === 'read' ? [] : [part.problem])) };
}

/** Files whose size is not the one that was written: cut by a crash of the machine, or changed since. */
async function misfits(folder: string, files: Readonly<Record<string, number>>): Promise<readonly string[]> {
  const problems = await Promise.all(Object.entries(files).map(async ([name, sizeBytes]) => {
    if (name.includes('/') || name.includes('\\')) return [`attempt.json names "${name}", which is no name of a file`];
    const opened = await openPart(folder, name);
    if (opened.state !== 'read') return [opened.problem];
    const { size } = await opened.value.stat();
    await opened.value.close();
    return size === sizeBytes ? [] : [`${name} has ${size} bytes and was written with ${sizeBytes}`];
  }));
  return problems.flat();
}

async function* eventsIn(folder: string): AsyncGenerator<ReadEvent> {
  const opened = await openPart(folder, 'events.jsonl');
  if (opened.state !== 'read') {
    yield { line: 0, problem: opened.problem };
    return;
  }
  let ready: ReadEvent[] = [];
  const reader = createLineReader(
    (line) => { ready.push(eventOf(line)); },
    (line) => { ready.push({ line, problem: `line ${line} of events.jsonl is too long to be read` }); },
  );
  try {
    for await (const chunk of opened.value.createReadStream() as AsyncIterable<Buffer>) {
      reader.push(chunk);
      yield* ready;
      ready = [];
    }
    reader.end();
  } catch (error) {
    ready.push({ line: 0, problem: `events.jsonl cannot be read: ${messageOf(error)}` });
  }
  yield* ready;
}

function eventOf({ number, text, terminated }: SourceLine): ReadEvent {
  const value = parseJson(text);
  if (value === undefined) return { line: number, problem: `line ${number} of events.jsonl is no JSON${terminated ? '' : '; it is cut'}` };
  const checked = eventLineSchema.safeParse(value);
  return checked.success ? { line: number, ...checked.data } : { line: number, problem: `line ${number} of events.jsonl is no event that this niceeval knows` };
}
