import type { PlannedAttempt } from '../plan/plan.js';

/** The name under which the pace of an Attempt's model is kept: agents that name no model share their own. */
export function pacedModelOf({ experiment }: Pick<PlannedAttempt, 'experiment'>): string {
  return experiment.model ?? experiment.agent.name;
}
