import type { Colors } from 'picocolors/types.js';
import type { RunRecord } from '../record/read-run.js';
import type { NotRun } from '../run/run-result.js';
import { plainLine } from './plain-text.js';
import { costSumText } from './pricing/cost-text.js';
import type { PricingProfile } from './pricing/profile.js';
import { projectCost, sumCosts } from './pricing/project-cost.js';
import { summaryOf, type Explained } from './terminal.js';

/** A recorded run as it was told at its end, and what of it has no end. */
export function runPage(run: RunRecord, { colors, explained, pricing }: { readonly colors: Colors; readonly explained: readonly Explained[]; readonly pricing: PricingProfile }): string {
  const { id, state, sandbox = '', startedAt = '', interrupted = false, counts, attempts, inFlight, notStarted, notRun, regradedFrom, problems } = run;
  const durationMs = run.durationMs ?? spanOf(run);
  const costOf = (of: RunRecord['attempts']): ReturnType<typeof sumCosts> => sumCosts(of.map((attempt) => projectCost(attempt, pricing)));
  const { unpricedModels, ...whole } = costOf(attempts);
  const lines = [
    `run ${plainLine(id)}: ${startedAt === '' ? 'nobody knows when it started' : `started ${plainLine(startedAt)}`}${sandbox === '' ? '' : `, sandbox ${plainLine(sandbox)}`}${state === 'incomplete' ? ', incomplete' : ''}${regradedFrom === undefined ? '' : `, the evidence of ${plainLine(regradedFrom)} judged again`}`,
    summaryOf({ runId: id, sandbox, startedAt, durationMs, interrupted, counts, attempts, notRun: notRun as readonly NotRun[] }, { colors, explained, cost: { title: 'cost', of: (some) => costSumText(costOf(some)) } }).trimEnd(),
    `cost ${costSumText({ unpricedModels, ...whole })} by ${plainLine(pricing.name)}${unpricedModels.length === 0 ? '' : `; no price for ${unpricedModels.map(plainLine).join(', ')}`}`,
    ...inFlight.map((attempt) => `in flight    ${plainLine(attempt.id)}`),
    ...notStarted.map((attempt) => `not started  ${plainLine(attempt.evalId)} by ${plainLine(attempt.experimentId)} (${attempt.index})`),
    ...problems.map((problem) => `problem      ${plainLine(problem)}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** Without an end the last Attempt that ended says how long it took at least. */
function spanOf({ startedAt = '', attempts }: RunRecord): number {
  const ends = attempts.map((attempt) => Date.parse(attempt.startedAt) + attempt.durationMs - Date.parse(startedAt)).filter((ms) => Number.isFinite(ms));
  return ends.reduce((most, ms) => Math.max(most, ms), 0);
}
