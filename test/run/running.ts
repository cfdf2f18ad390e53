import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent } from '../../src/agents/define-agent.js';
import type { DirectAgent } from '../../src/agents/agent.js';
import { defineEval, type EvalInput } from '../../src/define/eval.js';
import { defineExperiment, type ExperimentInput } from '../../src/define/experiment.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import type { PlannedAttempt } from '../../src/plan/plan.js';
import { openRunRecord } from '../../src/record/run-record.js';
import type { RunEvent } from '../../src/run/ports.js';
import { run, type RunOptions } from '../../src/run/run.js';
import type { RunResult } from '../../src/run/run-result.js';
import { openLocalProvider } from '../../src/sandbox/local/provider.js';
import { docker } from '../../src/sandbox/docker/spec.js';

/** An agent of this process that needs no sandbox. */
export function directAgent(send: DirectAgent['send']): DirectAgent {
  return defineAgent({ name: 'own', evidenceCoverage: completeEvidenceCoverage, send });
}

/** The Attempts of one eval by one experiment. */
export function attemptsOf(experiment: Omit<ExperimentInput, 'agent'> & { readonly agent: DirectAgent; readonly id?: string }, evals: Readonly<Record<string, EvalInput['test']>>): readonly PlannedAttempt[] {
  const { id = 'own', ...input } = experiment;
  const definition = defineExperiment(input);
  return Object.entries(evals).flatMap(([evalId, test]) => {
    const evalDefinition = defineEval({ test });
    return Array.from({ length: input.attempts ?? 1 }, (_item, at) => ({
      id: `${evalId}.${id}.${at + 1}`, evalId, experimentId: id, experimentFile: '/experiments/own.ts', index: at + 1, evalFile: import.meta.filename, evalDefinition, experiment: definition, sandbox: docker(),
    }));
  });
}

/** What came of a run, with all that it told. */
export interface Ran {
  readonly result: RunResult;
  readonly events: readonly RunEvent[];
  readonly warnings: readonly string[];
  /** Where its record was, while the test runs. */
  readonly folder: string;
}

/** Carries Attempts out one after the other, unless told otherwise, and hands the result to the test while its record is there. */
export async function ran(attempts: readonly PlannedAttempt[], options: Partial<RunOptions>, look: (ran: Ran) => void | Promise<void>): Promise<void> {
  const base = await mkdtemp(join(tmpdir(), 'niceeval-run-'));
  const folder = join(base, 'run');
  const events: RunEvent[] = [];
  try {
    await using provider = await openLocalProvider({ runId: 'test' });
    const result = await run({ attempts, warnings: [] }, {
      runId: 'r', concurrency: 1, provider, sink: await openRunRecord(folder), signal: new AbortController().signal, onEvent: (event) => { events.push(event); }, ...options,
    });
    await look({ result, events, folder, warnings: events.flatMap((event) => (event.type === 'run.warning' ? [event.message] : [])) });
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}
