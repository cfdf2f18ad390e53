import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { upstreamUrl, type Upstreams } from '../../src/gateway/upstream.js';
import type { Sampling } from '../../src/gateway/session-mode.js';
import { failureOf, messagesBody, post, responsesBody, serveGateway, TOKEN, type ServingGateway } from './serving.js';
import { ANTHROPIC_STREAM, serveUpstream } from './upstream-server.js';

const KEY = 'sk-real-key-of-the-vendor';

function openForward(gateway: ServingGateway, upstreams: Upstreams, options: { readonly sampling?: Sampling; readonly asks?: boolean } = {}): void {
  const { sampling, asks } = options;
  gateway.sessions.open({ id: 'one', token: TOKEN, mode: { kind: 'forward', upstreams, ...(sampling && { sampling }) }, ...(asks && { asks }) });
}

const anthropicAt = (url: string, headers: object = {}): Upstreams => ({ anthropic: { baseUrl: url, headers: { 'x-api-key': KEY, ...headers }, secrets: [KEY] } });

describe('a request that is passed on', () => {
  test('reaches the service with its bytes, its query and its own headers, and with the real key in place of the token', async () => {
    await using upstream = await serveUpstream((response) => void response.end('{}'));
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(`${upstream.url}/`, { 'anthropic-beta': 'oauth-2025-04-20' }));
    const body = '{"model":"claude-x",\n "unknown": [1.0, 12345678901234567890], "messages":[]}';
    await post(`${gateway.url}/v1/messages?beta=true`, body, { headers: { 'anthropic-beta': 'a-1,b-2', 'x-app': 'cli', authorization: `Bearer ${TOKEN}`, cookie: 'a=b' } });
    const [heard] = upstream.heard;
    expect([heard?.method, heard?.url, heard?.body.toString()]).toEqual(['POST', '/v1/messages?beta=true', body]);
    expect(heard?.headers).toMatchObject({ 'x-api-key': KEY, 'anthropic-beta': 'a-1,b-2,oauth-2025-04-20', 'x-app': 'cli', 'accept-encoding': 'identity', 'content-length': String(body.length) });
    expect(Object.keys(heard?.headers ?? {})).not.toEqual(expect.arrayContaining(['authorization']));
    expect(JSON.stringify(heard?.headers)).not.toContain(TOKEN);
    expect(heard?.headers.cookie).toBeUndefined();
  });

  test('gets the answer piece by piece, as it was sent, without what tells whose key it is', async () => {
    let send = (): void => {};
    await using upstream = await serveUpstream(async (response) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream', 'request-id': 'req_1', 'set-cookie': 'account=1', 'anthropic-organization-id': 'org-1', 'x-new-header': 'kept',
        'anthropic-ratelimit-requests-limit': '50', 'anthropic-ratelimit-requests-remaining': '49', 'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:01Z',
      });
      for (const piece of ANTHROPIC_STREAM) {
        response.write(piece);
        await new Promise<void>((resolve) => { send = resolve; });
      }
      response.end();
    });
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    const response = await post(`${gateway.url}/v1/messages`, messagesBody({ stream: true }));
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(response.headers.get('anthropic-organization-id')).toBeNull();
    expect([response.headers.get('request-id'), response.headers.get('x-new-header')]).toEqual(['req_1', 'kept']);
    const reader = response.body!.getReader();
    // Each piece must be here before the next is sent: nothing is held back.
    for (const piece of ANTHROPIC_STREAM) {
      let text = '';
      while (text.length < piece.length) text += new TextDecoder().decode((await reader.read()).value);
      expect(text).toBe(piece);
      send();
    }
    expect((await reader.read()).done).toBe(true);
    expect((await gateway.exchanges(1))[0]).toMatchObject({
      outcome: 'forwarded', status: 200, model: 'claude-opus-4-6', stopReason: 'end_turn', usage: { inputTokens: 25, outputTokens: 15 },
      limits: [{ unit: 'requests', limit: 50, remaining: 49, resetsAt: '2026-01-01T00:00:01.000Z' }], sentBytes: ANTHROPIC_STREAM.join('').length,
    });
    expect((await gateway.sessions.close('one')).usage).toEqual({ inputTokens: 25, outputTokens: 15 });
  });

  test('hands failures of the service on, with the headers that say when to try again', async () => {
    await using upstream = await serveUpstream((response) => void response.writeHead(429, { 'retry-after': '7', 'content-type': 'application/json' }).end('{"type":"error","error":{"type":"rate_limit_error","message":"Too fast."}}'));
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    const response = await post(`${gateway.url}/v1/messages`, messagesBody());
    expect([response.status, response.headers.get('retry-after'), await failureOf(response)]).toEqual([429, '7', 'Too fast.']);
    expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'forwarded', status: 429, errorType: 'rate_limit_error', retryAfterMs: 7000 });
  });

  test('does not repeat a key that a service tells back', async () => {
    await using upstream = await serveUpstream((response, { headers }) => void response.writeHead(401, { 'x-echo': String(headers['x-api-key']), 'content-type': 'application/json' }).end(JSON.stringify({ error: { type: 'authentication_error', message: `Incorrect key ${headers['x-api-key']}.` } })));
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    const response = await post(`${gateway.url}/v1/messages`, messagesBody());
    const text = `${JSON.stringify([...response.headers])}${await response.text()}`;
    expect(response.status).toBe(401);
    expect(text).not.toContain(KEY);
    expect(text).toContain('Incorrect key');
  });

  test.each([['gzip', gzipSync], ['br', brotliCompressSync], ['deflate', deflateSync]] as const)('does not repeat it where the service compresses (%s), and refuses a coding that nobody knows', async (coding, compress) => {
    await using upstream = await serveUpstream((response, { headers, body }) => {
      const told = body.includes('odd') ? 'zstd' : coding;
      response.writeHead(401, { 'content-type': 'application/json', 'content-encoding': told }).end(compress(JSON.stringify({ error: { type: 'authentication_error', message: `Incorrect key ${headers['x-api-key']}.` } })));
    });
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    const refused = await post(`${gateway.url}/v1/messages`, messagesBody());
    expect([refused.status, refused.headers.get('content-encoding'), await failureOf(refused)]).toEqual([401, null, `Incorrect key ${'*'.repeat(KEY.length)}.`]);
    const odd = await post(`${gateway.url}/v1/messages`, '{"odd": 1}');
    expect([odd.status, await failureOf(odd)]).toEqual([502, expect.stringContaining('it answers in the coding "zstd", which was not asked for')]);
  });

  test('streams a body that is larger than memory should hold, and one without a length', async () => {
    await using upstream = await serveUpstream((response, { body }) => void response.end(JSON.stringify({ size: body.length })));
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    const size = 80 * 1024 * 1024;
    const request = httpRequest(`${gateway.url}/v1/messages`, { method: 'POST', headers: { 'x-api-key': TOKEN } });
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < size; sent += piece.length) if (!request.write(piece)) await once(request, 'drain');
    request.end();
    const [response] = await once(request, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    expect(JSON.parse(text)).toEqual({ size });
  });

  test('goes to the service of its vendor', async () => {
    await using upstream = await serveUpstream((response) => void response.end('{}'));
    await using gateway = await serveGateway();
    openForward(gateway, { openai: { baseUrl: `${upstream.url}/v1`, headers: { authorization: `Bearer ${KEY}` } } });
    await post(`${gateway.url}/v1/responses`, responsesBody());
    expect([upstream.heard[0]?.url, upstream.heard[0]?.headers.authorization]).toEqual(['/v1/responses', `Bearer ${KEY}`]);
    const refused = await post(`${gateway.url}/v1/messages`, messagesBody());
    expect([refused.status, await failureOf(refused)]).toEqual([401, 'No key and no service for anthropic was given to this run.']);
    expect((await gateway.exchanges(2))[1]).toMatchObject({ outcome: 'upstream-missing', status: 401 });
  });

  test('is not sent anywhere when it is no path of a vendor, or reports what the CLI measured', async () => {
    await using upstream = await serveUpstream((response) => void response.end('{}'));
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    expect((await post(`${gateway.url}/v1/organizations/keys`, '{}')).status).toBe(404);
    expect((await post(`${gateway.url}/api/event_logging/batch`, '{}')).status).toBe(200);
    expect((await post(`${gateway.url}/v1/messages/../organizations`, '{}')).status).toBe(404);
    expect((await post(`${gateway.url}/v1/messages/%2e%2e/organizations`, '{}')).status).toBe(404);
    expect(upstream.heard).toEqual([]);
  });
});

