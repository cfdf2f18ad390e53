import type { MeasuredOutcome } from '../assert/entry.js';
import { ClaimAuthoringError } from '../assert/errors.js';
import type { AnyHandle } from '../assert/handle.js';
import type { ClaimLedger } from '../assert/ledger.js';
import type { BoundJudge, RootJudge, RubricOptions } from '../define/judging.js';
import type { Pricing } from '../evidence/cost.js';
import { addUsage, type Usage } from '../evidence/usage.js';
import { show } from '../expect/match.js';
import { judgeRecordOf } from '../judge/answer.js';
import type { JudgeConfig } from '../judge/config.js';
import { createJudge, type Judge, type JudgeWorld } from '../judge/judge.js';
import type { JudgeMaterial } from '../judge/material.js';
import { judgeQuestionProblem, type JudgeQuestion } from '../judge/question.js';
import { checkArguments, type AnyHandles } from './claims-of.js';
import { estimateCost } from './estimate-cost.js';
import type { AttemptResult, TurnRecord } from './result.js';
import { withoutSecrets } from './without-secrets.js';

/** A judge ends its questions by itself; waiting for a place takes as long as it takes. */
const NO_LIMIT_MS = 0x7fff_ffff;

/** The judges of one run: one for each configuration, so that its limit of questions at once holds for all Attempts. */
export interface Judges {
  /** `undefined`: no configuration, so nobody to ask. */
  of(config: JudgeConfig | undefined): Judge | undefined;
  /** What is known to be missing before anything is asked, one sentence each. */
  problemsOf(configs: readonly (JudgeConfig | undefined)[]): readonly string[];
}

/** Makes the judges of one run. */
export function createJudges(world: JudgeWorld): Judges {
  const judges = new Map<string, Judge>();
  const of = (config: JudgeConfig | undefined): Judge | undefined => {
    if (config === undefined) return undefined;
    const key = JSON.stringify(config);
    const judge = judges.get(key) ?? createJudge(config, world);
    judges.set(key, judge);
    return judge;
  };
  return {
    of,
    problemsOf: (configs) => [...new Set(configs.map(of).flatMap((judge) => {
      if (judge === undefined || (world.env(judge.config.apiKeyEnv) ?? '').trim() !== '') return [];
      return [`The judge "${judge.config.model}" has no key: ${judge.config.apiKeyEnv} is not set. What it is asked will be unavailable.`];
    }))],
  };
}

/** The judge of one Attempt, as the test asks it. */
export interface Judging {
  readonly root: RootJudge<AnyHandles>;
  of(turn: JudgedTurn): BoundJudge<AnyHandles>;
  /** What was consumed until now, as it stands in the result. */
  spent(): Pick<AttemptResult, 'judge'>;
}

/** A turn, with the text that is judged. */
export interface JudgedTurn {
  readonly title: string;
  readonly turn: TurnRecord;
  readonly output: string;
}

/** What one Attempt's questions go through. */
export interface JudgingOptions {
  readonly judge: Judge | undefined;
  readonly claims: ClaimLedger;
  readonly pricing: Pricing;
  /** Values that leave this machine for nobody. Default: none. */
  readonly secrets?: readonly string[];
}

