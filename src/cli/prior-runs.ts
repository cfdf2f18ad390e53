import { AuthoringError } from '../plan/errors.js';
import type { Plan, PlanOptions } from '../plan/plan.js';
import { locateRun } from '../record/locate.js';
import { readRun, type PlannedName } from '../record/read-run.js';
import { readOutcomes, type RecordedOutcomes } from '../record/prior-outcomes.js';
import type { ReuseFlags } from './run-options.js';

/** What a plan may take over. */
export interface Prior {
  readonly outcomes: RecordedOutcomes;
  readonly reuse: NonNullable<PlanOptions['reuse']>;
  /** What the run that is gone on with was to carry out. Absent: none is. */
  readonly resumed?: readonly PlannedName[];
}

/** `undefined`: nothing is taken over, everything is carried out. */
export async function priorOf({ resume, reuse, rerun }: ReuseFlags, root: string): Promise<Prior | undefined> {
  if (resume === undefined && reuse !== true && rerun === undefined) return undefined;
  const choice = { rerun: rerun ?? 'errored' } as const;
  if (resume === undefined) return { outcomes: await readOutcomes(root), reuse: choice };
  const { runId, folder } = await locateRun(root, resume);
  const { plan, regradedFrom } = await readRun(folder);
  if (regradedFrom !== undefined) throw new AuthoringError([`${runId} judged the evidence of ${regradedFrom} again and carried nothing out. Go on with that: --resume ${regradedFrom}`]);
  return { outcomes: await readOutcomes(root, { only: runId }), reuse: choice, resumed: plan };
}

/** How many Attempts of each eval are to be planned, so that all of a run that is gone on with are among them. */
export function attemptsToPlan({ resumed = [] }: Prior): number | undefined {
  return resumed.length === 0 ? undefined : resumed.reduce((most, { index }) => Math.max(most, index), 1);
}

/** Of a plan, what the run that is gone on with was to carry out. All of it where none is. */
export function resumedPart(plan: Plan, { resumed }: Prior): Plan {
  if (resumed === undefined) return plan;
  const wanted = new Set(resumed.map(nameOf));
  return { ...plan, attempts: plan.attempts.filter((attempt) => wanted.has(nameOf(attempt))) };
}

function nameOf({ evalId, experimentId, index }: Pick<PlannedName, 'evalId' | 'experimentId' | 'index'>): string {
  return JSON.stringify([evalId, experimentId, index]);
}
