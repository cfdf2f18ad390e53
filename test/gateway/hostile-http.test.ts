import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { SERVER_LIMITS } from '../../src/gateway/server.js';
import { forwardingGateway, KEY, OTHER_TOKEN, recordingServer, requestOf, talk, type ForwardingGateway } from './raw-sockets.js';
import { failureOf, messagesBody, post, TOKEN } from './serving.js';

const POST = 'POST /v1/messages HTTP/1.1';
const post11 = (headers: readonly string[], body = ''): string => requestOf(POST, headers, body);
const chunked = (body: string): string => post11(['transfer-encoding: chunked'], body);
const many = (count: number): readonly string[] => Array.from({ length: count }, (_item, index) => `x-${index}: 1`);

/** The gateway lives, and a request of another session is its own. */
async function servesTheNext(gateway: ForwardingGateway): Promise<void> {
  const response = await post(`${gateway.url}/v1/messages`, messagesBody(), { headers: { 'x-api-key': OTHER_TOKEN } });
  expect([response.status, await response.text()]).toEqual([200, '{}']);
  expect(gateway.faults).toEqual([]);
}

describe('what is refused reaches no service', () => {
  test.each<[what: string, bytes: string, status: number]>([
    // RFC 9112, 6.1 to 6.3: two ways to tell where a body ends.
    ['a length and a coding', post11(['content-length: 5', 'transfer-encoding: chunked'], '0\r\n\r\nGET /v1/models HTTP/1.1\r\n\r\n'), 400],
    ['a coding and a length', post11(['transfer-encoding: chunked', 'content-length: 5'], '0\r\n\r\n'), 400],
    ['two lengths', post11(['content-length: 2', 'content-length: 30'], '{}'), 400],
    ['a length twice', post11(['content-length: 2', 'content-length: 2'], '{}'), 400],
    ['a list of lengths', post11(['content-length: 2, 2'], '{}'), 400],
    ['a coding that is none', post11(['transfer-encoding: xchunked'], '0\r\n\r\n'), 501],
    ['a coding that is not the last', post11(['transfer-encoding: chunked, identity'], '0\r\n\r\n'), 400],
    ['a compressed coding', post11(['transfer-encoding: gzip, chunked'], '0\r\n\r\n'), 501],
    ['a coding in another header', post11(['transfer-encoding: gzip', 'transfer-encoding: chunked'], '0\r\n\r\n'), 501],
    ['a space before the colon', post11(['transfer-encoding : chunked'], '0\r\n\r\n'), 400],
    ['a folded header', post11(['transfer-encoding:', ' chunked'], '0\r\n\r\n'), 400],
    ['a folded value', post11(['x-a: b', '\tc', 'content-length: 2'], '{}'), 400],
    ['a header that begins with a space', post11([' content-length: 2'], '{}'), 400],
    ['a header without a colon', post11(['content-length'], '{}'), 400],
    ['a coding in HTTP/1.0', requestOf('POST /v1/messages HTTP/1.0', ['transfer-encoding: chunked'], '0\r\n\r\n'), 400],
    ['line feeds alone', post11(['content-length: 2'], '{}').replaceAll('\r\n', '\n'), 400],
    ['a carriage return alone', post11(['x-a: b\rcontent-length: 2'], '{}'), 400],
    ['a NUL in a value', post11(['x-a: b\0c', 'content-length: 2'], '{}'), 400],
    ['a length below zero', post11(['content-length: -1'], '{}'), 400],
    ['a length with a sign', post11(['content-length: +2'], '{}'), 400],
    ['a length in hexadecimal', post11(['content-length: 0x2'], '{}'), 400],
    ['a length with an exponent', post11(['content-length: 1e1'], '{}'), 400],
    ['a length that overflows', post11(['content-length: 18446744073709551618'], '{}'), 400],
    ['a body of a GET', requestOf('GET /v1/models HTTP/1.1', ['transfer-encoding: chunked'], '1e\r\nGET /v1/files HTTP/1.1\r\na: b\r\n\r\n\r\n0\r\n\r\n'), 400],
    ['a body with a length of a GET', requestOf('GET /v1/models HTTP/1.1', ['content-length: 2'], '{}'), 400],
    ['no host', `${POST}\r\nx-api-key: ${TOKEN}\r\ncontent-length: 2\r\n\r\n{}`, 400],
    ['two hosts', post11(['host: other', 'content-length: 2'], '{}'), 400],
    ['more headers than 200', post11([...many(201), 'content-length: 2'], '{}'), 431],
    ['more headers than Node keeps', post11([...many(3000), 'content-length: 2'], '{}'), 431],
    ['headers over 64 KiB', post11([`x-a: ${'a'.repeat(66_000)}`, 'content-length: 2'], '{}'), 431],
    ['a whole URL', requestOf('POST http://elsewhere/v1/messages HTTP/1.1', ['content-length: 2'], '{}'), 400],
    ['an authority', requestOf('POST elsewhere:443 HTTP/1.1', ['content-length: 2'], '{}'), 400],
    ['an authority in the path', requestOf('POST //elsewhere/v1/messages HTTP/1.1', ['content-length: 2'], '{}'), 400],
    ['a tunnel', requestOf('CONNECT elsewhere:443 HTTP/1.1'), 405],
    ['the server as a whole', requestOf('OPTIONS * HTTP/1.1'), 400],
    ['an upgrade to HTTP/2', post11(['connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__', 'content-length: 2'], '{}'), 400],
    ['HTTP/2 at once', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['HTTP/0.9', 'GET /v1/models\r\n', 400],
    ['another version', requestOf('GET /v1/models HTTP/1.2'), 400],
    ['a version of two digits', requestOf('GET /v1/models HTTP/1.10'), 400],
    ['a NUL in the target', requestOf('GET /v1/models/a\0b HTTP/1.1'), 400],
    ['UTF-8 in the target', requestOf('GET /v1/models?a=\xc3\xa9 HTTP/1.1'), 400],
    ['a fragment that climbs', requestOf('GET /v1/models/a#/../../organizations/keys HTTP/1.1'), 400],
    ['a fragment before the query', requestOf('POST /v1/messages#?/../../organizations HTTP/1.1', ['content-length: 2'], '{}'), 400],
    ['an expectation', post11(['expect: a-pony', 'content-length: 2'], '{}'), 417],
  ])('%s', async (_, bytes, status) => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url);
    const answer = await talk(gateway.port, `${bytes}${requestOf('GET /v1/models/smuggled HTTP/1.1')}`);
    // One answer, and the connection is closed: what follows on it is not looked at.
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
    expect(service.heard()).toEqual([]);
    const exchanges = await gateway.exchanges(1);
    expect(exchanges.map((exchange) => [exchange.outcome, exchange.status])).toEqual([['refused', status]]);
    expect(JSON.stringify(exchanges)).not.toContain(TOKEN);
    await servesTheNext(gateway);
    expect((await gateway.exchanges(2)).slice(1).map(({ sessionId, outcome }) => [sessionId, outcome])).toEqual([['two', 'forwarded']]);
  });

  test.each([
    '/v1/messages/../organizations', '/v1/messages/%2e%2e/organizations', '/v1/messages%2f..%2forganizations', '/v1/%6dessages', '/./v1/messages', '/v1//messages', '/v1/messages/',
    '/v1/messages;a=b', '/v1/messages\\..\\organizations', '/v1/models/..', '/v1/models/%2e%2e/organizations', '/v1/models/a%0d%0ax:y', '/v1beta/models/..%2f..:generateContent', '/v1beta/models/a%0d%0a:generateContent',
  ])('the path %s', async (path) => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url);
    for (const line of [`POST ${path} HTTP/1.1`, `GET ${path} HTTP/1.1`]) expect(await talk(gateway.port, requestOf(line, ['connection: close']))).toMatch(/^HTTP\/1\.1 404 /);
    expect(service.heard()).toEqual([]);
    expect((await gateway.exchanges(2)).map(({ outcome, sessionId }) => [outcome, sessionId])).toEqual([['not-found', 'one'], ['not-found', 'one']]);
    await servesTheNext(gateway);
  });
});

