import pc from 'picocolors';
import { messageOf } from '../lifetime/error.js';
import { AuthoringError } from '../plan/errors.js';
import { locateRecord } from '../record/locate.js';
import type { Part } from '../record/part.js';
import { readAttempt, resultOf, type AttemptRecord } from '../record/read-attempt.js';
import { readRun } from '../record/read-run.js';
import { attemptPage, claimListing, logListing, patchOfPath, plainPatch } from '../report/attempt-page.js';
import { eventJsonLine, eventListingLine } from '../report/event-listing.js';
import { plainJsonLine, plainLine } from '../report/plain-text.js';
import { traceListing } from '../report/trace-listing.js';
import { runPage } from '../report/run-page.js';
import { explainedOf, type Explained } from '../report/terminal.js';
import { join } from 'node:path';
import { EXIT } from './exit-codes.js';
import { remark, say } from './output.js';
import { profileFrom } from './pricing-option.js';
import { recordsRoot } from './records-root.js';
import type { PricingProfile } from '../report/pricing/profile.js';
import { projectCost, sumCosts } from '../report/pricing/project-cost.js';
import { isUsageIncomplete } from '../run/run-result.js';

const MOST_EXPLAINED = 100;
const COLUMNS = 120;

/** Options of `niceeval show`. */
export interface ShowFlags {
  readonly events?: boolean;
  readonly grep?: string;
  readonly diff?: true | string;
  readonly claims?: boolean;
  readonly logs?: boolean;
  readonly trace?: boolean;
  readonly json?: boolean;
  readonly pricing?: string;
  readonly dir: string;
}

/** `niceeval show`. */
export async function showCommand(name: string, flags: ShowFlags): Promise<number> {
  const pattern = flags.grep === undefined ? undefined : patternOf(flags.grep);
  const pricing = await profileFrom(flags.pricing);
  const located = await locateRecord(recordsRoot(flags.dir), name);
  if (located.kind === 'attempt') return showAttempt(located.runId, await readAttempt(located.folder), flags, { pattern, pricing });
  const asked = (['events', 'grep', 'diff', 'claims', 'logs', 'trace'] as const).filter((flag) => flags[flag] !== undefined);
  if (asked.length > 0) throw new AuthoringError([`--${asked.join(' and --')} need an Attempt, and ${located.runId} is a run. Name one of its Attempts: niceeval show ${located.runId}/<Attempt>`]);
  return showRun(located.folder, flags, pricing);
}

/** @throws AuthoringError */
function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    throw new AuthoringError([`--grep takes a regular expression: ${messageOf(error)}`], { cause: error });
  }
}

async function showRun(folder: string, flags: ShowFlags, pricing: PricingProfile): Promise<number> {
  const run = await readRun(folder);
  if (flags.json === true) {
    const attempts = run.attempts.map((attempt) => ({ ...attempt, cost: projectCost(attempt, pricing) }));
    await say(`${plainJsonLine({ ...run, cost: { profile: pricing.name, ...sumCosts(attempts.map(({ cost }) => cost)) }, attempts })}\n`);
    return EXIT.ok;
  }
  const explained: Explained[] = [];
  for (const { id } of run.attempts) {
    if (explained.length >= MOST_EXPLAINED) break;
    const read = await resultOf(await readAttempt(join(folder, 'attempts', id)));
    if (read !== undefined) explained.push(...explainedOf(read.result, { colors: pc, columns: process.stdout.columns ?? COLUMNS }));
  }
  await say(runPage(run, { colors: pc, explained, pricing }));
  return EXIT.ok;
}

interface Asked { readonly pattern: RegExp | undefined; readonly pricing: PricingProfile }

async function showAttempt(runId: string, record: AttemptRecord, flags: ShowFlags, { pattern, pricing }: Asked): Promise<number> {
  for (const problem of record.problems) remark(plainLine(problem));
  if (record.state === 'in-flight') remark(`${plainLine(record.id)} has no end: it is under way, or the run was ended by force`);
  const wanted = [flags.claims === true, flags.logs === true, flags.diff !== undefined, flags.events === true || pattern !== undefined, flags.trace === true];
  if (!wanted.includes(true)) return showWhole(runId, record, { json: flags.json === true, pricing });
  if (wanted[0] === true) await tell(await record.claims(), flags, (claims) => ({ claims }), claimListing);
  if (wanted[1] === true) await showLogs(record, flags);
  if (flags.diff !== undefined) await showDiff(record, flags, flags.diff);
  if (wanted[4] === true) await tell(await record.spans(), flags, (spans) => ({ spans }), traceListing);
  if (wanted[3] === true) await showEvents(record, flags, pattern);
  return EXIT.ok;
}

/** A part, or on standard error why there is none. */
async function tell<T>(part: Part<T>, flags: ShowFlags, jsonOf: (value: T) => object, textOf: (value: T) => string): Promise<void> {
  if (part.state !== 'read') remark(plainLine(part.problem));
  else await say(flags.json === true ? `${plainJsonLine(jsonOf(part.value))}\n` : textOf(part.value));
}

async function showWhole(runId: string, record: AttemptRecord, { json, pricing }: { readonly json: boolean; readonly pricing: PricingProfile }): Promise<number> {
  const read = await resultOf(record);
  if (json) {
    const raw = (await record.raw()).map(({ name }) => name);
    await say(`${plainJsonLine({ runId, id: record.id, state: record.state, ...(read === undefined ? {} : { attempt: read.result, cost: { profile: pricing.name, ...projectCost({ ...read.result, usageIncomplete: isUsageIncomplete(read.result.turns) }, pricing) } }), raw, problems: [...record.problems, ...read?.problems ?? []] })}\n`);
    return EXIT.ok;
  }
  if (read === undefined) {
    await say(`${plainLine(record.id)} of run ${plainLine(runId)}: nothing but its raw output is known\n${(await record.raw()).map(({ name }) => `raw       ${plainLine(name)}\n`).join('')}`);
    return EXIT.ok;
  }
  for (const problem of read.problems) remark(plainLine(problem));
  await say(`${plainLine(runId)}/${plainLine(record.id)}\n${attemptPage(read.result, { colors: pc, columns: process.stdout.columns ?? COLUMNS, pricing })}`);
  return EXIT.ok;
}

async function showLogs(record: AttemptRecord, flags: ShowFlags): Promise<void> {
  const raw = (await record.raw()).map(({ name }) => name);
  const { logs = [], diagnostics = [] } = (await resultOf(record))?.result ?? {};
  if (flags.json === true) await say(`${plainJsonLine({ logs, diagnostics, raw })}\n`);
  else await say(`${logListing({ logs, diagnostics })}${raw.map((name) => `raw      ${plainLine(name)}\n`).join('')}`);
}

async function showDiff(record: AttemptRecord, flags: ShowFlags, path: true | string): Promise<void> {
  const whole = await record.patch();
  const part: Part<string> = whole.state === 'read' && path !== true ? { state: 'read', value: patchOfPath(whole.value, path) } : whole;
  if (part.state === 'read' && part.value === '') remark(path === true ? 'the agent changed nothing that a patch can tell' : `the patch has nothing of ${plainLine(path)}`);
  await tell(part, flags, (patch) => ({ patch }), plainPatch);
}

async function showEvents(record: AttemptRecord, flags: ShowFlags, pattern: RegExp | undefined): Promise<void> {
  for await (const read of record.events()) {
    if (pattern !== undefined && (read.problem !== undefined || !pattern.test(JSON.stringify(read.event)))) continue;
    await say(flags.json === true ? eventJsonLine(read) : eventListingLine(read));
  }
}
