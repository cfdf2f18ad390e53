import { basename, join } from 'node:path';
import { attemptSummaryOf, countsOf, type AttemptSummary, type RunCounts } from '../run/run-result.js';
import type { RunBeginning } from '../run/ports.js';
import { attemptFoldersIn, foldersIn, hasPart, readJson } from './part.js';
import { readAttempt, resultOf, type AttemptRecord } from './read-attempt.js';
import { MARKER, runFileSchema, runHeadSchema, type RunFile } from './schema.js';

/** An Attempt that a run was to carry out. */
export type PlannedName = RunBeginning['attempts'][number];

/** A run among many: what its `run.json` says of the whole. */
export interface RunListing {
  /** The name of its folder. */
  readonly id: string;
  readonly folder: string;
  /** `incomplete`: it is under way, or whoever wrote it died. */
  readonly state: 'complete' | 'incomplete';
  readonly sandbox?: string;
  /** The run whose evidence was judged again. Absent: its Attempts were carried out. */
  readonly regradedFrom?: string;
  /** ISO 8601. Absent, as all that follows: `run.json` cannot be read. */
  readonly startedAt?: string;
  readonly planned?: number;
  /** Absent, as the counts: it did not end in order. */
  readonly durationMs?: number;
  readonly interrupted?: boolean;
  readonly counts?: RunCounts;
  readonly problems: readonly string[];
}

/** A run, and what each of its Attempts came to. */
export interface RunRecord extends Omit<RunListing, 'counts' | 'planned'> {
  /** Of those that ended. */
  readonly counts: RunCounts;
  readonly attempts: readonly AttemptSummary[];
  /** All that it was to carry out, in order. */
  readonly plan: readonly PlannedName[];
  /** They were begun and have no end. */
  readonly inFlight: readonly Pick<PlannedName, 'id'>[];
  readonly notStarted: readonly PlannedName[];
  /** They were not to be carried out any more, and why. */
  readonly notRun: readonly (PlannedName & { readonly reason: string; readonly detail: string })[];
}

/** All runs below a folder such as `.niceeval/runs`, oldest first, from their `run.json` alone. */
export async function listRuns(root: string): Promise<readonly RunListing[]> {
  const listings: RunListing[] = [];
  for (const id of await foldersIn(root)) listings.push(await listingOf(join(root, id)));
  return listings.sort((a, b) => compare(a.startedAt ?? a.id, b.startedAt ?? b.id) || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

async function listingOf(folder: string): Promise<RunListing> {
  const id = basename(folder);
  const part = await readJson(folder, 'run', runHeadSchema);
  if (part.state !== 'read') return { id, folder, state: 'incomplete', problems: [part.problem] };
  const run = part.value;
  const facts = { id, folder, startedAt: run.startedAt, planned: run.planned.length, problems: [], ...(run.sandbox === undefined ? {} : { sandbox: run.sandbox }), ...(run.regradedFrom === undefined ? {} : { regradedFrom: run.regradedFrom }) };
  if (run.state === 'running') return { ...facts, state: 'incomplete' };
  const { durationMs, interrupted, counts } = run;
  return { ...facts, state: await isSealed(folder, run.sealedBy) ? 'complete' : 'incomplete', durationMs, interrupted, counts: { ...counts, infrastructure: counts.infrastructure ?? 0 } };
}

/** Reads a run. Never rejects for what is in it: a bad part is a problem, and the rest is told. */
export async function readRun(folder: string): Promise<RunRecord> {
  const part = await readJson(folder, 'run', runFileSchema);
  const run = part.state === 'read' ? part.value : undefined;
  const folders = await attemptFoldersIn(folder);
  const problems: string[] = part.state === 'read' ? [] : [part.problem];
  const { attempts, inFlight } = await attemptsOf(folder, { run, folders, problems });
  const notRun = run?.state === 'ended' ? run.notRun : [];
  const known = new Set([...attempts, ...inFlight, ...notRun].map(({ id }) => id).concat(attempts.flatMap(({ retries = [] }) => retries)));
  return {
    id: basename(folder),
    folder,
    state: run?.state === 'ended' && await isSealed(folder, run.sealedBy) ? 'complete' : 'incomplete',
    ...(run?.sandbox === undefined ? {} : { sandbox: run.sandbox }),
    ...(run?.regradedFrom === undefined ? {} : { regradedFrom: run.regradedFrom }),
    ...(run === undefined ? {} : { startedAt: run.startedAt }),
    ...(run?.state === 'ended' ? { durationMs: run.durationMs, interrupted: run.interrupted } : {}),
    counts: countsOf(attempts),
    attempts,
    plan: run?.planned ?? [],
    inFlight,
    notRun,
    notStarted: (run?.planned ?? []).filter(({ id }) => !known.has(id)),
    problems,
  };
}

/** Before there was a marker, run.json came when all had ended. */
async function isSealed(folder: string, sealedBy: 'marker' | 'run-file'): Promise<boolean> {
  return sealedBy === 'run-file' || hasPart(folder, MARKER);
}

interface Seen { readonly run: RunFile | undefined; readonly folders: readonly string[]; readonly problems: string[] }

async function attemptsOf(folder: string, { run, folders, problems }: Seen): Promise<Pick<RunRecord, 'attempts' | 'inFlight'>> {
  const attempts: AttemptSummary[] = [];
  const inFlight: { readonly id: string }[] = [];
  const told = new Set<string>();
  for (const summary of run === undefined ? [] : run.state === 'ended' ? run.attempts : run.reused) {
    told.add(summary.id);
    if ([summary.agent, summary.claims, summary.usage, summary.startedAt, summary.durationMs, summary.timedOut].every((field) => field !== undefined)) {
      attempts.push(summary as AttemptSummary);
      continue;
    }
    const read = folders.includes(summary.id) ? await summaryIn(await readAttempt(join(folder, 'attempts', summary.id)), problems) : undefined;
    if (read === undefined) problems.push(`${summary.id}: only its verdict is known`);
    attempts.push(read ?? { agent: '', claims: { total: 0, decided: 0, matched: 0 }, usage: {}, startedAt: run?.startedAt ?? '', durationMs: 0, timedOut: false, ...summary } as AttemptSummary);
  }
  // What a later try took the place of is part of the record, and no outcome.
  const absorbed = new Set(attempts.flatMap(({ retries = [] }) => retries));
  for (const id of folders.filter((name) => !told.has(name) && !absorbed.has(name))) {
    const record = await readAttempt(join(folder, 'attempts', id));
    const summary = record.state === 'complete' ? await summaryIn(record, problems) : undefined;
    if (summary === undefined) inFlight.push({ id });
    else attempts.push(summary);
  }
  // What run.json tells is an outcome, whatever others say of it.
  const later = new Set(attempts.flatMap(({ retries = [] }) => retries));
  return { attempts: attempts.filter(({ id }) => told.has(id) || !later.has(id)), inFlight };
}

async function summaryIn(record: AttemptRecord, problems: string[]): Promise<AttemptSummary | undefined> {
  const read = await resultOf(record);
  problems.push(...[...record.problems, ...read?.problems ?? []].map((problem) => `${record.id}: ${problem}`));
  return read === undefined ? undefined : attemptSummaryOf(read.result);
}
