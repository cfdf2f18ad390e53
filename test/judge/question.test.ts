import { expect, test } from 'vitest';
import { askedOf, judgeQuestionProblem, type JudgeQuestion } from '../../src/judge/question.js';
import { serveEndpoint, verdict } from './endpoint.js';

const RECIPES: readonly [JudgeQuestion, Readonly<Record<string, number>>][] = [
  [{ recipe: 'closedQA', question: 'Is it polite?' }, { Y: 1, N: 0 }],
  [{ recipe: 'factuality', expected: 'Paris' }, { A: 0.4, B: 0.6, C: 1, D: 0, E: 1 }],
  [{ recipe: 'summarizes', source: 'A long text.' }, { complete: 1, partial: 0.6, flawed: 0.3, unfaithful: 0 }],
  [{ recipe: 'rubric', criteria: 'Short and kind.' }, { none: 0, little: 0.25, half: 0.5, most: 0.75, full: 1 }],
  [{ recipe: 'rubric', criteria: 'Which animal?', choices: { cat: 1, 'big dog': 0.3, '3': 0 } }, { cat: 1, 'big dog': 0.3, '3': 0 }],
];
const CASES = RECIPES.flatMap(([question, choices]) =>
  (['openai', 'anthropic'] as const).flatMap((protocol) => Object.entries(choices).map(([choice, score]) => ({ recipe: question.recipe, question, protocol, choice, score }))));

test.each(CASES)('measures $recipe over $protocol: $choice is $score', async ({ question, protocol, choice, score }) => {
  await using endpoint = await serveEndpoint(protocol, verdict(protocol, choice, 'The reasons.'));
  const answer = await endpoint.judge().ask(question, { input: 'in', output: 'out' });
  expect(answer).toMatchObject({ status: 'measured', score, choice, rationale: 'The reasons.', model: 'judge-model', tries: 1 });
});

test.each(RECIPES)('offers exactly the choices of a recipe: %o', (question, choices) => {
  expect(Object.fromEntries(askedOf(question).choices.map(({ name, score }) => [name, score]))).toEqual(choices);
});

const CHOICES_RULE = '`choices` must be 2 to 10 names of at most 64 characters on one line, each with a score of 0 to 1';
const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`c${index}`, 0]));

test.each<[string, unknown, string | undefined]>([
  ['a fitting one', { recipe: 'closedQA', question: 'Q?' }, undefined],
  ['nothing', undefined, 'it must be an object with a `recipe`'],
  ['an unknown recipe', { recipe: 'battle' }, '`recipe` must be "closedQA", "factuality", "summarizes" or "rubric"'],
  ['no question', { recipe: 'closedQA' }, '`question` must be a text that says something'],
  ['an empty question', { recipe: 'closedQA', question: ' \n' }, '`question` must be a text that says something'],
  ['a field of another recipe', { recipe: 'closedQA', question: 'Q?', criteria: 'C' }, 'the field "criteria" is not known to this recipe'],
  ['one choice', { recipe: 'rubric', criteria: 'C', choices: { a: 1 } }, CHOICES_RULE],
  ['eleven choices', { recipe: 'rubric', criteria: 'C', choices: eleven }, CHOICES_RULE],
  ['a score above 1', { recipe: 'rubric', criteria: 'C', choices: { a: 1.1, b: 0 } }, CHOICES_RULE],
  ['a score that is no number', { recipe: 'rubric', criteria: 'C', choices: { a: NaN, b: 0 } }, CHOICES_RULE],
  ['a name with space around it', { recipe: 'rubric', criteria: 'C', choices: { ' a': 1, b: 0 } }, CHOICES_RULE],
  ['a name of two lines', { recipe: 'rubric', criteria: 'C', choices: { 'a\nb': 1, b: 0 } }, CHOICES_RULE],
  ['an empty name', { recipe: 'rubric', criteria: 'C', choices: { '': 1, b: 0 } }, CHOICES_RULE],
])('says what is wrong with a question: %s', (_title, value, problem) => {
  expect(judgeQuestionProblem(value)).toBe(problem);
});
