import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { discoverProject } from '../plan/discover.js';
import { messageOf } from '../lifetime/error.js';
import { AuthoringError } from '../plan/errors.js';
import { planRun, type Plan } from '../plan/plan.js';
import { openRunRecord } from '../record/run-record.js';
import { plainLine } from '../report/plain-text.js';
import { run } from '../run/run.js';
import type { RunSink } from '../run/ports.js';
import type { RunResult } from '../run/run-result.js';
import { BACKENDS, type Backend } from '../sandbox/backend.js';
import { BUILT_IN } from './defaults.js';
import { EXIT } from './exit-codes.js';
import { interruptible } from './interrupt.js';
import type { RunFlags } from './program.js';
import { openRunTelling } from './run-telling.js';

/** `niceeval run`. */
export function runCommand(selectors: readonly string[], flags: RunFlags): Promise<number> {
  const write = process.stdout.write.bind(process.stdout);
  return flags.json === true ? withCleanOutput(() => runProject(selectors, flags, write)) : runProject(selectors, flags, write);
}

/** Standard output belongs to the JSON lines; what evals and adapters print goes to standard error. */
async function withCleanOutput<T>(work: () => Promise<T>): Promise<T> {
  const original = process.stdout.write;
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    return await work();
  } finally {
    process.stdout.write = original;
  }
}

async function runProject(selectors: readonly string[], flags: RunFlags, write: (text: string) => unknown): Promise<number> {
  const project = await discoverProject(resolve(flags.dir));
  const backend: Backend = BACKENDS[flags.sandbox];
  if (flags.keepSandbox !== undefined && backend.lacks.includes('keep')) throw new AuthoringError([`--sandbox ${flags.sandbox} keeps no sandbox: leave --keep-sandbox out.`]);
  const plan = await planRun(project, {
    selectors,
    backend: { name: flags.sandbox, fit: backend.fit, lacks: backend.lacks },
    experiments: flags.experiment,
    tags: flags.tag,
    ...(flags.attempts === undefined ? {} : { attempts: flags.attempts }),
    ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
  });
  if (flags.dryRun === true) return tellPlan(plan, flags.json === true, write);

  const runId = newRunId();
  const folder = join(project.root, '.niceeval', 'runs', runId);
  await using telling = await openRunTelling({ flags, plan, write });
  const result = await interruptible(async (signal, hasten) => {
    await using provider = await backend.open({ runId });
    await provider.reap();
    // Awaited here: the provider must not be closed before the run has ended.
    return await run(plan, {
      runId,
      concurrency: flags.concurrency ?? project.config.maxConcurrency ?? BUILT_IN.maxConcurrency,
      provider,
      sink: await openRecordOrTell(folder),
      signal,
      hasten,
      ...(flags.keepSandbox === undefined ? {} : { keep: flags.keepSandbox }),
      ...(project.config.pricing === undefined ? {} : { pricing: project.config.pricing }),
      onEvent: telling.onEvent,
    });
  });
  return await telling.end(result, { record: folder, exitCode: exitCodeOf(result) });
}

function exitCodeOf(result: RunResult): number {
  if (result.interrupted) return EXIT.interrupted;
  return result.counts.failed + result.counts.errored > 0 ? EXIT.failed : EXIT.ok;
}

/** @throws AuthoringError where the record cannot be written: nothing has started then. */
async function openRecordOrTell(folder: string): Promise<RunSink> {
  try {
    return await openRunRecord(folder);
  } catch (error) {
    throw new AuthoringError([`The record cannot be written to ${folder}: ${messageOf(error)}. Make the project's folder writable.`], { cause: error });
  }
}

function tellPlan(plan: Plan, json: boolean, write: (text: string) => unknown): number {
  for (const message of plan.warnings) write(json ? `${JSON.stringify({ type: 'run.warning', message })}\n` : `warning: ${plainLine(message)}\n`);
  for (const { id, evalId, experimentId, index, experiment, timeout } of plan.attempts) {
    const line = json
      ? JSON.stringify({ type: 'attempt.planned', attempt: id, evalId, experimentId, index, agent: experiment.agent.name, ...(timeout === undefined ? {} : { timeout }) })
      : `${plainLine(evalId)} by ${plainLine(experimentId)} #${index} (${plainLine(experiment.agent.name)}${timeout === undefined ? '' : `, at most ${timeout.limitMs} ms`})`;
    write(`${line}\n`);
  }
  return EXIT.ok;
}

/** Sorts by time, never meets another: 20261130-031500-4f2a9c. */
function newRunId(): string {
  const stamp = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${randomBytes(3).toString('hex')}`;
}