describe('a service that fails', () => {
  test('that is not there is a 502 in the shape of the vendor', async () => {
    const upstream = await serveUpstream(() => undefined);
    await upstream[Symbol.asyncDispose]();
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    const response = await post(`${gateway.url}/v1/messages`, messagesBody());
    expect(response.status).toBe(502);
    const body = await response.json() as { type: string; error: { type: string; message: string } };
    expect([body.type, body.error.type]).toEqual(['error', 'api_error']);
    expect(body.error.message).toMatch(/^The model service at 127\.0\.0\.1:\d+ could not be asked: ECONNREFUSED\./);
    expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'upstream-failed', status: 502 });
  });

  test('in the middle of its answer cuts the connection, and what it had told by then is kept', async () => {
    await using upstream = await serveUpstream((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(ANTHROPIC_STREAM[0], () => response.destroy());
    });
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    const response = await post(`${gateway.url}/v1/messages`, messagesBody({ stream: true }));
    await expect(response.text()).rejects.toThrow();
    expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'upstream-failed', status: 200, usage: { inputTokens: 25, outputTokens: 1 } });
  });

  test('is not asked any longer when its client leaves', async () => {
    let left = (): void => {};
    const gone = new Promise<void>((resolve) => { left = resolve; });
    await using upstream = await serveUpstream((response) => {
      response.on('close', left);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(ANTHROPIC_STREAM[0]);
    });
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    const stop = new AbortController();
    const response = await post(`${gateway.url}/v1/messages`, messagesBody({ stream: true }), { signal: stop.signal });
    await response.body!.getReader().read();
    stop.abort();
    await gone;
    expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'aborted', usage: { inputTokens: 25, outputTokens: 1 } });
  });

  test('that closed a kept connection at that moment is asked once more', async () => {
    await using upstream = await serveUpstream((response, { body }) => {
      // The second request on a connection finds it closed.
      const isSecond = body.includes('again') && upstream.connections() === 1;
      if (isSecond) response.socket!.destroy();
      else response.end('{}');
    });
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    expect((await (await post(`${gateway.url}/v1/messages`, '{"first": 1}')).text())).toBe('{}');
    const second = await post(`${gateway.url}/v1/messages`, '{"again": 1}');
    expect([second.status, upstream.connections()]).toEqual([200, 2]);
  });
});