describe('a body that breaks off is no request for a service', () => {
  test.each([
    ['a chunk below zero', '-1\r\n{\r\n0\r\n\r\n'], ['a chunk with a sign', '+2\r\n{}\r\n0\r\n\r\n'], ['a chunk with a prefix', '0x2\r\n{}\r\n0\r\n\r\n'], ['a chunk that overflows', '10000000000000002\r\n{}\r\n0\r\n\r\n'],
    ['a chunk with a space', ' 2\r\n{}\r\n0\r\n\r\n'], ['a chunk longer than it says', '1\r\n{}\r\n0\r\n\r\n'], ['a chunk ended by a line feed', '2\n{}\r\n0\r\n\r\n'],
    ['an extension without an end', `2;${'a'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`], ['no size', '\r\n{}\r\n0\r\n\r\n'], ['a trailer that is none', '2\r\n{}\r\n0\r\nx y\r\n\r\n'],
  ])('%s', async (_, body) => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url);
    expect(await talk(gateway.port, `${chunked(body)}${requestOf('GET /v1/models/smuggled HTTP/1.1')}`)).toMatch(/^(HTTP\/1\.1 400 Bad Request\r\n|$)/);
    expect((await gateway.exchanges(1)).map(({ sessionId, outcome }) => [sessionId, outcome])).toEqual([['one', 'refused']]);
    expect(service.whole()).toEqual([]);
    expect(service.heard().join('')).not.toContain('smuggled');
    await servesTheNext(gateway);
  });

  test.each([['short', 100], ['too large to be held', 9_007_199_254_740_991]])('a body that ends before its length, which is %s', async (_, length) => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url);
    const socket = connect(gateway.port, '127.0.0.1');
    socket.end(post11([`content-length: ${length}`], '{'));
    expect((await gateway.exchanges(1)).map(({ sessionId, outcome }) => [sessionId, outcome])).toEqual([['one', 'aborted']]);
    expect(service.whole()).toEqual([]);
    await servesTheNext(gateway);
  });

  test('a body that goes on after its length is cut there', async () => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url);
    await talk(gateway.port, post11(['content-length: 2'], '{}GET /v1/files HTTP/1.1 x\r\n\r\n'));
    await servesTheNext(gateway);
    const mine = service.whole().filter((heard) => !heard.includes('Fix the bug'));
    expect(mine.every((heard) => heard === 'POST /v1/messages {}')).toBe(true);
    const exchanges = await gateway.exchanges(3);
    expect(exchanges.filter(({ outcome }) => outcome === 'refused').map(({ status, sessionId }) => [status, sessionId])).toEqual([[400, null]]);
  });
});

