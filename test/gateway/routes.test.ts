import { describe, expect, test } from 'vitest';
import { presentedTokens } from '../../src/gateway/presented-tokens.js';
import { routeOf } from '../../src/gateway/routes.js';

const shown = (method: string, path: string, headers = {}): readonly unknown[] => {
  const { kind, protocol, forwardable, wire } = routeOf(method, path, headers);
  expect(wire.protocol).toBe(protocol);
  return [kind, protocol, forwardable];
};

test.each([
  ['POST', '/v1/messages', 'model', 'anthropic-messages', true],
  ['POST', '/v1/messages/count_tokens', 'count-tokens', 'anthropic-messages', true],
  ['POST', '/v1/responses', 'model', 'openai-responses', true],
  ['POST', '/v1/responses/compact', 'side-model', 'openai-responses', true],
  ['POST', '/v1/responses/input_tokens', 'count-tokens', 'openai-responses', true],
  ['POST', '/v1/chat/completions', 'model', 'openai-chat', true],
  ['POST', '/v1/embeddings', 'side-model', 'openai-chat', true],
  ['POST', '/v1beta/models/gemini-2.5-pro:generateContent', 'model', 'gemini', true],
  ['POST', '/v1/models/gemini-2.5-pro:streamGenerateContent', 'model', 'gemini', true],
  ['POST', '/v1beta/models/gemini-2.5-pro:countTokens', 'count-tokens', 'gemini', true],
  ['POST', '/v1beta/models/text-embedding-004:embedContent', 'side-model', 'gemini', true],
  ['POST', '/v1beta/models/text-embedding-004:batchEmbedContents', 'side-model', 'gemini', true],
  ['GET', '/v1/models', 'model-list', 'openai-responses', true],
  ['GET', '/v1/models/gpt-5', 'model-info', 'openai-responses', true],
  ['GET', '/v1/models/ft:gpt-4o:acme::abc', 'model-info', 'openai-responses', true],
  ['GET', '/v1beta/models', 'model-list', 'gemini', true],
  ['GET', '/v1beta/models/gemini-2.5-pro', 'model-info', 'gemini', true],
  ['GET', '/', 'probe', 'openai-responses', false],
  ['HEAD', '/', 'probe', 'openai-responses', false],
  ['HEAD', '/v1/messages', 'probe', 'anthropic-messages', false],
  ['HEAD', '/v1/responses', 'probe', 'openai-responses', false],
  ['HEAD', '/v1/chat/completions', 'probe', 'openai-chat', false],
  ['HEAD', '/v1beta/models', 'probe', 'gemini', false],
  ['HEAD', '/v1beta/models/gemini-2.5-pro:generateContent', 'probe', 'gemini', false],
  ['POST', '/v1/analytics/codex/turn-costs', 'analytics', 'openai-responses', false],
])('%s %s is of kind %s, of %s, forwardable: %s', (method, path, ...route) => {
  expect(shown(method, path)).toEqual(route);
});

test.each([
  ['GET', '/v1/messages'], ['DELETE', '/v1/models/gpt-5'], ['HEAD', '/v1/files'], ['POST', '/v1/files'], ['GET', '/v1/responses/resp_1'],
  ['POST', '/v1/messages/batches'], ['POST', '/v1/organizations/api_keys'], ['GET', '/v1/models/'], ['GET', '/v1/models/..'], ['GET', '/v1/models/a/../../files'],
  ['GET', '/v1/models/%2e%2e'], ['POST', '/v1beta/models/..:generateContent'], ['POST', '/v1beta/models/a/b:generateContent'], ['POST', '/v1beta/models/a:deleteModel'],
  ['POST', '/v1beta/models/a:generateContent/x'], ['POST', '/v1/messages/'], ['POST', '/v1/messages/../files'], ['POST', '/V1/messages'], ['POST', '/v1beta/models/:constructor'],
  ['POST', '/v1beta/models/a:constructor'], ['POST', '/__proto__'], ['POST', '/v1/chat/completions\n'],
])('%s %s leads nowhere', (method, path) => {
  const { kind, forwardable } = routeOf(method, path, {});
  expect([kind, forwardable]).toEqual(['unknown', false]);
});

test.each([['http://example.com/v1/messages'], ['//example.com/v1/messages'], ['*'], ['example.com:443'], ['']])('%j is no path of a server', (path) => {
  const { kind, forwardable } = routeOf('POST', path, {});
  expect([kind, forwardable]).toEqual(['foreign', false]);
});

test.each([
  [{ 'anthropic-version': '2023-06-01' }, 'anthropic-messages'], [{ 'x-api-key': 'k' }, 'anthropic-messages'], [{ 'x-goog-api-key': 'k' }, 'gemini'],
  [{ authorization: 'Bearer k' }, 'openai-responses'],
])('with the headers %j a list of models is of %s', (headers, protocol) => {
  expect(shown('GET', '/v1/models', headers)).toEqual(['model-list', protocol, true]);
});

describe('the tokens that a request shows', () => {
  test.each([
    ['x-api-key', { 'x-api-key': 'a' }, '/', ['a']],
    ['x-goog-api-key', { 'x-goog-api-key': 'a' }, '/', ['a']],
    ['a bearer', { authorization: 'bearer  a ' }, '/', ['a']],
    ['the query', {}, '/v1beta/models?alt=sse&key=a%2Fb', ['a/b']],
    ['a key given twice', {}, '/v1beta/models?key=a&key=b#c', ['a', 'b']],
    ['all of them', { 'x-api-key': 'a', 'x-goog-api-key': 'b', authorization: 'Bearer c' }, '/?key=d', ['a', 'b', 'c', 'd']],
    ['none', { authorization: 'Basic a', 'x-api-key': '' }, '/key=a?keys=b&key=', []],
    ['a query that is none', {}, '/?%zz&key=%zz', ['%zz']],
  ])('are found in %s', (_, headers, url, tokens) => {
    expect(presentedTokens({ headers, url })).toEqual(tokens);
  });
});
