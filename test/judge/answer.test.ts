import { expect, test } from 'vitest';
import { judgeRecordOf, judgeRecordSchema } from '../../src/judge/answer.js';
import type { JudgeQuestion } from '../../src/judge/question.js';
import { material, serveEndpoint, verdict } from './endpoint.js';

const question: JudgeQuestion = { recipe: 'rubric', criteria: 'Be kind.', choices: { bad: 0, good: 0.9 } };
const about = { recipe: 'rubric', question, material, model: 'judge-model' };

test('records what was asked, what the judge saw and what it said', async () => {
  await using endpoint = await serveEndpoint('anthropic', verdict('anthropic', 'good', 'Very kind.'));
  const judge = endpoint.judge();
  const judgement = judgeRecordOf({ question, material, model: judge.config.model }, await judge.ask(question, material));
  expect(judgement).toEqual({
    ...about, choice: 'good', score: 0.9, rationale: 'Very kind.', tries: 1,
    usage: { inputTokens: 70, outputTokens: 20, cacheReadTokens: 30, cacheCreationTokens: 4, requests: 1 },
  });
  expect(judgeRecordSchema.parse(JSON.parse(JSON.stringify(judgement)))).toEqual(judgement);
});

test('records why there is no answer', async () => {
  await using endpoint = await serveEndpoint('anthropic', { status: 400, json: { error: { message: 'no luck' } } });
  const judge = endpoint.judge();
  const judgement = judgeRecordOf({ question, material, model: judge.config.model }, await judge.ask(question, material));
  expect(judgement).toEqual({
    ...about, tries: 1, usage: { requests: 1 },
    unavailable: { code: 'judge-call-failed', reason: `The judge "judge-model" could not be asked: ${endpoint.url}/v1/messages answered with status 400: no luck.` },
  });
  expect(judgeRecordSchema.parse(JSON.parse(JSON.stringify(judgement)))).toEqual(judgement);
});
