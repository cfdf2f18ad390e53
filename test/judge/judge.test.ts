import { expect, test } from 'vitest';
import { LONGEST_RESPONSE_BYTES } from '../../src/judge/exchange.js';
import { createJudge } from '../../src/judge/judge.js';
import type { JudgeQuestion } from '../../src/judge/question.js';
import { completion, KEY, material, message, question, serveEndpoint, type Step, toolUse, verdict } from './endpoint.js';

const yes = verdict('openai', 'Y');
const tokens = { inputTokens: 70, outputTokens: 20, cacheReadTokens: 30, reasoningTokens: 5 };
const busy: Step = { status: 429, headers: { 'retry-after': '0' }, json: { error: { message: 'slow down' } } };
const error = (status: number): Step => ({ status, json: { error: { message: 'no luck' } } });

test.each<[string, Step, number]>([
  ['429 with Retry-After', busy, 3],
  ['429 with a Retry-After that cannot be read', { status: 429, headers: { 'retry-after': 'soon' }, json: {} }, 3],
  ['408', error(408), 3],
  ['409', error(409), 3],
  ['500', error(500), 3],
  ['503 with a date', { status: 503, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, json: {} }, 3],
  ['529', error(529), 3],
  ['a broken connection', 'reset', 1],
])('tries again after %s', async (_title, step, requests) => {
  await using endpoint = await serveEndpoint('openai', step, step, yes);
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ status: 'measured', score: 1, tries: 3, usage: { ...tokens, requests } });
  expect(new Set(endpoint.requests.map(({ text }) => text)).size).toBe(1);
});

test('tries again when the first call hangs, with a fresh limit', async () => {
  await using endpoint = await serveEndpoint('openai', 'hang', yes);
  const answer = await endpoint.judge({ timeoutMs: 3_000 }).ask(question, material);
  expect(answer).toMatchObject({ status: 'measured', tries: 2, usage: { ...tokens, requests: 1 } });
});

test('counts a call whose response never ends as a request', async () => {
  await using endpoint = await serveEndpoint('openai', 'stall', yes);
  const answer = await endpoint.judge({ timeoutMs: 3_000 }).ask(question, material);
  expect(answer).toMatchObject({ status: 'measured', tries: 2, usage: { ...tokens, requests: 2 } });
});

test('ends with a reason when every call hangs', async () => {
  await using endpoint = await serveEndpoint('openai', 'hang');
  const answer = await endpoint.judge({ timeoutMs: 150 }).ask(question, material);
  expect(answer).toMatchObject({ status: 'unavailable', code: 'judge-timeout', usage: {} });
});

test('gives up after three calls, with the reason of the last', async () => {
  await using endpoint = await serveEndpoint('openai', error(500), busy, error(503));
  expect(await endpoint.judge().ask(question, material)).toEqual({
    status: 'unavailable', code: 'judge-call-failed', tries: 3, usage: { requests: 3 },
    reason: `The judge "judge-model" could not be asked: ${endpoint.url}/chat/completions answered with status 503: no luck.`,
  });
  expect(endpoint.requests).toHaveLength(3);
});

test.each([400, 401, 403, 404, 413])('does not try again after status %i', async (status) => {
  await using endpoint = await serveEndpoint('anthropic', error(status));
  const advice = status === 401 || status === 403 ? ' Look at the key in NICEEVAL_JUDGE_KEY.' : '';
  expect(await endpoint.judge().ask(question, material)).toEqual({
    status: 'unavailable', code: 'judge-call-failed', tries: 1, usage: { requests: 1 },
    reason: `The judge "judge-model" could not be asked: ${endpoint.url}/v1/messages answered with status ${status}: no luck.${advice}`,
  });
  expect(endpoint.requests).toHaveLength(1);
});

test('does not wait for longer than there is time', async () => {
  await using endpoint = await serveEndpoint('openai', { status: 429, headers: { 'retry-after': '3600' }, json: { error: 'quota' } });
  expect(await endpoint.judge().ask(question, material)).toEqual({
    status: 'unavailable', code: 'judge-call-failed', tries: 1, usage: { requests: 1 },
    reason: `The judge "judge-model" could not be asked: ${endpoint.url}/chat/completions answered with status 429: quota. It asks to wait for 3600 s, which is longer than what is left of \`timeoutMs\`.`,
  });
});

test('waits as long as it is asked to', async () => {
  await using endpoint = await serveEndpoint('openai', { status: 429, headers: { 'retry-after': '1' }, json: {} }, yes);
  const startedAt = performance.now();
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ status: 'measured', tries: 2 });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(990);
});

test('says what happened before when the time ends in a wait', async () => {
  await using endpoint = await serveEndpoint('openai', error(500));
  expect(await endpoint.judge({ timeoutMs: 300 }, { backoffMs: 5_000 }).ask(question, material)).toEqual({
    status: 'unavailable', code: 'judge-timeout', tries: 1, usage: { requests: 1 },
    reason: `The judge "judge-model" gave no answer within its \`timeoutMs\` of 300 ms. Raise it, or choose a faster model. The last try: The judge "judge-model" could not be asked: ${endpoint.url}/chat/completions answered with status 500: no luck.`,
  });
});

