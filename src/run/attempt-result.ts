import type { Pricing } from '../evidence/cost.js';
import type { PlannedAttempt } from '../plan/plan.js';
import { scoreOf, verdictOf, type Judgement } from '../verdict/verdict.js';
import { attemptCostOf } from './attempt-cost.js';
import { attemptFactsOf } from './attempt-facts.js';
import { failureOf } from './failure.js';
import type { ClosedLease } from './model-lease.js';
import type { AttemptError, AttemptResult } from './result.js';
import { withoutSecrets } from './without-secrets.js';

type Optional = 'retries' | 'error' | 'skipped' | 'patch' | 'gateway' | 'spans' | 'sandbox' | 'image' | 'resources' | 'network' | 'integrity' | 'kept';

/** What an Attempt came to, part by part; `undefined`: there is no such part. */
export type ResultParts = Pick<AttemptResult, 'interrupted' | 'claims' | 'turns' | 'usage' | 'changes' | 'diagnostics' | 'logs' | 'startedAt' | 'timings'>
  & { readonly [part in Optional]: AttemptResult[part] | undefined }
  & {
    readonly judgement: Judgement;
    /** The first refusal for want of money. */
    readonly overBudget: ClosedLease['overBudget'] | undefined;
    readonly pricing: Pricing;
    readonly spentByJudge: Pick<AttemptResult, 'judge'>;
  };

/** Puts the parts together, with the plan's facts, cost and points, and without what the agent's settings call secret. */
export function attemptResultOf(attempt: PlannedAttempt, parts: ResultParts): AttemptResult {
  const { judgement, overBudget, pricing, spentByJudge, retries, error, skipped, patch, gateway, spans, sandbox, image, resources, network, integrity, kept, ...always } = parts;
  const facts = attemptFactsOf(attempt);
  const stopped = overBudget === undefined ? undefined : { reason: 'budget-exceeded' as const, detail: `${overBudget.window === undefined ? '' : `${overBudget.window}: `}${overBudget.detail}` };
  return withoutSecrets({
    ...facts,
    ...(image === undefined ? {} : { image }),
    ...judgement,
    ...always,
    ...scoreIn(attempt, parts.claims, judgement.verdict, skipped),
    ...(error === undefined ? {} : { error }),
    ...(judgement.verdict === 'errored' ? { failure: failureOf(error) } : {}),
    ...(skipped === undefined ? {} : { skipped }),
    ...(stopped === undefined ? {} : { stopped, diagnostics: [...parts.diagnostics, { code: stopped.reason, level: 'warning' as const, message: `Its agent was refused its model, and what it did without was judged: ${stopped.detail}` }] }),
    ...(retries === undefined || retries.length === 0 ? {} : { retries }),
    ...attemptCostOf({ turns: parts.turns, usage: parts.usage, ...(facts.model === undefined ? {} : { model: facts.model }), pricing }),
    ...spentByJudge,
    ...(patch === undefined ? {} : { patch }),
    ...(gateway === undefined ? {} : { gateway }),
    ...(spans === undefined ? {} : { spans }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(resources === undefined ? {} : { resources }),
    ...(network === undefined ? {} : { network }),
    ...(integrity === undefined ? {} : { integrity }),
    ...(kept === undefined ? {} : { kept }),
  }, attempt.experiment.agent.sensitiveValues ?? []);
}

/** Its points, where it gives some and all of them can be told. */
export function scoreIn({ evalDefinition }: PlannedAttempt, claims: AttemptResult['claims'], verdict: AttemptResult['verdict'], skipped: string | undefined): Pick<AttemptResult, 'score'> {
  const score = evalDefinition.evaluationKind === 'score' && verdict !== 'errored' && skipped === undefined ? scoreOf(claims) : undefined;
  return score === undefined ? {} : { score };
}

/** An Attempt that could not even begin. */
export function unbegunResultOf(attempt: PlannedAttempt, error: AttemptError, interrupted: boolean): AttemptResult {
  const none = undefined;
  return attemptResultOf(attempt, {
    judgement: verdictOf({ claims: [], error }), overBudget: none, interrupted, error, claims: [], turns: [], usage: {}, pricing: {}, spentByJudge: {},
    changes: { state: 'unavailable', reason: 'the Attempt was not begun' }, diagnostics: [], logs: [], startedAt: new Date().toISOString(),
    timings: { queuedMs: 0, sandboxMs: 0, testMs: 0, teardownMs: 0, totalMs: 0 },
    retries: none, skipped: none, patch: none, gateway: none, spans: none, sandbox: none, image: none, resources: none, network: none, integrity: none, kept: none,
  });
}