describe('what is passed on is harmless', () => {
  test.each<[what: string, bytes: string, whole: string]>([
    ['extensions of chunks are left out', chunked('2;a=b;c="d"\r\n{}\r\n0;e\r\n\r\n'), 'POST /v1/messages {}'],
    ['trailers are left out', post11(['transfer-encoding: chunked', 'trailer: x-evil'], '2\r\n{}\r\n0\r\nx-evil: 1\r\nx-api-key: evil\r\n\r\n'), 'POST /v1/messages {}'],
    ['a coding in capitals', post11(['transfer-encoding: CHUNKED'], '2\r\n{}\r\n0\r\n\r\n'), 'POST /v1/messages {}'],
    ['HTTP/1.0', requestOf('POST /v1/messages HTTP/1.0', ['content-length: 2'], '{}'), 'POST /v1/messages {}'],
    ['HTTP/1.0 without a host', `POST /v1/messages HTTP/1.0\r\nx-api-key: ${TOKEN}\r\ncontent-length: 2\r\n\r\n{}`, 'POST /v1/messages {}'],
    ['no body', requestOf(POST), 'POST /v1/messages '],
    ['what is encoded in a query stays so', requestOf('POST /v1/messages?a=%0d%0ax-evil:%201&b=%00 HTTP/1.1', ['content-length: 2'], '{}'), 'POST /v1/messages?a=%0d%0ax-evil:%201&b=%00 {}'],
    ['a key in a query, however it is written', requestOf(`GET /v1/models?a=1&key=${TOKEN}&%6bEy=${TOKEN} HTTP/1.1`), 'GET /v1/models?a=1 '],
    ['headers that a connection lists', post11(['connection: close, x-evil, x-api-key, content-length, host', 'x-evil: 1', 'content-length: 2'], '{}'), 'POST /v1/messages {}'],
    ['headers between two servers', post11(['te: trailers', 'keep-alive: timeout=9', 'proxy-authorization: Basic x-evil', 'proxy-connection: x-evil', 'forwarded: for=x-evil', 'content-length: 2'], '{}'), 'POST /v1/messages {}'],
    ['a name of a prototype', post11(['__proto__: x', 'constructor: y', 'content-length: 2'], '{}'), 'POST /v1/messages {}'],
  ])('%s', async (_, bytes, whole) => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url);
    expect(await talk(gateway.port, bytes, /\{\}|0\r\n\r\n$/)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(service.whole()).toEqual([whole]);
    const [heard = ''] = service.heard();
    const head = heard.slice(0, heard.indexOf('\r\n\r\n')).toLowerCase();
    expect(head.match(/^(?:x-api-key|host): .*$/gm)).toEqual([`x-api-key: ${KEY}`, `host: ${new URL(service.url).host}`]);
    expect(head).not.toMatch(/^x-evil|: .*x-evil$|^te:|^trailer:|^keep-alive:/m);
    expect(heard).not.toContain(TOKEN);
    expect((await gateway.exchanges(1)).map(({ sessionId, outcome }) => [sessionId, outcome])).toEqual([['one', 'forwarded']]);
    await servesTheNext(gateway);
  });

  test('who waits to be told to go on is told so', async () => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url);
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(post11(['expect: 100-continue', 'content-length: 2', 'connection: close']));
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString()).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    expect(service.whole()).toEqual([]);
    socket.write('{}');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(service.whole()).toEqual(['POST /v1/messages {}']);
    expect(service.heard().join('')).not.toMatch(/^expect:/mi);
  });

  test('requests of two sessions on one connection are told apart, the refused ones too', async () => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url);
    const asks = (token: string, name: string): string => `GET /v1/models/${name} HTTP/1.1\r\nhost: x\r\nx-api-key: ${token}\r\n\r\n`;
    const answer = await talk(gateway.port, `${asks(TOKEN, 'a')}${asks('token-of-nobody-here', 'b')}${asks(OTHER_TOKEN, 'c')}${asks(TOKEN, 'd').replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')}`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401', 'HTTP/1.1 200', 'HTTP/1.1 200']);
    const byPath = Object.fromEntries((await gateway.exchanges(4)).map(({ path, sessionId, outcome }) => [path.slice(-1), [sessionId, outcome]]));
    expect(byPath).toEqual({ a: ['one', 'forwarded'], b: [null, 'unauthorized'], c: ['two', 'forwarded'], d: ['one', 'forwarded'] });
    expect([...service.whole()].sort()).toEqual(['GET /v1/models/a ', 'GET /v1/models/c ', 'GET /v1/models/d ']);
  });
});

