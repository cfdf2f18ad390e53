import { join } from 'node:path';
import { readAttempt } from '../record/read-attempt.js';
import type { AttemptResult } from '../run/result.js';
import { run, type RunOptions } from '../run/run.js';
import type { RunEvent } from '../run/ports.js';
import { ResultLines, type LineSink } from './result-lines.js';
import { scenarioResultOf } from './result-of.js';
import type { ScenarioResult } from './result.js';
import type { ScenarioPlan } from './plan-scenarios.js';

/** How a plan of scenarios is carried out. */
export interface RunScenariosOptions extends Omit<RunOptions, 'onEvent' | 'signal'> {
  /** Interrupts it. */
  readonly signal: AbortSignal;
  readonly sink: RunOptions['sink'];
  /** The folder of the run's record; traces are read from it. */
  readonly record: string;
  readonly lines: LineSink;
  readonly mcp: boolean;
  readonly hooks: boolean;
  readonly failFast: boolean;
  readonly includeTrace: boolean;
  /** Called once for each line that is written, without its trace. */
  readonly onResult: (result: ScenarioResult) => void;
  readonly onEvent: (event: RunEvent) => void;
}

/** What scenarios came to besides their lines. */
export interface ScenarioRun {
  readonly interrupted: boolean;
  /** Where the world broke, and nothing was learnt about the agent: one sentence each. */
  readonly broken: readonly string[];
  /** Scenarios that were not begun for another reason than a failure before them. */
  readonly notRun: readonly string[];
}

/**
 * Carries scenarios out by the same way as every run, and writes a line for each in the order of the file.
 *
 * @throws what kept a line from being written; then nothing more is begun.
 */
export async function runScenarios({ plan, profileOf }: ScenarioPlan, options: RunScenariosOptions): Promise<ScenarioRun> {
  const { lines: sink, mcp, hooks, failFast, includeTrace, onResult, record, ...runOptions } = options;
  const stop = new AbortController();
  const broken: string[] = [];
  const notRun: string[] = [];
  let failed = false;
  const lines = new ResultLines({
    order: plan.attempts.map(({ evalId }) => evalId),
    sink,
    ...(includeTrace ? { traceOf: ({ attempt = '' }) => traceIn(join(record, 'attempts', attempt)) } : {}),
    onWritten: onResult,
    onFailure: () => stop.abort(new Error('a line could not be written')),
  });
  const finish = (result: AttemptResult): void => {
    // What ran beside the one that failed first was cut short.
    if (result.interrupted) return lines.take(result.evalId);
    if (isBroken(result)) broken.push(`${result.evalId}: ${result.error?.message ?? result.reasons[0] ?? result.verdict}`);
    const id = result.evalId;
    const line = scenarioResultOf({ id, profile: profileOf.get(id) ?? '', mcp, hooks }, result);
    lines.take(id, line);
    if (line.passed || !failFast) return;
    failed = true;
    stop.abort(new Error('a scenario failed'));
  };
  const signal = AbortSignal.any([options.signal, stop.signal]);
  await run(plan, {
    ...runOptions,
    signal,
    inOrder: true,
    onEvent: (event) => {
      options.onEvent(event);
      if (event.type === 'attempt.finished') finish(event.result);
      if (event.type !== 'attempt.not-run') return;
      if (!failed && !options.signal.aborted) notRun.push(`${event.notRun.evalId}: ${event.notRun.detail}`);
      lines.take(event.notRun.evalId);
    },
  });
  await lines.end();
  return { interrupted: options.signal.aborted, broken, notRun };
}

/** Time that ran out is the agent's own doing here. */
function isBroken({ failure }: AttemptResult): boolean {
  return failure?.infrastructure === true && failure.kind !== 'timeout' || failure?.kind === 'eval';
}

async function traceIn(folder: string): Promise<readonly object[]> {
  const trace: object[] = [];
  for await (const line of (await readAttempt(folder)).events()) trace.push(line.problem === undefined ? { turn: line.turn, event: line.event } : { problem: line.problem });
  return trace;
}
