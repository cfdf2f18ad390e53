import { Readable } from 'node:stream';
import type { Plan, PlannedAttempt } from '../plan/plan.js';
import { messageOf } from '../lifetime/error.js';
import { createContentStore, type ContentStore } from '../workspace/content-store.js';
import type { RunSink } from './ports.js';
import { regradeAttempt, whyNotRegradable, type RecordedAttempt, type RegradeWorld } from './regrade.js';
import { attemptSummaryOf, countsOf, type AttemptSummary, type RunResult } from './run-result.js';
import type { AttemptResult } from './result.js';

/** An Attempt of a recorded run, and what is known of it. */
export interface ToRegrade {
  readonly summary: AttemptSummary;
  readonly recorded: { readonly state: 'read'; readonly recorded: RecordedAttempt } | { readonly state: 'unreadable'; readonly problem: string };
}

/** What judging an Attempt again came to. */
export type Regraded =
  | { readonly kind: 'regraded'; readonly before: AttemptSummary; readonly result: AttemptResult }
  | { readonly kind: 'left'; readonly before: AttemptSummary; readonly reason: string };

/** Where the new verdicts go, and who they came from. */
export interface RegradeOptions extends RegradeWorld {
  readonly runId: string;
  /** The run that is judged again. */
  readonly from: string;
  readonly sandbox: string;
  readonly sink: RunSink;
  /** How many are judged at once. */
  readonly concurrency: number;
  /** Told in the order in which they are done. */
  readonly onRegraded: (regraded: Regraded) => void;
}

/** Judges recorded Attempts again by today's definitions, and seals what they come to as a run of its own. */
export async function regradeRun(plan: Plan, attempts: AsyncIterable<ToRegrade>, options: RegradeOptions): Promise<RunResult> {
  const startedAt = new Date();
  const begun = performance.now();
  await options.sink.begin({ runId: options.runId, sandbox: options.sandbox, startedAt: startedAt.toISOString(), attempts: [], regradedFrom: options.from });
  // It lives until it has ended, even while a test only waits for a promise of its own.
  const timer = setInterval(() => undefined, 60_000);
  using _alive = { [Symbol.dispose]: () => clearInterval(timer) };
  const done = new Map<string, AttemptSummary>();
  const order: string[] = [];
  const source = attempts[Symbol.asyncIterator]();
  const work = async (): Promise<void> => {
    for (let next = await source.next(); next.done !== true && !options.signal.aborted; next = await source.next()) {
      const { id } = next.value.summary;
      order.push(id);
      const regraded = await regradeOne(plan, next.value, options);
      if (regraded.kind === 'regraded') done.set(id, { ...attemptSummaryOf(regraded.result), regradedFrom: { runId: options.from, attemptId: id } });
      options.onRegraded(regraded);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, work));
  const summaries = order.flatMap((id) => done.get(id) ?? []);
  const result: RunResult = {
    runId: options.runId, sandbox: options.sandbox, startedAt: startedAt.toISOString(), durationMs: Math.round(performance.now() - begun), interrupted: options.signal.aborted,
    counts: countsOf(summaries), attempts: summaries, notRun: [], regradedFrom: options.from,
  };
  await options.sink.seal(result);
  return result;
}

async function regradeOne(plan: Plan, { summary, recorded }: ToRegrade, options: RegradeOptions): Promise<Regraded> {
  const left = (reason: string): Regraded => ({ kind: 'left', before: summary, reason });
  if (recorded.state === 'unreadable') return left(recorded.problem);
  const attempt = plan.attempts.find((planned) => isOf(planned, summary));
  if (attempt === undefined) return left('the project has no such eval and experiment any more');
  const why = whyNotRegradable(recorded.recorded);
  if (why !== undefined) return left(why);
  try {
    const result = await regradeAttempt(attempt, recorded.recorded, options);
    if (options.signal.aborted) return left('it was interrupted while it was judged again');
    const sink = await options.sink.openAttempt({ ...attempt, id: result.id });
    await copyContents(result, recorded.recorded, createContentStore(sink.blobFolder, attempt.experiment.agent.sensitiveValues));
    await sink.seal(result);
    return { kind: 'regraded', before: summary, result };
  } catch (error) {
    return left(messageOf(error));
  }
}

/** What a record shows of files goes with it. */
async function copyContents({ changes }: AttemptResult, { content }: RecordedAttempt, store: ContentStore): Promise<void> {
  if (changes.state === 'unavailable') return;
  const hashes = changes.windows.flatMap((window) => window.changes.flatMap(({ before, after }) => [before?.sha256, after?.sha256]));
  for (const sha256 of new Set(hashes)) {
    const bytes = sha256 === undefined ? undefined : await content(sha256);
    if (bytes !== undefined) await store.take(Readable.from([bytes], { objectMode: false }));
  }
}

function isOf(planned: PlannedAttempt, { evalId, experimentId, index }: AttemptSummary): boolean {
  return planned.evalId === evalId && planned.experimentId === experimentId && planned.index === index;
}
