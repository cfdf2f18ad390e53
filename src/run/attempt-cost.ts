import type { Pricing } from '../evidence/cost.js';
import type { Usage } from '../evidence/usage.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { Spent } from './budgets.js';
import { estimateCost } from './estimate-cost.js';
import type { AttemptResult, GatewayCount, TurnRecord } from './result.js';

/** What an Attempt's usage is estimated from. */
export interface AttemptCostInput {
  readonly turns: readonly TurnRecord[];
  readonly usage: Usage;
  readonly model?: string;
  readonly pricing?: Pricing;
}

/** The estimate as it stands in the result of an Attempt. A turn of which no usage is known makes all of it unknown. */
export function attemptCostOf({ turns, usage, model, pricing = {} }: AttemptCostInput): Pick<AttemptResult, 'estimatedCostUSD' | 'estimateNotes' | 'unpriced'> {
  const silent = turns.find((turn) => turn.usage === undefined || turn.coverage.usage.status === 'unavailable');
  if (silent !== undefined) return { unpriced: { models: [], reason: `${silent.label}: no usage is known${because(silent)}` } };
  const estimate = estimateCost(usage, model, { pricing });
  if (estimate.state === 'unknown') return { unpriced: { models: estimate.models, reason: estimate.reason } };
  const partial = turns.filter((turn) => turn.coverage.usage.status === 'partial').map((turn) => `${turn.label}: usage is incomplete, so this is a lower bound${because(turn)}`);
  return { estimatedCostUSD: estimate.usd, estimateNotes: [...estimate.notes, ...partial] };
}

/**
 * What an Attempt has spent so far.
 *
 * @param options.onWire What the gateway counted, which is ahead of what the CLI has told. Absent: it has counted nothing.
 */
export function spentOf(
  { experiment: { model } }: PlannedAttempt, { turns, usage }: Pick<AttemptResult, 'turns' | 'usage'>, { pricing = {}, onWire }: { readonly pricing?: Pricing | undefined; readonly onWire?: GatewayCount | undefined } = {},
): Spent {
  return {
    usage, ...attemptCostOf({ turns, usage, ...(model === undefined ? {} : { model }), pricing }),
    ...(onWire === undefined ? {} : { gateway: onWire, onWireUSD: leastCostOf(onWire.usage, model, pricing) }),
  };
}

/** What usage costs at the least. */
function leastCostOf(usage: Usage, model: string | undefined, pricing: Pricing): number {
  const estimate = estimateCost(usage, model, { pricing });
  return estimate.state === 'estimated' ? estimate.usd : estimate.leastUSD;
}

function because({ coverage }: TurnRecord): string {
  return coverage.usage.reason === undefined ? '' : `: ${coverage.usage.reason}`;
}
