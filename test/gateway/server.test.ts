import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/gateway/exchange.js';
import { openGatewayServer } from '../../src/gateway/server.js';
import { createSessions } from '../../src/gateway/sessions.js';
import { eventsOf, failureOf, messagesBody, post, responsesBody, serveGateway, textOf, TOKEN } from './serving.js';

const hello = { turns: [{ text: 'Hello.', repeat: 9 }] };

/** What was recorded, without what differs from run to run. */
function stable({ startedAt, firstByteMs, durationMs, ordinal, detail, asksModel, ...rest }: Exchange): object {
  // Every POST to these paths that is let in wants something of a model.
  expect(asksModel).toBe(/^\/v1\/(?:messages|responses)$/.test(rest.path) && rest.method === 'POST' && rest.sessionId !== null ? true : undefined);
  expect(ordinal === undefined).toBe(rest.sessionId === null);
  expect(detail === undefined).toBe(rest.status < 400 || rest.outcome === 'played');
  expect(startedAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  expect(durationMs).toBeGreaterThanOrEqual(firstByteMs ?? 0);
  return rest;
}

/** Writes bytes on a fresh connection and gives the first line of what comes back. */
async function rawStatus(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return chunk.toString('latin1').split('\r\n')[0]!;
}

describe.each([
  ['/v1/messages', messagesBody, 'anthropic-messages', 'claude-test', 'message_stop'],
  ['/v1/responses', responsesBody, 'openai-responses', 'gpt-test', 'response.completed'],
] as const)('%s', (path, bodyOf, protocol, model, lastEvent) => {
  test('plays a turn as one JSON answer', async () => {
    await using gateway = await serveGateway();
    gateway.open(hello);
    const response = await post(gateway.url + path, bodyOf());
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(await response.text()).toContain('"text":"Hello."');
    expect((await gateway.exchanges(1)).map(stable)).toEqual([
      { sessionId: 'one', protocol, method: 'POST', path, model, lane: 'main', turn: 1, status: 200, outcome: 'played', usage: { inputTokens: 10, outputTokens: 5 } },
    ]);
  });

  test('plays a turn as server-sent events', async () => {
    await using gateway = await serveGateway();
    gateway.open(hello);
    const response = await post(gateway.url + path, bodyOf({ stream: true }));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    let last = '';
    for await (const { type } of eventsOf(response)) last = type;
    expect(last).toBe(lastEvent);
  });

  test('sends each event when it is due, and notices when the client leaves', async () => {
    await using gateway = await serveGateway();
    gateway.open({ turns: [{ text: 'A text that is long enough for some pieces.', cutAfterEvents: 4, stall: true }] });
    const client = new AbortController();
    const response = await post(gateway.url + path, bodyOf({ stream: true }), { signal: client.signal });
    let seen = 0;
    for await (const _ of eventsOf(response)) {
      seen += 1;
      if (seen === 4) break;
    }
    client.abort();
    const [exchange] = await gateway.exchanges(1);
    expect(stable(exchange!)).toEqual({ sessionId: 'one', protocol, method: 'POST', path, model, lane: 'main', turn: 1, status: 200, outcome: 'aborted' });
    expect(gateway.faults).toEqual([]);
  });

  test('cuts the connection where the script says so', async () => {
    await using gateway = await serveGateway();
    gateway.open({ turns: [{ text: 'Hello.', cutAfterEvents: 3 }] });
    const response = await post(gateway.url + path, bodyOf({ stream: true }));
    const events: object[] = [];
    const reading = (async () => {
      for await (const event of eventsOf(response)) events.push(event);
    })();
    await expect(reading).rejects.toThrow('terminated');
    expect(events).toHaveLength(3);
    const [exchange] = await gateway.exchanges(1);
    expect(stable(exchange!)).toEqual({ sessionId: 'one', protocol, method: 'POST', path, model, lane: 'main', turn: 1, status: 200, outcome: 'played' });
  });

  test('fails as the script says', async () => {
    await using gateway = await serveGateway();
    gateway.open({ turns: [{ error: { status: 429, message: 'Slow down', retryAfterSeconds: 3 } }] });
    const response = await post(gateway.url + path, bodyOf());
    expect([response.status, response.headers.get('retry-after'), await failureOf(response)]).toEqual([429, '3', 'Slow down']);
    expect((await gateway.exchanges(1)).map(({ status, outcome, turn }) => ({ status, outcome, turn }))).toEqual([{ status: 429, outcome: 'played', turn: 1 }]);
  });

  test('says what ran out when the script has no turn left', async () => {
    await using gateway = await serveGateway();
    gateway.open({ turns: [{ text: 'Hello.' }] });
    await post(gateway.url + path, bodyOf());
    const response = await post(gateway.url + path, bodyOf());
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([400, 'false']);
    expect(await failureOf(response)).toBe(
      'Script "test.json" has no turn left in lane "main": its 1 turn was played. ' +
        `The request (model "${model}") ended with the message "Fix the bug". Add a turn to the lane, or give its last turn a "repeat".`,
    );
    expect(stable((await gateway.exchanges(2))[1]!)).toEqual({
      sessionId: 'one', protocol, method: 'POST', path, model, lane: 'main', status: 400, outcome: 'script-exhausted',
    });
  });

  test.each([
    ['no token', {}],
    ['an unknown token', { 'x-api-key': 'another-token' }],
    ['an unknown bearer', { authorization: 'Bearer another-token' }],
    ['another scheme', { authorization: `Basic ${TOKEN}` }],
  ])('refuses %s', async (_, headers) => {
    await using gateway = await serveGateway();
    gateway.open(hello);
    const response = await fetch(gateway.url + path, { method: 'POST', body: JSON.stringify(bodyOf()), headers });
    expect([response.status, await failureOf(response)]).toEqual([401, 'The API key is not the token of an open session.']);
    const [exchange] = await gateway.exchanges(1);
    expect(stable(exchange!)).toEqual({ sessionId: null, protocol, method: 'POST', path, status: 401, outcome: 'unauthorized' });
  });

  test.each([
    ['x-api-key', { 'x-api-key': TOKEN }],
    ['a bearer', { authorization: `bearer ${TOKEN}` }],
    ['a bearer beside a key that is not ours', { 'x-api-key': 'another', authorization: `Bearer ${TOKEN}` }],
  ])('takes the token as %s', async (_, headers) => {
    await using gateway = await serveGateway();
    gateway.open(hello);
    const response = await fetch(gateway.url + path, { method: 'POST', body: JSON.stringify(bodyOf()), headers });
    expect(response.status).toBe(200);
  });

  test.each([['no JSON', '{"model":'], ['no request', '{"model":"m"}'], ['nothing', '']])('refuses a body that is %s', async (_, body) => {
    await using gateway = await serveGateway();
    gateway.open(hello);
    const response = await post(gateway.url + path, body);
    expect([response.status, typeof (await failureOf(response))]).toEqual([400, 'string']);
    expect((await gateway.exchanges(1))[0]!.outcome).toBe('refused');
  });
});

test('keeps the cursors and counts of two sessions apart', async () => {
  await using gateway = await serveGateway();
  const other = { id: 'two', token: 'token-of-session-two' };
  gateway.open({ turns: [{ text: 'one a' }, { text: 'one b' }] });
  gateway.open({ turns: [{ text: 'two a' }, { text: 'two b' }] }, other);
  const texts: string[] = [];
  for (const token of [TOKEN, other.token, TOKEN, other.token]) {
    const response = await post(`${gateway.url}/v1/messages`, messagesBody(), { headers: { 'x-api-key': token } });
    texts.push((await textOf(response)) ?? '');
  }
  expect(texts).toEqual(['one a', 'two a', 'one b', 'two b']);
  expect(await gateway.sessions.close('two')).toEqual({
    requests: 2, usage: { inputTokens: 20, outputTokens: 10 }, lanes: [{ lane: 'main', played: 2, total: 2 }],
  });
});

test('names the same things the same way each time a script is played', async () => {
  await using gateway = await serveGateway();
  const turns = [{ toolCalls: [{ name: 'a', input: {} }, { name: 'b', input: {} }] }];
  gateway.open({ turns });
  gateway.open({ turns }, { id: 'two', token: 'token-of-session-two' });
  const bodies = await Promise.all(
    [TOKEN, 'token-of-session-two'].map(async (token) => (await post(`${gateway.url}/v1/messages`, messagesBody(), { headers: { 'x-api-key': token } })).text()),
  );
  expect(bodies[0]).toBe(bodies[1]);
});

describe('requests beside the conversation', () => {
  test.each([
    ['HEAD', '/', undefined],
    ['GET', '/', {}],
    ['GET', '/v1/models', { data: [], first_id: null, last_id: null, has_more: false }],
    ['POST', '/v1/messages/count_tokens', { input_tokens: 24 }],
    ['POST', '/v1/analytics/codex/turn-costs', {}],
  ])('%s %s is answered and takes no turn', async (method, path, answer) => {
    await using gateway = await serveGateway();
    gateway.open({ turns: [{ text: 'Hello.' }] });
    const response = await fetch(gateway.url + path, {
      method, headers: { 'x-api-key': TOKEN }, ...(method === 'POST' && { body: JSON.stringify(messagesBody()) }),
    });
    expect([response.status, answer && (await response.json())]).toEqual([200, answer]);
    const [exchange] = await gateway.exchanges(1);
    expect(exchange).toMatchObject({ sessionId: 'one', path, outcome: 'side' });
    expect((await gateway.sessions.close('one')).lanes).toEqual([{ lane: 'main', played: 0, total: 1 }]);
  });

  test('the model list speaks the language of the client', async () => {
    await using gateway = await serveGateway();
    gateway.open(hello);
    const response = await fetch(`${gateway.url}/v1/models?client_version=1`, { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(await response.json()).toEqual({ object: 'list', data: [] });
  });

  test('a title is answered and takes no turn, unless a lane is meant for it', async () => {
    await using gateway = await serveGateway();
    gateway.open({ turns: [{ text: 'Hello.' }] });
    gateway.open({ lanes: [{ name: 'titles', when: { systemIncludes: 'title' }, turns: [{ text: 'My title' }] }] }, { id: 'two', token: 'token-of-session-two' });
    const title = messagesBody({ system: 'x-anthropic-billing-header: cc_version=2; Generate a title' });
    const texts: string[] = [];
    for (const token of [TOKEN, 'token-of-session-two']) {
      texts.push((await textOf(await post(`${gateway.url}/v1/messages`, title, { headers: { 'x-api-key': token } }))) ?? '');
    }
    expect(texts).toEqual(['Scripted', 'My title']);
    expect((await gateway.exchanges(2)).map(({ outcome, lane }) => ({ outcome, lane }))).toEqual([
      { outcome: 'side', lane: undefined }, { outcome: 'played', lane: 'titles' },
    ]);
  });
});

test('tells a script that a protocol cannot play from one that ran out', async () => {
  await using gateway = await serveGateway();
  gateway.open({ turns: [{ toolCalls: [{ name: 'apply_patch', input: 'x' }] }] });
  const response = await post(`${gateway.url}/v1/messages`, messagesBody());
  expect([response.status, await failureOf(response)]).toEqual([
    400, 'Script "test.json", lane "main", turn 1: tool call "apply_patch" has a string as input, which the Messages API cannot carry. Write an object.',
  ]);
  expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'script-unplayable', lane: 'main', turn: 1 });
});

test('closing a session cuts what is open, counts it and refuses its token', async () => {
  await using gateway = await serveGateway();
  gateway.open({ turns: [{ text: 'Hello.', cutAfterEvents: 1, stall: true }] });
  const events = eventsOf(await post(`${gateway.url}/v1/messages`, messagesBody({ stream: true })));
  await events.next();
  expect(await gateway.sessions.close('one')).toEqual({ requests: 1, usage: {}, lanes: [{ lane: 'main', played: 1, total: 1 }] });
  await expect(events.next()).rejects.toThrow('terminated');
  expect((await gateway.exchanges(1))[0]!.outcome).toBe('aborted');
  expect((await post(`${gateway.url}/v1/messages`, messagesBody())).status).toBe(401);
  await expect(gateway.sessions.close('one')).rejects.toThrow('Gateway session "one" is not open. Open it before closing it, and close it once.');
});

test('a client that leaves in the middle of its body is recorded', async () => {
  await using gateway = await serveGateway();
  gateway.open(hello);
  const socket = connect(gateway.port, '127.0.0.1');
  socket.end(`POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${TOKEN}\r\ncontent-length: 100\r\n\r\n{`);
  const [exchange] = await gateway.exchanges(1);
  expect(stable(exchange!)).toEqual({ sessionId: 'one', protocol: 'anthropic-messages', method: 'POST', path: '/v1/messages', status: 0, outcome: 'aborted' });
  expect(gateway.faults).toEqual([]);
});

describe('what is no request for it', () => {
  test.each([
    ['an unknown path', 'GET /v1/files HTTP/1.1\r\nhost: x\r\n\r\n', 'HTTP/1.1 404 Not Found', { method: 'GET', path: '/v1/files', outcome: 'not-found' }],
    ['another method', 'PUT /v1/messages HTTP/1.1\r\nhost: x\r\n\r\n', 'HTTP/1.1 404 Not Found', { method: 'PUT', path: '/v1/messages', outcome: 'not-found' }],
    ['a whole URL', 'GET http://example.com/ HTTP/1.1\r\nhost: x\r\n\r\n', 'HTTP/1.1 400 Bad Request', { method: 'GET', path: 'http://example.com/', outcome: 'refused' }],
    ['an authority in the path', 'GET //example.com/ HTTP/1.1\r\nhost: x\r\n\r\n', 'HTTP/1.1 400 Bad Request', { method: 'GET', path: '//example.com/', outcome: 'refused' }],
    ['the server as a whole', 'OPTIONS * HTTP/1.1\r\nhost: x\r\n\r\n', 'HTTP/1.1 400 Bad Request', { method: 'OPTIONS', path: '*', outcome: 'refused' }],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 'HTTP/1.1 405 Method Not Allowed', { method: 'CONNECT', path: 'example.com:443', outcome: 'refused' }],
    ['an upgrade', 'GET /v1/responses HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', 'HTTP/1.1 400 Bad Request', { method: 'GET', path: '/v1/responses', outcome: 'refused' }],
    ['headers over 64 KiB', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(66_000)}\r\n\r\n`, 'HTTP/1.1 431 Request Header Fields Too Large', { method: '', path: '', outcome: 'refused' }],
    ['no HTTP', 'hello\r\n\r\n', 'HTTP/1.1 400 Bad Request', { method: '', path: '', outcome: 'refused' }],
    [
      'a body that is announced too large', `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${TOKEN}\r\ncontent-length: 67108865\r\n\r\n`,
      'HTTP/1.1 413 Payload Too Large', { method: 'POST', path: '/v1/messages', outcome: 'refused' },
    ],
    [
      'a compressed body', `POST /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${TOKEN}\r\ncontent-encoding: gzip\r\ncontent-length: 1\r\n\r\n{`,
      'HTTP/1.1 415 Unsupported Media Type', { method: 'POST', path: '/v1/messages', outcome: 'refused' },
    ],
  ])('%s is refused and recorded', async (_, text, status, recorded) => {
    await using gateway = await serveGateway();
    gateway.open(hello);
    expect(await rawStatus(gateway.port, text)).toBe(status);
    expect((await gateway.exchanges(1))[0]).toMatchObject(recorded);
  });

  test('a body that grows too large is refused, and the next request is served', async () => {
    await using gateway = await serveGateway();
    gateway.open(hello);
    const request = httpRequest(`${gateway.url}/v1/messages`, { method: 'POST', headers: { 'x-api-key': TOKEN } });
    const answered = once(request, 'response');
    const megabyte = Buffer.alloc(1024 * 1024, ' ');
    for (let sent = 0; sent < 66; sent += 1) if (!request.write(megabyte)) await once(request, 'drain');
    request.end();
    const [response] = await answered;
    response.resume();
    expect(response.statusCode).toBe(413);
    expect((await post(`${gateway.url}/v1/messages`, messagesBody())).status).toBe(200);
  });
});

test.each([
  ['its path', (url: string) => fetch(`${url}/v1/${TOKEN}`)],
  ['its path, encoded', (url: string) => fetch(`${url}/%zz/%74${TOKEN.slice(1)}`)],
  ['its query', (url: string) => fetch(`${url}/v1/files?key=${TOKEN}`)],
  ['its model', (url: string) => post(`${url}/v1/messages`, messagesBody({ model: `x${TOKEN}` }))],
])('repeats no token that a client writes into %s', async (_, send) => {
  await using gateway = await serveGateway();
  gateway.open(hello);
  await send(gateway.url);
  const text = JSON.stringify(await gateway.exchanges(1));
  expect(decodeURIComponent(text.replace(/%zz/g, ''))).not.toContain(TOKEN);
});

test('refuses a second session with an id or token that is open', async () => {
  await using gateway = await serveGateway();
  gateway.open(hello);
  expect(() => gateway.open(hello)).toThrow('Gateway session "one" is already open. Close it first, or open the new one under another id.');
  expect(() => gateway.open(hello, { id: 'two', token: TOKEN })).toThrow(
    'Gateway session "two" was given the token of another open session. Make a fresh token for each session.',
  );
});

test('stops listening when it is closed, even with an answer that never ends', async () => {
  const gateway = await serveGateway();
  gateway.open({ turns: [{ text: 'Hello.', cutAfterEvents: 1, stall: true }] });
  const events = eventsOf(await post(`${gateway.url}/v1/messages`, messagesBody({ stream: true })));
  await events.next();
  await gateway.server.close();
  await gateway.server.close();
  await expect(events.next()).rejects.toThrow('terminated');
  await expect(fetch(gateway.url)).rejects.toThrow('fetch failed');
});

test('tells the client of a fault of its own, reports it and goes on', async () => {
  const faults: unknown[] = [];
  const exchanges: Exchange[] = [];
  const broken = new Error('broken');
  const sessions = { ...createSessions(), find: () => { throw broken; } };
  await using server = await openGatewayServer({ sessions, onExchange: (exchange) => exchanges.push(exchange), onFault: (fault) => faults.push(fault) });
  const response = await post(`http://127.0.0.1:${server.port}/v1/messages`, messagesBody());
  expect([response.status, await failureOf(response)]).toEqual([500, 'The gateway met a fault of its own. Its stderr has the cause.']);
  expect(faults).toEqual([broken]);
  expect(exchanges.map(stable)).toEqual([{ sessionId: null, protocol: null, method: 'POST', path: '/v1/messages', status: 500, outcome: 'failed' }]);
});
