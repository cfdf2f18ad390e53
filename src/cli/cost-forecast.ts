import { limitsOf, type Limits } from '../define/limits.js';
import type { Plan } from '../plan/plan.js';
import { readOutcomes, type RecordedOutcomes } from '../record/prior-outcomes.js';
import { forecastLine, forecastOf, type PlannedPair } from '../report/forecast.js';

/** Whether somebody wants to know what a plan will cost: a limit in dollars is set on it. */
export function wantsForecast(plan: Plan, budget: number | Limits | undefined): boolean {
  const inDollars = (limits: number | Limits | undefined): boolean => limits !== undefined && limitsOf(limits).usd !== undefined;
  return inDollars(budget) || plan.attempts.some(({ experiment }) => inDollars(experiment.budget));
}

/** What the Attempts of a plan that are to be carried out may cost, by what is recorded. One line. */
export async function costForecast(plan: Plan, root: string, known?: RecordedOutcomes): Promise<string> {
  const outcomes = known ?? await readOutcomes(root);
  const pairs = new Map<string, PlannedPair>();
  for (const { evalId, experimentId, decision } of plan.attempts) {
    if (decision?.action === 'reuse') continue;
    const key = JSON.stringify([experimentId, evalId]);
    const recorded = pairs.get(key)?.recorded ?? outcomes.of(experimentId, evalId).map((outcome) => outcomes.summaryOf(outcome)?.estimatedCostUSD);
    pairs.set(key, { attempts: (pairs.get(key)?.attempts ?? 0) + 1, recorded });
  }
  return forecastLine(forecastOf([...pairs.values()]));
}
