import { dirname, join, resolve } from 'node:path';
import pc from 'picocolors';
import { discoverProject } from '../plan/discover.js';
import { AuthoringError } from '../plan/errors.js';
import { profilesIn, withProfiles } from '../plan/profiles.js';
import { planRun } from '../plan/plan.js';
import { locateRecord, locateRun } from '../record/locate.js';
import { RecordNotFoundError } from '../record/errors.js';
import { readRun } from '../record/read-run.js';
import { readForJudging } from '../record/recorded-attempt.js';
import { reparsed } from '../record/reparse.js';
import { plainJsonLine, plainLine } from '../report/plain-text.js';
import { createJudges } from '../run/judging.js';
import { regradeRun, type Regraded, type ToRegrade } from '../run/regrade-run.js';
import type { AttemptSummary } from '../run/run-result.js';
import { BACKENDS, BACKEND_NAMES, type BackendName } from '../sandbox/backend.js';
import type { SandboxProvider } from '../sandbox/sandbox.js';
import { BUILT_IN } from './defaults.js';
import { withCleanOutput } from './clean-output.js';
import { EXIT } from './exit-codes.js';
import { interruptible } from './interrupt.js';
import { openRecordOrTell } from './open-record.js';
import { remark, say } from './output.js';
import { recordsRoot } from './records-root.js';
import { newRunId } from './run-id.js';

/** Options of `niceeval regrade`, as commander hands them over. */
export interface RegradeFlags {
  /** Absent: that of the run. */
  readonly sandbox?: BackendName;
  readonly concurrency?: number;
  readonly reparse?: boolean;
  readonly json?: boolean;
  readonly dir: string;
}

/** A sandbox in which only commands of a test run. */
const LIFETIME_MS = 60 * 60_000;

/** `niceeval regrade`. */
export function regradeCommand(name: string, flags: RegradeFlags): Promise<number> {
  const write = process.stdout.write.bind(process.stdout);
  return flags.json === true ? withCleanOutput(() => regraded(name, flags, write)) : regraded(name, flags, write);
}

async function regraded(name: string, flags: RegradeFlags, write: (text: string) => unknown): Promise<number> {
  const { folder: from } = await locateRun(recordsRoot(flags.dir), name);
  const run = await readRun(from);
  if (run.attempts.length === 0) throw new AuthoringError([`The run ${run.id} has no Attempt that ended, so there is nothing to judge.`]);
  const found = await discoverProject(resolve(flags.dir));
  const project = withProfiles(found, profilesIn(found, run.attempts), { keepExperiments: true });
  const plan = await planRun(project, { selectors: [], experiments: [], tags: [], attempts: run.attempts.reduce((most, { index }) => Math.max(most, index), 1) });
  const runId = newRunId();
  const folder = join(recordsRoot(flags.dir), runId);
  const backend = flags.sandbox ?? BACKEND_NAMES.find((known) => known === run.sandbox) ?? 'docker';
  let changed = 0;
  const result = await interruptible(async (signal) => {
    const provider = lazyProvider(backend, runId);
    try {
      return await regradeRun(plan, toRegrade(run.attempts, from, flags.reparse === true), {
        runId, from: run.id, sandbox: backend, sink: await openRecordOrTell(folder), signal, concurrency: flags.concurrency ?? project.config.maxConcurrency ?? BUILT_IN.maxConcurrency,
        judges: createJudges({ env: (variable) => process.env[variable], signal }),
        ...(project.config.pricing === undefined ? {} : { pricing: project.config.pricing }),
        openSandbox: async (attempt) => {
          const opened = await provider.open();
          const image = await opened.prepareImage(attempt.sandbox);
          const network = opened.openClosedNetwork === undefined ? { kind: 'host' as const } : { kind: 'none' as const };
          return opened.openSandbox(attempt.sandbox, { image, network, attemptId: attempt.id, lifetimeMs: LIFETIME_MS, signal });
        },
        onRegraded: (regraded) => {
          if (isChanged(regraded)) changed += 1;
          write(flags.json === true ? `${plainJsonLine(jsonOf(regraded))}\n` : lineOf(regraded));
        },
      });
    } finally {
      await provider.close();
    }
  });
  const { passed, failed, errored, skipped, total } = result.counts;
  if (flags.json === true) write(`${plainJsonLine({ type: 'regrade.finished', runId, from: run.id, counts: result.counts, changed, left: run.attempts.length - total, record: folder })}\n`);
  else await say(`${passed} passed, ${failed} failed, ${errored} errored, ${skipped} skipped; ${changed} came out otherwise, ${run.attempts.length - total} left as they were\nrecord: ${plainLine(folder)}\n`);
  if (result.interrupted) return EXIT.interrupted;
  return failed + errored > 0 || total < run.attempts.length ? EXIT.failed : EXIT.ok;
}