describe('the token', () => {
  test('of a window stands for it, and is worth nothing when the window is over', async () => {
    await using upstream = await serveUpstream((response) => void response.end('{}'));
    await using gateway = await serveGateway();
    openForward(gateway, anthropicAt(upstream.url));
    gateway.sessions.addToken('one', 'token-of-the-first-turn', 'turn1');
    const ask = (token: string): Promise<Response> => post(`${gateway.url}/v1/messages`, messagesBody(), { headers: { 'x-api-key': token } });
    expect((await ask('token-of-the-first-turn')).status).toBe(200);
    gateway.sessions.expireToken('one', 'token-of-the-first-turn');
    const late = await ask('token-of-the-first-turn');
    expect([late.status, await failureOf(late)]).toEqual([401, 'The API key is the token of a part of the Attempt that is over.']);
    expect(() => gateway.sessions.addToken('one', 'token-of-the-first-turn', 'turn2')).toThrow('Gateway session "one" was given the token of another open session.');
    expect((await gateway.exchanges(2)).map(({ window, outcome, sessionId }) => [sessionId, window, outcome])).toEqual([['one', 'turn1', 'forwarded'], ['one', 'turn1', 'unauthorized']]);
    expect(upstream.heard).toHaveLength(1);
  });

  test('of a session in another network is refused', async () => {
    await using gateway = await serveGateway();
    gateway.sessions.open({ id: 'far', token: 'token-of-a-far-network', mode: { kind: 'forward', upstreams: {} }, address: '10.213.0.14' });
    const response = await post(`${gateway.url}/v1/messages`, messagesBody(), { headers: { 'x-api-key': 'token-of-a-far-network' } });
    expect([response.status, await failureOf(response)]).toEqual([401, 'The API key is the token of a session in another network.']);
    expect((await gateway.exchanges(1))[0]).toMatchObject({ sessionId: 'far', outcome: 'unauthorized' });
  });
});