describe('who is slow on purpose is cut', () => {
  test.each([['without a word', ''], ['in its line', 'POST /v1/mess'], ['in its headers', `${POST}\r\nhost: x\r\nx-a: `]])('%s', async (_, bytes) => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url, { headMs: 100 });
    expect(await talk(gateway.port, bytes)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect((await gateway.exchanges(1)).map(({ outcome, status }) => [outcome, status])).toEqual([['refused', 408]]);
    await servesTheNext(gateway);
  });

  test.each([
    ['in a body that is held', post11(['content-length: 100'], '{')], ['in a body that passes through', post11(['content-length: 100000000'], '{')], ['in its chunks', chunked('2\r\n{')],
    ['before its body', post11(['content-length: 100'])],
  ])('%s', async (_, bytes) => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url, { bodyWindowMs: 100 });
    expect(await talk(gateway.port, bytes)).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect((await gateway.exchanges(1)).map(({ sessionId, outcome, status, detail }) => [sessionId, outcome, status, detail])).toEqual([['one', 'refused', 408, 'The body did not come within its time.']]);
    expect(service.whole()).toEqual([]);
    await servesTheNext(gateway);
  });

  test('in the rest of a body that was refused', async () => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url, { lingerMs: 100 });
    expect(await talk(gateway.port, post11(['content-length: 100'], '{').replace(TOKEN, 'token-of-nobody-here'))).toMatch(/^HTTP\/1\.1 401 /);
    await servesTheNext(gateway);
  });

  test('and a whole request has an end', async () => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url, { requestMs: 200, headMs: 100 });
    const socket = connect(gateway.port, '127.0.0.1');
    socket.write(post11(['content-length: 1000000000']));
    const feed = setInterval(() => socket.write('a'.repeat(10_000)), 5);
    socket.on('error', () => undefined);
    await new Promise((resolve) => { socket.on('close', resolve); });
    clearInterval(feed);
    expect((await gateway.exchanges(1)).map(({ outcome, sessionId }) => [outcome, sessionId])).toEqual([['refused', 'one']]);
  });

  test('but not who sends as quickly as a slow link does', async () => {
    // 4 MB, a million tokens, at 16 KB a second, which is a modem of the last century's four times over.
    expect(SERVER_LIMITS.requestMs).toBeGreaterThan(4_000_000 / 16);
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url, { bodyWindowMs: 100 });
    const socket = connect(gateway.port, '127.0.0.1');
    const size = 600_000;
    socket.write(post11([`content-length: ${size}`, 'connection: close']));
    let left = size;
    const feed = setInterval(() => {
      socket.write('a'.repeat(Math.min(left, 10_000)));
      left -= 10_000;
      if (left <= 0) clearInterval(feed);
    }, 10);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(service.whole()[0]?.length).toBe('POST /v1/messages '.length + size);
  });
});

test.each([['a tunnel', 'CONNECT elsewhere:443 HTTP/1.1'], ['an upgrade', 'GET /v1/models HTTP/1.1\r\nconnection: upgrade\r\nupgrade: h2c'], ['no HTTP', 'hello']])('%s behind a request is no answer to it', async (_, line) => {
  await using service = await recordingServer();
  await using gateway = await forwardingGateway(service.url);
  const answer = await talk(gateway.port, `${requestOf('GET /v1/models/first HTTP/1.1')}${requestOf(line)}`);
  expect(answer).toMatch(/^(?:$|HTTP\/1\.1 200 )/);
  expect((await gateway.exchanges(2)).map(({ sessionId, outcome }) => [sessionId, outcome])).toEqual(expect.arrayContaining([[null, 'refused']]));
  await servesTheNext(gateway);
});

test('what is wrong is told in the words of the vendor', async () => {
  await using service = await recordingServer();
  await using gateway = await forwardingGateway(service.url);
  const answer = await talk(gateway.port, requestOf('POST /v1/messages HTTP/1.1', ['expect: a-pony']));
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^connection: close$/mi);
  expect(await failureOf(new Response(body))).toBe('The gateway meets no expectation but "100-continue".');
});
