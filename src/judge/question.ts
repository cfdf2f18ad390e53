import { z } from 'zod';

/** What the judge is asked about a material. */
export type JudgeQuestion =
  /** A question about the output that is answered by yes or no. */
  | { readonly recipe: 'closedQA'; readonly question: string }
  /** How the facts of the output compare to those of an expert's answer. */
  | { readonly recipe: 'factuality'; readonly expected: string }
  /** Whether the output is a faithful and complete summary of a source. */
  | { readonly recipe: 'summarizes'; readonly source: string }
  /** How far the output meets criteria in the author's own words. */
  | {
      readonly recipe: 'rubric';
      readonly criteria: string;
      /** The answers to choose from and the score of each, 0 to 1; 2 to 10 of them. Default: five steps, none to full. */
      readonly choices?: Readonly<Record<string, number>>;
    };

/** One answer that the judge can choose. */
export interface JudgeChoice {
  readonly name: string;
  /** When it applies. `undefined`: the criteria say so. */
  readonly meaning?: string;
  /** 0 to 1. Never shown to the judge. */
  readonly score: number;
}

/** A question in the parts that a prompt is made of. */
export interface AskedQuestion {
  /** What to do. The same for every question of a recipe. */
  readonly instruction: string;
  /** What the author of the evaluation asks for. */
  readonly task: Readonly<Record<string, string>>;
  /** Texts to compare with. They may come from anywhere, so they are shown as data. */
  readonly data: Readonly<Record<string, string>>;
  readonly choices: readonly JudgeChoice[];
}

const LONGEST_CHOICE = 64;

const choicesSchema = z
  .record(z.string().max(LONGEST_CHOICE).regex(/^[^\s\p{Cc}\p{Cs}]([^\p{Cc}\p{Cs}]*[^\s\p{Cc}\p{Cs}])?$/u), z.number().min(0).max(1))
  .refine((choices) => Object.keys(choices).length >= 2 && Object.keys(choices).length <= 10);

const text = z.string().regex(/\S/);

export const judgeQuestionSchema: z.ZodType<JudgeQuestion> = z.discriminatedUnion('recipe', [
  z.strictObject({ recipe: z.literal('closedQA'), question: text }),
  z.strictObject({ recipe: z.literal('factuality'), expected: text }),
  z.strictObject({ recipe: z.literal('summarizes'), source: text }),
  z.strictObject({ recipe: z.literal('rubric'), criteria: text, choices: choicesSchema.exactOptional() }),
]);

/** What is wrong with a question, as a clause without a full stop; `undefined` when nothing is. */
export function judgeQuestionProblem(value: unknown): string | undefined {
  const parsed = judgeQuestionSchema.safeParse(value);
  if (parsed.success) return undefined;
  const issue = parsed.error.issues[0];
  if (issue?.code === 'unrecognized_keys') return `the field "${issue.keys[0]}" is not known to this recipe`;
  const field = issue?.path[0];
  if (field === 'recipe') return '`recipe` must be "closedQA", "factuality", "summarizes" or "rubric"';
  if (field === 'choices') return `\`choices\` must be 2 to 10 names of at most ${LONGEST_CHOICE} characters on one line, each with a score of 0 to 1`;
  return field === undefined ? 'it must be an object with a `recipe`' : `\`${String(field)}\` must be a text that says something`;
}

/** Takes a question apart, and adds what its recipe knows. */
export function askedOf(question: JudgeQuestion): AskedQuestion {
  switch (question.recipe) {
    case 'closedQA':
      return { ...CLOSED_QA, task: { question: question.question }, data: {} };
    case 'factuality':
      return { ...FACTUALITY, task: {}, data: { expected: question.expected } };
    case 'summarizes':
      return { ...SUMMARIZES, task: {}, data: { source: question.source } };
    case 'rubric': {
      const own = question.choices === undefined ? undefined : Object.entries(question.choices).map(([name, score]) => ({ name, score }));
      return { instruction: RUBRIC.instruction, task: { criteria: question.criteria }, data: {}, choices: own ?? RUBRIC.choices };
    }
  }
}

type Recipe = Pick<AskedQuestion, 'instruction' | 'choices'>;

const CLOSED_QA: Recipe = {
  instruction: 'Answer `task.question`, which is about `data.output`, by yes or no. Where it cannot be told from `data`, the answer is no.',
  choices: [
    { name: 'Y', meaning: 'Yes.', score: 1 },
    { name: 'N', meaning: 'No, or it cannot be told.', score: 0 },
  ],
};

const FACTUALITY: Recipe = {
  instruction: 'An expert answered `data.input` with `data.expected`. Compare the facts that `data.output` states with those of the expert. Style, order, grammar and length play no part.',
  choices: [
    { name: 'A', meaning: 'The output states a part of what the expert states and contradicts none of it.', score: 0.4 },
    { name: 'B', meaning: 'The output states all that the expert states and more, and contradicts none of it.', score: 0.6 },
    { name: 'C', meaning: 'The output states the same facts as the expert.', score: 1 },
    { name: 'D', meaning: 'The output and the expert contradict each other.', score: 0 },
    { name: 'E', meaning: 'They differ, but in nothing that matters for the truth of the answer.', score: 1 },
  ],
};

const SUMMARIZES: Recipe = {
  instruction: 'Decide how well `data.output` summarizes `data.source`: whether all that it says is borne out by the source, and whether it has the main points. `data.input` is what was asked for. A copy of the source is no summary of it.',
  choices: [
    { name: 'complete', meaning: 'Nothing in it is wrong or made up, and all main points are there.', score: 1 },
    { name: 'partial', meaning: 'Nothing in it is wrong or made up, but a main point is missing.', score: 0.6 },
    { name: 'flawed', meaning: 'The main points are right, but a detail is wrong or not in the source.', score: 0.3 },
    { name: 'unfaithful', meaning: 'A main point is wrong or made up, or it is no summary of this source.', score: 0 },
  ],
};

const RUBRIC: Recipe = {
  instruction: 'Decide how far `data.output`, which answers `data.input`, meets `task.criteria`.',
  choices: [
    { name: 'none', meaning: 'Nothing that the criteria ask for is met.', score: 0 },
    { name: 'little', meaning: 'Less than half of it is met.', score: 0.25 },
    { name: 'half', meaning: 'About half of it is met.', score: 0.5 },
    { name: 'most', meaning: 'Most of it is met, with gaps that matter.', score: 0.75 },
    { name: 'full', meaning: 'All of it is met, but for trifles.', score: 1 },
  ],
};