test('adds up the usage of an answer that could not be read', async () => {
  await using endpoint = await serveEndpoint('openai', completion({ content: 'Hm.' }), yes);
  expect(await endpoint.judge().ask(question, material)).toMatchObject({
    status: 'measured', tries: 2, usage: { inputTokens: 140, outputTokens: 40, cacheReadTokens: 60, reasoningTokens: 10, requests: 2 },
  });
});

test('says so when nothing listens', async () => {
  let url: string;
  {
    await using endpoint = await serveEndpoint('openai', yes);
    url = endpoint.url;
  }
  const answer = await createJudge({ model: 'm', baseUrl: url }, { env: () => KEY, backoffMs: 0 }).ask(question, material);
  expect(answer).toEqual({
    status: 'unavailable', code: 'judge-call-failed', tries: 3, usage: {},
    reason: `The judge "m" could not be asked: ${url}/chat/completions could not be reached, or broke off: connect ECONNREFUSED ${url.slice('http://'.length)}.`,
  });
});

test.each([301, 302, 303, 307, 308])('follows no redirect of status %i', async (status) => {
  await using elsewhere = await serveEndpoint('openai', yes);
  await using endpoint = await serveEndpoint('openai', { status, headers: { location: `${elsewhere.url}/chat/completions` }, text: '' });
  expect(await endpoint.judge().ask(question, material)).toEqual({
    status: 'unavailable', code: 'judge-call-failed', tries: 1, usage: { requests: 1 },
    reason: `The judge "judge-model" could not be asked: ${endpoint.url}/chat/completions answered with a redirect (status ${status}), and the key goes nowhere else. Set \`baseUrl\` to where it leads.`,
  });
  expect(elsewhere.requests).toEqual([]);
});

test('reads no response without end', async () => {
  await using endpoint = await serveEndpoint('openai', 'flood');
  expect(await endpoint.judge().ask(question, material)).toEqual({
    status: 'unavailable', code: 'judge-call-failed', tries: 1, usage: { requests: 1 },
    reason: `The judge "judge-model" could not be asked: ${endpoint.url}/chat/completions answered with more than 1048576 bytes.`,
  });
});

test.each<[string, string | undefined, string]>([
  ['is not there', undefined, 'OTHER_KEY is not set. Set it, or name another variable with `apiKeyEnv`.'],
  ['is empty', ' ', 'OTHER_KEY is not set. Set it, or name another variable with `apiKeyEnv`.'],
  ['is none', 'sk-1\nsk-2', 'what OTHER_KEY holds is none, since keys are printable ASCII without spaces.'],
])('sends nothing when the key %s', async (_title, key, because) => {
  await using endpoint = await serveEndpoint('openai', yes);
  const judge = endpoint.judge({ apiKeyEnv: 'OTHER_KEY' }, { env: (name) => (name === 'OTHER_KEY' ? key : KEY) });
  expect(await judge.ask(question, material)).toEqual({
    status: 'unavailable', code: 'judge-key-missing', reason: `The judge "judge-model" has no key: ${because}`, usage: {}, tries: 0,
  });
  expect(endpoint.requests).toEqual([]);
});

test('uses a key without the line end that came with it', async () => {
  await using endpoint = await serveEndpoint('anthropic', verdict('anthropic', 'Y'));
  await endpoint.judge({}, { env: () => `${KEY}\n` }).ask(question, material);
  expect(endpoint.requests[0]?.headers['x-api-key']).toBe(KEY);
});

const echo = (protocol: 'openai' | 'anthropic', pad: string): readonly Step[] => [
  { status: 401, json: { error: { message: `${pad}wrong key ${KEY}` } } },
  { status: 400, text: `${pad}bad key ${KEY} and ${encodeURIComponent(KEY)}` },
  { status: 400, json: { strange: `${pad}${KEY}` } },
  protocol === 'openai' ? completion({ refusal: `${pad}${KEY}` }) : message([toolUse({ rationale: '', choice: `${pad}${KEY}` })]),
  protocol === 'openai' ? completion({ tool_calls: [{ id: 'c', type: 'function', function: { name: `${pad}${KEY}`, arguments: '' } }] }) : message([toolUse({})], { model: KEY }),
  verdict(protocol, `${pad}${KEY}`),
  verdict(protocol, 'Y', `${pad.repeat(12)}${KEY} ${KEY}`),
  protocol === 'openai' ? completion({ content: '{"rationale":".","choice":"Y"}' }, { model: `${pad}${KEY}` }) : message([toolUse({ rationale: '.', choice: 'Y' })], { model: `${pad}${KEY}` }),
];
// Beginnings of every length up to the bounds, so that a cut would go through the key.
const ECHOES = (['openai', 'anthropic'] as const).flatMap((protocol) =>
  ['', 'x'.repeat(180), 'x'.repeat(330), 'x'.repeat(340)].flatMap((pad) => echo(protocol, pad).map((step, index) => ({ protocol, step, index, pad: pad.length }))));

