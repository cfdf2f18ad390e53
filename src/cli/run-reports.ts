import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { messageOf } from '../lifetime/error.js';
import type { Plan } from '../plan/plan.js';
import { writeAtomic } from '../record/write-atomic.js';
import { annotationsOf } from '../report/annotations.js';
import { junitOf } from '../report/junit.js';
import { markdownOf } from '../report/markdown.js';
import type { PricingProfile } from '../report/pricing/profile.js';
import { attemptOutcomeOf, reusedOutcomeOf, type AttemptOutcome, type RunReport } from '../report/run-report.js';
import type { RunEvent } from '../run/ports.js';
import type { NotRun } from '../run/run-result.js';
import { profileFrom } from './pricing-option.js';
import type { ReportFlags } from './report-options.js';

/** Reports of a whole run, collected while it goes on. */
export interface RunReports {
  onEvent(event: RunEvent): void;
  /** Writes them all. Answers what could not be written, one sentence each. */
  write(): Promise<readonly string[]>;
}

/** Where reports go besides files. */
export interface ReportWorld {
  readonly env: (name: string) => string | undefined;
  readonly cwd: string;
  /** Where workflow commands are written. */
  readonly annotate: (text: string) => unknown;
}

/** The least that the Markdown of a step is made with. */
const LEAST_SUMMARY_BYTES = 4096;
const SUMMARY_BYTES = 1000 * 1024;

/**
 * Collects what the reports that were asked for need: of each Attempt only its outcome.
 *
 * @throws ReportInputError when the pricing profile is none.
 */
export async function openRunReports(flags: ReportFlags, plan: Plan, world: ReportWorld): Promise<RunReports> {
  const pricing = await profileFrom(flags.pricing);
  const files = new Map(plan.attempts.map(({ evalId, evalFile }) => [evalId, fileInRepository(evalFile, world)]));
  const outcomes = new Map<string, AttemptOutcome>();
  const notRun: NotRun[] = [];
  let started: { readonly runId: string; readonly at: string; readonly planned: number } | undefined;
  let ended: Pick<RunReport, 'durationMs' | 'interrupted'> | undefined;
  return {
    onEvent: (event) => {
      if (event.type === 'run.started') started = event;
      else if (event.type === 'attempt.not-run') notRun.push(event.notRun);
      else if (event.type === 'run.finished') ended = event.result;
      else if (event.type === 'attempt.finished') {
        const evalFile = files.get(event.result.evalId);
        outcomes.set(event.result.id, attemptOutcomeOf(event.result, evalFile === undefined ? {} : { evalFile }));
      } else if (event.type === 'attempt.reused') {
        const evalFile = files.get(event.summary.evalId);
        outcomes.set(event.summary.id, reusedOutcomeOf(event.summary, evalFile === undefined ? {} : { evalFile }));
      }
    },
    write: () => {
      if (started === undefined) return Promise.resolve([]);
      const { runId, at, planned } = started;
      // A run that broke has no end; what it came to until then is told as interrupted.
      const { durationMs = Math.max(0, Date.now() - Date.parse(at)), interrupted = true } = ended ?? {};
      return writeAll(flags, { runId, startedAt: at, durationMs, interrupted, notRun: [...notRun, ...lost(Math.max(0, planned - outcomes.size - notRun.length))], attempts: [...outcomes.values()] }, { ...world, pricing });
    },
  };
}

/** Of a run that broke nobody says which they were. */
function lost(count: number): RunReport['notRun'] {
  return Array.from({ length: count }, () => ({ experimentId: '', reason: 'interrupted' as const }));
}

async function writeAll(flags: ReportFlags, report: RunReport, { env, annotate, pricing }: ReportWorld & { readonly pricing: PricingProfile }): Promise<readonly string[]> {
  const problems: string[] = [];
  const attempt = async (what: string, write: () => unknown): Promise<void> => {
    try {
      await write();
    } catch (error) {
      problems.push(`${what} cannot be written: ${messageOf(error)}`);
    }
  };
  const { junit, markdown, github = env('GITHUB_ACTIONS') === 'true' } = flags;
  if (junit !== undefined) await attempt(`The JUnit report ${junit}`, () => writeReport(junit, junitOf(report, { pricing })));
  if (markdown !== undefined) await attempt(`The Markdown report ${markdown}`, () => writeReport(markdown, markdownOf(report, { pricing })));
  if (github) {
    await attempt('The annotations', () => annotate(annotationsOf(report)));
    const summary = env('GITHUB_STEP_SUMMARY') ?? '';
    if (summary !== '') await attempt(`The summary of the step ${summary}`, () => appendSummary(summary, report, pricing));
  }
  return problems;
}

async function writeReport(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // A pipe or a device is written to; a new file in its place would be another thing.
  const isFile = await stat(path).then((facts) => facts.isFile() || facts.isDirectory(), () => true);
  if (isFile) await writeAtomic(path, text, { durable: 'content' });
  else await writeFile(path, text);
}

/** What earlier commands of the step wrote takes of the room that GitHub gives it. */
async function appendSummary(path: string, report: RunReport, pricing: PricingProfile): Promise<void> {
  const taken = await stat(path).then(({ size }) => size, () => 0);
  await appendFile(path, markdownOf(report, { pricing, limitBytes: Math.max(LEAST_SUMMARY_BYTES, SUMMARY_BYTES - taken) }));
}

/** Relative to where GitHub checked the repository out, else to where the command runs. `undefined`: it lies elsewhere. */
function fileInRepository(file: string, { env, cwd }: ReportWorld): string | undefined {
  const own = relative(env('GITHUB_WORKSPACE') ?? cwd, file);
  return own.startsWith('..') || isAbsolute(own) ? undefined : own.split(sep).join('/');
}