/** Turns questions into claims. They are asked when the claims are evaluated, on texts that were taken when they were made. */
export function createJudging({ judge, claims, pricing, secrets = [] }: JudgingOptions): Judging {
  const usages: Usage[] = [];
  const ask = async (wanted: JudgeQuestion, seen: JudgeMaterial): Promise<MeasuredOutcome> => {
    const { question, material } = withoutSecrets({ question: wanted, material: seen }, secrets);
    if (judge === undefined) {
      return { status: 'unavailable', code: 'judge-not-configured', reason: 'no judge is configured. Give the eval, the experiment or the configuration a `judge`, for instance { model: "gpt-5-mini" }' };
    }
    const answer = await judge.ask(question, material);
    if (answer.tries > 0) usages.push(answer.usage);
    const estimate = estimateCost(answer.usage, judge.config.model, { pricing });
    const evidence = {
      ...judgeRecordOf({ question, material, model: judge.config.model }, answer), ...(estimate.state === 'estimated' && answer.tries > 0 ? { estimatedCostUSD: estimate.usd } : {}),
    };
    if (answer.status === 'unavailable') return { status: 'unavailable', code: answer.code, reason: answer.reason, evidence };
    return { status: 'measured', score: answer.score, note: `${answer.choice}: ${answer.rationale}`, evidence };
  };
  const claim = (where: string, question: JudgeQuestion, material: () => JudgeMaterial | { readonly gap: MeasuredOutcome }): AnyHandle => {
    const problem = judgeQuestionProblem(question);
    if (problem !== undefined) throw new ClaimAuthoringError(`The judge cannot be asked this: ${problem}.`);
    const seen = material();
    return claims.register({
      kind: 'measurement',
      description: `${where} by ${wordsOf(question)}`,
      limitMs: NO_LIMIT_MS,
      measure: () => ('gap' in seen ? seen.gap : ask(question, seen)),
    });
  };
  return {
    root: recipesOf('the material', 2, (where, question, given) => claim(where, question, () => checkedMaterial(given))),
    of: ({ title, turn, output }) => recipesOf(title, 1, (where, question) => claim(where, question, () => materialOf(turn, output))),
    spent: () => {
      if (usages.length === 0) return {};
      const usage = addUsage(usages);
      const estimate = estimateCost(usage, judge?.config.model, { pricing });
      return { judge: { usage, ...(estimate.state === 'estimated' ? { estimatedCostUSD: estimate.usd } : {}) } };
    },
  };
}

type Ask = (where: string, question: JudgeQuestion, material: unknown) => AnyHandle;

/** The recipes of one place. Those of `t` take a material, those of a turn have theirs. */
function recipesOf(where: string, words: 1 | 2, ask: Ask): RootJudge<AnyHandles> & BoundJudge<AnyHandles> {
  const recipe = (name: string, questionOf: (text: string) => JudgeQuestion) => (...given: readonly unknown[]): AnyHandle => {
    checkArguments(`judge.autoevals.${name}`, words, given);
    return ask(where, questionOf(given[0] as string), given[1]);
  };
  return {
    autoevals: {
      closedQA: recipe('closedQA', (question) => ({ recipe: 'closedQA', question })),
      factuality: recipe('factuality', (expected) => ({ recipe: 'factuality', expected })),
      summarizes: recipe('summarizes', (source) => ({ recipe: 'summarizes', source })),
    },
    rubric: (...given: readonly unknown[]) => {
      checkArguments('judge.rubric', words + 1, given);
      const options = (given[words] ?? {}) as RubricOptions;
      const unknown = Object.keys(options).find((key) => key !== 'choices');
      if (unknown !== undefined) throw new ClaimAuthoringError(`judge.rubric does not know the option "${unknown}". It knows choices.`);
      const { choices } = options;
      return ask(where, { recipe: 'rubric', criteria: given[0] as string, ...(choices === undefined ? {} : { choices: { ...choices } }) }, given[1]);
    },
  };
}

function checkedMaterial(given: unknown): JudgeMaterial {
  const { input, output, ...others } = (given ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof input !== 'string' || typeof output !== 'string' || Object.keys(others).length > 0) {
    throw new ClaimAuthoringError(`The material of a judge is { input, output }, two texts: what was asked and what is judged. It cannot be ${show(given)}.`);
  }
  return { input, output };
}

/** The last message of a turn. One that may have been missed is not judged. */
function materialOf({ label, events, coverage }: TurnRecord, output: string): JudgeMaterial | { readonly gap: MeasuredOutcome } {
  if (coverage.events.status !== 'complete' && coverage.messages.status !== 'complete') {
    const { status, reason } = coverage.messages;
    return { gap: { status: 'unavailable', code: `messages-coverage-${status}`, reason: `${label}: what the agent answered may be incomplete: messages coverage is ${status}: ${reason}` } };
  }
  const [prompt] = events;
  return { input: prompt?.type === 'message' ? prompt.text : '', output };
}

function wordsOf(question: JudgeQuestion): string {
  switch (question.recipe) {
    case 'closedQA': return `the judge's closedQA ${clipped(question.question)}`;
    case 'factuality': return `the judge's factuality against ${clipped(question.expected)}`;
    case 'summarizes': return `the judge's summarizes of ${clipped(question.source)}`;
    case 'rubric': return `the judge's rubric ${clipped(question.criteria)}`;
  }
}

function clipped(text: string): string {
  return show(text.length <= 120 ? text : `${text.slice(0, 119)}…`);
}