test.each(ECHOES)('tells no part of the key that an endpoint gives back ($protocol, answer $index after $pad characters)', async ({ protocol, step }) => {
  await using endpoint = await serveEndpoint(protocol, step);
  const told = JSON.stringify(await endpoint.judge().ask(question, material));
  expect(told).not.toContain('sk-test');
  expect(told).not.toContain(KEY);
  for (const { text } of endpoint.requests) expect(text).not.toContain('sk-test');
});

test('tells no part of the key that fetch repeats', async () => {
  const judge = createJudge({ model: 'm' }, { env: () => KEY, backoffMs: 0, fetch: () => Promise.reject(new TypeError(`bad header ${KEY}`)) });
  expect(await judge.ask(question, material)).toMatchObject({
    code: 'judge-call-failed',
    reason: 'The judge "m" could not be asked: https://api.openai.com/v1/chat/completions could not be reached, or broke off: bad header [redacted].',
  });
});

test('shortens and mends the rationale', async () => {
  await using endpoint = await serveEndpoint('openai', verdict('openai', 'Y', `\ud800${'😀'.repeat(3_000)}`), verdict('openai', 'N', '\u001b[31mred'));
  const judge = endpoint.judge();
  const long = await judge.ask(question, material);
  expect(long.status === 'measured' && long.rationale).toBe(`\uFFFD${'😀'.repeat(1_998)}...`);
  expect(await judge.ask(question, material)).toMatchObject({ rationale: '\u001b[31mred' });
});

test('shortens what an endpoint says about an error', async () => {
  await using endpoint = await serveEndpoint('openai', { status: 400, text: `a\n\n b${'x'.repeat(5_000)}` });
  const answer = await endpoint.judge().ask(question, material);
  expect(answer.status === 'unavailable' && answer.reason).toBe(
    `The judge "judge-model" could not be asked: ${endpoint.url}/chat/completions answered with status 400: a b${'x'.repeat(394)}...`,
  );
});

const interrupted = { status: 'unavailable', code: 'interrupted', reason: 'The question to the judge was interrupted.' };

test('is interrupted before, while and between calls', async () => {
  await using endpoint = await serveEndpoint('openai', 'hang', error(500));
  expect(await endpoint.judge({}, { signal: AbortSignal.abort() }).ask(question, material)).toEqual({ ...interrupted, usage: {}, tries: 0 });
  expect(endpoint.requests).toEqual([]);

  const first = new AbortController();
  const hanging = endpoint.judge().ask(question, material, { signal: first.signal });
  await endpoint.seen(1);
  first.abort();
  expect(await hanging).toEqual({ ...interrupted, usage: {}, tries: 1 });

  const second = new AbortController();
  const waiting = endpoint.judge({}, { signal: second.signal, backoffMs: 10_000 }).ask(question, material);
  await endpoint.seen(2);
  second.abort(new Error('Ctrl-C'));
  expect(await waiting).toMatchObject({ ...interrupted, tries: 1 });
});

test.each<[string, unknown, unknown, string]>([
  ['a question', { recipe: 'closedQA' }, material, 'This cannot be asked: `question` must be a text that says something.'],
  ['a material', question, { input: 'in', output: undefined }, 'This cannot be judged: a material has two texts, `input` and `output`, and nothing else.'],
])('gives a reason for %s that is none', async (_title, asked, shown, reason) => {
  await using endpoint = await serveEndpoint('openai', yes);
  expect(await endpoint.judge().ask(asked as JudgeQuestion, shown as typeof material)).toEqual({
    status: 'unavailable', code: 'judge-question-unusable', reason, usage: {}, tries: 0,
  });
});

test('asks four questions at once and no more', async () => {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  let sent = 0;
  let open = 0;
  let most = 0;
  const counted: typeof fetch = async (url, init) => {
    sent += 1;
    open += 1;
    most = Math.max(most, open);
    return fetch(url, init).finally(() => {
      open -= 1;
    });
  };
  await using endpoint = await serveEndpoint('openai', async () => {
    await gate;
    return yes;
  });
  const judge = endpoint.judge({}, { fetch: counted });
  const late = new AbortController();
  const answers = Array.from({ length: 12 }, () => judge.ask(question, material));
  const given = judge.ask(question, material, { signal: late.signal });
  // All that may be sent was handed to fetch by the time that four requests have come over the network.
  await endpoint.seen(4);
  expect(sent).toBe(4);
  late.abort();
  expect(await given).toEqual({ ...interrupted, usage: {}, tries: 0 });
  release();
  for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 'measured' });
  expect({ sent, most }).toEqual({ sent: 12, most: 4 });
});

test.each([[0, 'measured'], [1, 'unavailable']])('reads a response of the greatest size and %i bytes as %s', async (more, status) => {
  const text = (length: number): string => JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content: '{"rationale":".","choice":"Y"}' } }] }).padEnd(length);
  await using endpoint = await serveEndpoint('openai', { text: text(LONGEST_RESPONSE_BYTES + more) });
  expect(await endpoint.judge().ask(question, material)).toMatchObject({ status, tries: 1 });
});