describe('what an experiment decides', () => {
  test.each([
    ['/v1/messages', { model: 'claude-a', max_tokens: 9, messages: [] }, { temperature: 0, seed: 3, maxTokens: 5, models: { 'claude-a': 'claude-b' } }, { model: 'claude-b', max_tokens: 5, messages: [], temperature: 0 }, ['temperature', 'maxTokens', 'models']],
    ['/v1/responses', { model: 'gpt-a', input: 'Hi' }, { temperature: 0.5, maxTokens: 5, models: { '*': 'gpt-b' } }, { model: 'gpt-b', input: 'Hi', temperature: 0.5, max_output_tokens: 5 }, ['temperature', 'maxTokens', 'models']],
    ['/v1/responses', { model: 'gpt-a', input: 'Hi' }, { models: { 'gpt-z': 'gpt-b' } }, { model: 'gpt-a', input: 'Hi' }, []],
  ] as const)('is written into a request of %s', async (path, sent, sampling, heard, applied) => {
    await using upstream = await serveUpstream((response) => void response.end('{}'));
    await using gateway = await serveGateway();
    const service = { baseUrl: upstream.url, headers: {} };
    openForward(gateway, { anthropic: service, openai: service }, { sampling });
    await post(gateway.url + path, sent);
    expect(JSON.parse(String(upstream.heard[0]?.body))).toEqual(heard);
    const [exchange] = await gateway.exchanges(1);
    expect(exchange?.applied).toEqual(applied);
    expect(exchange?.askedModel).toBe(heard.model === sent.model ? undefined : sent.model);
  });
});

test.each([
  ['anthropic', 'https://api.anthropic.com', '/v1/messages?beta=true', 'https://api.anthropic.com/v1/messages?beta=true'],
  ['anthropic', 'https://api.anthropic.com/v1/', '/v1/messages', 'https://api.anthropic.com/v1/messages'],
  ['anthropic', 'https://router.example/api', '/v1/messages', 'https://router.example/api/v1/messages'],
  ['openai', 'https://api.openai.com/v1', '/v1/responses', 'https://api.openai.com/v1/responses'],
  ['openai', 'https://api.openai.com', '/v1/responses', 'https://api.openai.com/v1/responses'],
  ['openai', 'https://chat.example/backend/codex', '/v1/responses', 'https://chat.example/backend/codex/responses'],
  ['gemini', 'https://generativelanguage.googleapis.com', '/v1beta/models/g:streamGenerateContent?alt=sse&key=token', 'https://generativelanguage.googleapis.com/v1beta/models/g:streamGenerateContent?alt=sse'],
] as const)('%s at %s is asked for %s', (vendor, base, target, url) => {
  expect(upstreamUrl(vendor, base, target).href).toBe(url);
});
