import { expect, test } from 'vitest';
import { completeJudgeConfig, judgeConfigProblem, type JudgeConfig } from '../../src/judge/config.js';
import { createJudge } from '../../src/judge/judge.js';
import { JudgeConfigError } from '../../src/judge/errors.js';

const KNOWN = 'model, protocol, baseUrl, apiKeyEnv, timeoutMs';
const URL_RULE = '`baseUrl` must be an http or https URL without user, password, query or fragment';
const TIME_RULE = '`timeoutMs` must be a whole number of milliseconds of at least 1';

test.each<[string, unknown, string | undefined]>([
  ['only a model', { model: 'm' }, undefined],
  ['every field', { model: 'a/b:c', protocol: 'anthropic', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'MY_KEY', timeoutMs: 1 }, undefined],
  ['true', true, `it must be an object with the fields ${KNOWN}; only \`model\` is needed`],
  ['nothing', undefined, `it must be an object with the fields ${KNOWN}; only \`model\` is needed`],
  ['an unknown field', { model: 'm', modle: 'x' }, `the field "modle" is not known; known are ${KNOWN}`],
  ['a key in place', { model: 'm', apiKey: 'sk-1' }, `the field "apiKey" is not known; known are ${KNOWN}`],
  ['no model', {}, '`model` must be the id of a model, on one line, without space around it'],
  ['an empty model', { model: '' }, '`model` must be the id of a model, on one line, without space around it'],
  ['a model of two lines', { model: 'a\nb' }, '`model` must be the id of a model, on one line, without space around it'],
  ['another protocol', { model: 'm', protocol: 'gemini' }, '`protocol` must be "openai" or "anthropic"'],
  ['a time of 0', { model: 'm', timeoutMs: 0 }, TIME_RULE],
  ['half a millisecond', { model: 'm', timeoutMs: 1.5 }, TIME_RULE],
  ['no end of time', { model: 'm', timeoutMs: Infinity }, TIME_RULE],
  ['a time as text', { model: 'm', timeoutMs: '5' }, TIME_RULE],
  ['an explicit undefined', { model: 'm', timeoutMs: undefined }, TIME_RULE],
  ['another scheme', { model: 'm', baseUrl: 'ftp://a' }, URL_RULE],
  ['no URL', { model: 'm', baseUrl: 'api.openai.com' }, URL_RULE],
  ['a user', { model: 'm', baseUrl: 'https://u@a' }, URL_RULE],
  ['a password', { model: 'm', baseUrl: 'https://u:secret@a' }, URL_RULE],
  ['a query', { model: 'm', baseUrl: 'https://a?x=1' }, URL_RULE],
  ['an empty query', { model: 'm', baseUrl: 'https://a?' }, URL_RULE],
  ['a fragment', { model: 'm', baseUrl: 'https://a#x' }, URL_RULE],
  ['a variable that is none', { model: 'm', apiKeyEnv: 'sk-123' }, '`apiKeyEnv` must be the name of an environment variable, such as NICEEVAL_JUDGE_KEY'],
])('says what is wrong with a configuration: %s', (_title, value, problem) => {
  expect(judgeConfigProblem(value)).toBe(problem);
});

test.each<[JudgeConfig, string, string]>([
  [{ model: 'gpt-5' }, 'openai', 'https://api.openai.com/v1/chat/completions'],
  [{ model: 'claude-sonnet-4-5' }, 'anthropic', 'https://api.anthropic.com/v1/messages'],
  [{ model: 'claude-x', protocol: 'openai' }, 'openai', 'https://api.openai.com/v1/chat/completions'],
  [{ model: 'claude-x', baseUrl: 'https://openrouter.ai/api/v1/' }, 'openai', 'https://openrouter.ai/api/v1/chat/completions'],
  [{ model: 'm', baseUrl: 'https://api.anthropic.com' }, 'anthropic', 'https://api.anthropic.com/v1/messages'],
  [{ model: 'm', baseUrl: 'https://anthropic.com/v1/' }, 'anthropic', 'https://anthropic.com/v1/messages'],
  [{ model: 'm', baseUrl: 'https://notanthropic.com' }, 'openai', 'https://notanthropic.com/chat/completions'],
  [{ model: 'm', baseUrl: 'https://anthropic.com.evil.example' }, 'openai', 'https://anthropic.com.evil.example/chat/completions'],
  [{ model: 'm', protocol: 'anthropic', baseUrl: 'http://localhost:8080/proxy' }, 'anthropic', 'http://localhost:8080/proxy/v1/messages'],
])('finds protocol and endpoint of %o', (config, protocol, endpoint) => {
  expect(completeJudgeConfig(config)).toMatchObject({ protocol, endpoint, apiKeyEnv: 'NICEEVAL_JUDGE_KEY', timeoutMs: 180_000 });
});

test('makes no judge of a configuration with a problem', () => {
  expect(() => createJudge({ model: '' }, { env: () => undefined })).toThrow(
    new JudgeConfigError('`model` must be the id of a model, on one line, without space around it'),
  );
});
