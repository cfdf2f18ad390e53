import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import pc from 'picocolors';
import { discoverProject } from '../plan/discover.js';
import { planRun, type Plan } from '../plan/plan.js';
import { openRunRecord } from '../record/run-record.js';
import { createNdjsonReporter } from '../report/ndjson.js';
import { plainLine } from '../report/plain-text.js';
import { createTerminalReporter } from '../report/terminal.js';
import { run } from '../run/run.js';
import type { RunResult } from '../run/result.js';
import { openDockerProvider } from '../sandbox/docker/provider.js';
import { EXIT } from './exit-codes.js';
import { interruptible } from './interrupt.js';
import type { RunFlags } from './program.js';

const DEFAULT_CONCURRENCY = 2;

/** `niceeval run`. */
export async function runCommand(selectors: readonly string[], flags: RunFlags): Promise<number> {
  const project = await discoverProject(resolve(flags.dir));
  const plan = await planRun(project, {
    selectors,
    experiments: flags.experiment,
    tags: flags.tag,
    ...(flags.attempts === undefined ? {} : { attempts: flags.attempts }),
    ...(flags.timeout === undefined ? {} : { timeoutMs: flags.timeout }),
  });
  if (flags.dryRun === true) return tellPlan(plan, flags.json === true);

  const runId = newRunId();
  const folder = join(project.root, '.niceeval', 'runs', runId);
  const write = (text: string): void => { process.stdout.write(text); };
  const onEvent = flags.json === true ? createNdjsonReporter(write) : createTerminalReporter({ write, colors: pc });
  const result = await interruptible(async (signal) => {
    await using provider = await openDockerProvider({ runId });
    await provider.reap();
    // Awaited here: the provider must not be closed before the run has ended.
    return await run(plan, {
      runId,
      concurrency: flags.concurrency ?? project.config.maxConcurrency ?? DEFAULT_CONCURRENCY,
      provider,
      sink: await openRunRecord(folder),
      signal,
      ...(project.config.pricing === undefined ? {} : { pricing: project.config.pricing }),
      onEvent,
    });
  });
  if (flags.json !== true) write(`record: ${plainLine(folder)}\n`);
  return exitCodeOf(result);
}

function exitCodeOf(result: RunResult): number {
  if (result.interrupted) return EXIT.interrupted;
  return result.counts.failed + result.counts.errored > 0 ? EXIT.failed : EXIT.ok;
}

function tellPlan(plan: Plan, json: boolean): number {
  for (const { id, evalId, experimentId, index, experiment, timeout } of plan.attempts) {
    const line = json
      ? JSON.stringify({ type: 'attempt.planned', attempt: id, evalId, experimentId, index, agent: experiment.agent.name, ...(timeout === undefined ? {} : { timeout }) })
      : `${plainLine(evalId)} by ${plainLine(experimentId)} #${index} (${plainLine(experiment.agent.name)}${timeout === undefined ? '' : `, at most ${timeout.limitMs} ms`})`;
    process.stdout.write(`${line}\n`);
  }
  return EXIT.ok;
}

/** Sorts by time, never meets another: 20261130-031500-4f2a9c. */
function newRunId(): string {
  const stamp = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${stamp}-${randomBytes(3).toString('hex')}`;
}
