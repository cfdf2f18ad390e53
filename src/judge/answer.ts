import { z } from 'zod';
import { usageSchema, type Usage } from '../evidence/usage.js';
import { judgeMaterialSchema, type JudgeMaterial } from './material.js';
import { judgeQuestionSchema, type JudgeQuestion } from './question.js';

const CODES = [
  /** Nothing says which model judges. For callers; a judge never says so itself. */
  'judge-not-configured',
  'judge-key-missing',
  'judge-question-unusable',
  'material-too-long',
  'judge-call-failed',
  'judge-timeout',
  'judge-answer-unreadable',
  'judge-refused',
  'interrupted',
] as const;

/** Why there is no score. */
export type JudgeUnavailableCode = (typeof CODES)[number];

/** What it took to get an answer, or none. */
interface Effort {
  /** Of all tries. `requests` counts those to which a response began; tokens are left out where the endpoint tells none. */
  readonly usage: Usage;
  /** Requests sent. 0: none was. */
  readonly tries: number;
}

/** A judge's answer. Without a score there is a reason, and never a score of zero in its place. */
export type JudgeAnswer =
  | (Effort & {
      readonly status: 'measured';
      /** 0 to 1: the score of the choice. */
      readonly score: number;
      readonly choice: string;
      /** The judge's reasons, at most 4000 characters. A model wrote them with the agent's texts before it: show, do not trust. */
      readonly rationale: string;
      /** The model as configured. */
      readonly model: string;
      /** The model as the endpoint calls it, when it tells another name. */
      readonly reportedModel?: string;
    })
  | (Effort & { readonly status: 'unavailable'; readonly code: JudgeUnavailableCode; readonly reason: string });

/** One measurement as it is recorded: what was asked, all that the judge saw, what it said and what that took. */
export interface JudgeRecord {
  readonly recipe: JudgeQuestion['recipe'];
  readonly question: JudgeQuestion;
  readonly material: JudgeMaterial;
  /** The model as configured. */
  readonly model: string;
  readonly reportedModel?: string;
  /** Absent, as `score` and `rationale`, when there is no answer. */
  readonly choice?: string;
  readonly score?: number;
  readonly rationale?: string;
  /** Absent when there is an answer. */
  readonly unavailable?: { readonly code: JudgeUnavailableCode; readonly reason: string };
  readonly usage: Usage;
  /** By the price table. Absent: a model without a price, or nothing was asked. */
  readonly estimatedCostUSD?: number;
  readonly tries: number;
}

export const judgeRecordSchema: z.ZodType<JudgeRecord> = z.object({
  recipe: z.enum(['closedQA', 'factuality', 'summarizes', 'rubric']),
  question: judgeQuestionSchema,
  material: judgeMaterialSchema,
  model: z.string(),
  reportedModel: z.string().exactOptional(),
  choice: z.string().exactOptional(),
  score: z.number().min(0).max(1).exactOptional(),
  rationale: z.string().exactOptional(),
  unavailable: z.strictObject({ code: z.enum(CODES), reason: z.string() }).exactOptional(),
  usage: usageSchema,
  estimatedCostUSD: z.number().nonnegative().exactOptional(),
  tries: z.int().nonnegative(),
});

/** Puts together what is recorded. */
export function judgeRecordOf(asked: { readonly question: JudgeQuestion; readonly material: JudgeMaterial; readonly model: string }, answer: JudgeAnswer): JudgeRecord {
  const { usage, tries } = answer;
  const { question, material, model } = asked;
  const about = { recipe: question.recipe, question, material, model, usage, tries };
  if (answer.status === 'unavailable') return { ...about, unavailable: { code: answer.code, reason: answer.reason } };
  const { choice, score, rationale, reportedModel } = answer;
  return { ...about, choice, score, rationale, ...(reportedModel !== undefined && { reportedModel }) };
}