async function* toRegrade(attempts: readonly AttemptSummary[], folder: string, again: boolean): AsyncGenerator<ToRegrade> {
  for (const summary of attempts) {
    const own = await evidenceOf(summary, folder);
    const read = own === undefined ? { state: 'unreadable' as const, problem: `the record of ${summary.reusedFrom?.runId ?? ''} is gone, where it was carried out` } : await readForJudging(own);
    if (own === undefined || read.state === 'unreadable' || !again) {
      yield { summary, recorded: read };
      continue;
    }
    const told = await reparsed(own, read.recorded.turns);
    if (told.state === 'left') remark(`${plainLine(summary.id)}: not parsed again: ${plainLine(told.reason)}`);
    yield { summary, recorded: told.state === 'left' ? read : { state: 'read', recorded: { ...read.recorded, turns: told.turns } } };
  }
}

/** An outcome that was taken over has its evidence in the record of the run that made it. `undefined`: that is gone. */
async function evidenceOf({ id, reusedFrom }: AttemptSummary, folder: string): Promise<string | undefined> {
  if (reusedFrom === undefined) return join(folder, 'attempts', id);
  try {
    const { runId, attemptId } = reusedFrom;
    return (await locateRecord(dirname(folder), `${runId}/${attemptId}`)).folder;
  } catch (error) {
    if (error instanceof RecordNotFoundError) return undefined;
    throw error;
  }
}

/** A backend that is connected to only where a test works in a sandbox. */
function lazyProvider(name: BackendName, runId: string): { readonly open: () => Promise<SandboxProvider>; readonly close: () => Promise<void> } {
  let opened: Promise<SandboxProvider> | undefined;
  return {
    open: () => {
      opened ??= BACKENDS[name].open({ runId });
      return opened;
    },
    close: async () => { await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose](); },
  };
}

function isChanged(regraded: Regraded): boolean {
  return regraded.kind === 'regraded' && regraded.result.verdict !== regraded.before.verdict;
}

function lineOf(regraded: Regraded): string {
  const { before } = regraded;
  const who = `${plainLine(before.evalId)} by ${plainLine(before.experimentId)} (${before.index})`;
  if (regraded.kind === 'left') return `${pc.yellow('left')}     ${who}: ${before.verdict}; ${plainLine(regraded.reason)}\n`;
  const { verdict, reasons } = regraded.result;
  const why = reasons[0] === undefined ? '' : `: ${plainLine(reasons[0]).slice(0, 200)}`;
  return isChanged(regraded) ? `${pc.cyan('changed')}  ${who}: ${before.verdict} -> ${verdict}${why}\n` : `same     ${who}: ${verdict}\n`;
}

function jsonOf(regraded: Regraded): object {
  const { id: attempt, evalId, experimentId, index, verdict: before } = regraded.before;
  const head = { type: 'attempt.regraded', attempt, evalId, experimentId, index, before };
  return regraded.kind === 'left' ? { ...head, left: regraded.reason } : { ...head, after: regraded.result.verdict, reasons: regraded.result.reasons };
}
