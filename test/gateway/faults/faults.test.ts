import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { FaultRule } from '../../../src/gateway/faults/fault-plan.js';
import { scriptOf } from '../../../src/gateway/script.js';
import { chatBody, eventsOf, failureOf, geminiBody, messagesBody, post, responsesBody, serveGateway, textOf, TOKEN, type ServingGateway } from '../serving.js';
import { ANTHROPIC_STREAM, serveUpstream } from '../upstream-server.js';

const STREAM = messagesBody({ stream: true });
const WHOLE_STREAM = ANTHROPIC_STREAM.join('');

function openScripted(gateway: ServingGateway, turns: readonly object[], ...rules: readonly FaultRule[]): void {
  const script = scriptOf({ format: 'niceeval.script/v1', turns }, 'test.json');
  gateway.sessions.open({ id: 'one', token: TOKEN, mode: { kind: 'scripted', script, scriptName: 'test.json' }, faults: { rules } });
}

function openForward(gateway: ServingGateway, url: string, ...rules: readonly FaultRule[]): void {
  gateway.sessions.open({ id: 'one', token: TOKEN, mode: { kind: 'forward', upstreams: { anthropic: { baseUrl: url, headers: { 'x-api-key': 'k' } } } }, faults: { rules } });
}

/** Bytes of an answer, as far as it came, and whether it came to its end. */
async function received(url: string, body: object): Promise<{ readonly status?: number | undefined; readonly text: string; readonly isWhole: boolean }> {
  const request = httpRequest(url, { method: 'POST', headers: { 'x-api-key': TOKEN, 'content-type': 'application/json' }, agent: false });
  request.end(JSON.stringify(body));
  let status: number | undefined;
  const chunks: Buffer[] = [];
  try {
    const [response] = await once(request, 'response') as [IncomingMessage];
    status = response.statusCode;
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return { status, text: Buffer.concat(chunks).toString(), isWhole: response.complete };
  } catch {
    return { status, text: Buffer.concat(chunks).toString(), isWhole: false };
  }
}

const eventCount = (text: string): number => text.split('\n\n').length - 1;

describe('a failure', () => {
  test.each<[string, string, object, object]>([
    // https://docs.anthropic.com/en/api/errors
    ['Messages', '/v1/messages', messagesBody(), { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } }],
    ['Responses', '/v1/responses', responsesBody(), { error: { message: 'Slow down.', type: 'rate_limit_error' } }],
    ['Chat', '/v1/chat/completions', chatBody(), { error: { message: 'Slow down.', type: 'rate_limit_error' } }],
    ['Gemini', '/v1beta/models/gemini-x:generateContent', geminiBody(), { error: { code: 429, message: 'Slow down.' } }],
  ])('is told in the shape of the %s API, once', async (_name, path, body, told) => {
    await using gateway = await serveGateway();
    openScripted(gateway, [{ text: 'Hello.' }], { status: 429, retryAfterSeconds: 2, type: 'rate_limit_error', message: 'Slow down.', times: 1 });
    const failed = await post(`${gateway.url}${path}`, body);
    expect([failed.status, failed.headers.get('retry-after'), failed.headers.get('x-should-retry')]).toEqual([429, '2', null]);
    expect(await failed.json()).toMatchObject(told);
    // No turn of the script was lost.
    const answered = await post(`${gateway.url}${path}`, body);
    expect([answered.status, await answered.text()]).toEqual([200, expect.stringContaining('Hello.')]);
    const [first, second] = await gateway.exchanges(2);
    expect(first).toMatchObject({ outcome: 'faulted', status: 429, fault: { rule: 1, kind: 'status' } });
    expect(second).toMatchObject({ outcome: 'played', turn: 1 });
    expect(second?.fault).toBeUndefined();
  });

  test('keeps the service from being asked, and spares what is no request to a model', async () => {
    await using upstream = await serveUpstream((response) => void response.end('{}'));
    await using gateway = await serveGateway();
    openForward(gateway, upstream.url, { status: 529, requests: [1] });
    expect((await post(`${gateway.url}/v1/messages/count_tokens`, messagesBody())).status).toBe(200);
    expect((await fetch(`${gateway.url}/v1/models`, { headers: { 'x-api-key': TOKEN, 'anthropic-version': '2023-06-01' } })).status).toBe(200);
    const failed = await post(`${gateway.url}/v1/messages`, messagesBody());
    expect([failed.status, (await failed.json() as { error: { type: string } }).error.type]).toEqual([529, 'overloaded_error']);
    expect(upstream.heard.map(({ url }) => url)).toEqual(['/v1/messages/count_tokens', '/v1/models']);
  });
});

describe('a cut', () => {
  test('before anything is said breaks the connection', async () => {
    await using gateway = await serveGateway();
    openScripted(gateway, [{ text: 'Hello.' }], { cut: 'before-head', requests: [1] });
    expect(await received(`${gateway.url}/v1/messages`, messagesBody())).toEqual({ status: undefined, text: '', isWhole: false });
    expect(await textOf(await post(`${gateway.url}/v1/messages`, messagesBody()))).toBe('Hello.');
    expect((await gateway.exchanges(2))[0]).toMatchObject({ outcome: 'faulted', status: 0, fault: { rule: 1, kind: 'cut' } });
    expect(gateway.faults).toEqual([]);
  });

  test.each<[object, object, number]>([[{ afterBytes: 0 }, STREAM, 0], [{ afterEvents: 0 }, STREAM, 0], [{ afterBytes: 7 }, STREAM, 7], [{ afterBytes: 0 }, messagesBody(), 0], [{ afterEvents: 3 }, messagesBody(), 0]])('at %j ends the body %#', async (cut, body, length) => {
    await using gateway = await serveGateway();
    openScripted(gateway, [{ text: 'Hello.' }], { cut } as FaultRule);
    const { status, text, isWhole } = await received(`${gateway.url}/v1/messages`, body);
    expect([status, text.length, isWhole]).toEqual([200, length, false]);
    const [exchange] = await gateway.exchanges(1);
    expect(exchange).toMatchObject({ outcome: 'faulted', status: 200, fault: { rule: 1, kind: 'cut' } });
    expect(exchange?.usage).toBeUndefined();
  });

  test('after some events of a script lets the same turn be played again, with other ids', async () => {
    await using gateway = await serveGateway();
    openScripted(gateway, [{ text: 'First.' }, { text: 'Second.' }], { cut: { afterEvents: 3 }, times: 2 });
    const cut = [await received(`${gateway.url}/v1/messages`, STREAM), await received(`${gateway.url}/v1/messages`, STREAM)];
    expect(cut.map(({ text, isWhole }) => [eventCount(text), isWhole])).toEqual([[3, false], [3, false]]);
    const texts = [await textOf(await post(`${gateway.url}/v1/messages`, messagesBody())), await textOf(await post(`${gateway.url}/v1/messages`, messagesBody()))];
    expect(texts).toEqual(['First.', 'Second.']);
    const ids = cut.map(({ text }) => /"id":"([^"]+)"/.exec(text)?.[1]);
    expect(new Set(ids).size).toBe(2);
    expect((await gateway.sessions.close('one')).lanes).toEqual([{ lane: 'main', played: 2, total: 2 }]);
  });

  test('behind the end of an answer does not happen, and is not told', async () => {
    await using gateway = await serveGateway();
    openScripted(gateway, [{ text: 'Hello.' }], { cut: { afterEvents: 500 } });
    expect((await received(`${gateway.url}/v1/messages`, STREAM)).isWhole).toBe(true);
    const [exchange] = await gateway.exchanges(1);
    expect([exchange?.outcome, exchange?.fault]).toEqual(['played', undefined]);
  });

  test.each([1, 7, 100_000])('is at its event however the service cuts its bytes: %i at a time', async (size) => {
    const bytes = Buffer.from(WHOLE_STREAM.replaceAll('\n', '\r\n'));
    await using upstream = await serveUpstream(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let start = 0; start < bytes.length && !response.destroyed; start += size) {
        // Each piece goes out by itself.
        await new Promise<void>((resolve) => response.write(bytes.subarray(start, start + size), () => resolve()));
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    await using gateway = await serveGateway();
    openForward(gateway, upstream.url, { cut: { afterEvents: 2 } });
    const { text, isWhole } = await received(`${gateway.url}/v1/messages`, STREAM);
    expect(isWhole).toBe(false);
    expect(text).toBe(`${WHOLE_STREAM.split('\n\n').slice(0, 2).join('\n\n')}\n\n`.replaceAll('\n', '\r\n'));
    expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'faulted', fault: { rule: 1, kind: 'cut' } });
    expect(gateway.faults).toEqual([]);
  });
});

describe('a stall', () => {
  test('before the head lasts until the client leaves', async () => {
    await using gateway = await serveGateway();
    openScripted(gateway, [{ text: 'Hello.' }], { stall: true });
    const request = httpRequest(`${gateway.url}/v1/messages`, { method: 'POST', headers: { 'x-api-key': TOKEN }, agent: false }).on('error', () => {});
    request.end(JSON.stringify(STREAM));
    const [socket] = await once(request, 'socket') as [Socket];
    if (socket.connecting) await once(socket, 'connect');
    await new Promise<unknown>((resolve) => socket.write('', resolve));
    request.destroy();
    expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'faulted', status: 0, fault: { rule: 1, kind: 'stall' } });
  });

  test.each<[FaultRule, readonly string[]]>([[{ stall: { afterBytes: 0 } }, []], [{ stall: { afterEvents: 1 } }, ['message_start']]])('at %j lasts until the client leaves, who has %j by then', async (rule, types) => {
    await using gateway = await serveGateway();
    openScripted(gateway, [{ text: 'Hello.' }], rule);
    const leave = new AbortController();
    const response = await post(`${gateway.url}/v1/messages`, STREAM, { signal: leave.signal });
    const events = eventsOf(response);
    for (const type of types) expect((await events.next()).value?.type).toBe(type);
    leave.abort();
    await expect(events.next()).rejects.toThrow();
    expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'faulted', status: 200, fault: { rule: 1, kind: 'stall' } });
  });

  test('ends with its session', async () => {
    await using gateway = await serveGateway();
    openScripted(gateway, [{ text: 'Hello.' }], { stall: { afterEvents: 1 } });
    const response = await post(`${gateway.url}/v1/messages`, STREAM);
    const summary = await gateway.sessions.close('one');
    await expect(response.text()).rejects.toThrow();
    expect(summary).toMatchObject({ requests: 1, lanes: [{ played: 1, total: 1 }] });
    expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'faulted', fault: { kind: 'stall' } });
  });
});

test('a trickle brings every byte, in small pieces, and what it used', async () => {
  await using upstream = await serveUpstream((response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(WHOLE_STREAM));
  await using gateway = await serveGateway();
  openForward(gateway, upstream.url, { trickle: { bytes: 50, everyMs: 1 } });
  const response = await post(`${gateway.url}/v1/messages`, STREAM);
  const sizes: number[] = [];
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) sizes.push(piece.length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(Buffer.byteLength(WHOLE_STREAM));
  expect(sizes.length).toBeGreaterThan(1);
  expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'faulted', fault: { rule: 1, kind: 'trickle' }, usage: { inputTokens: 25, outputTokens: 15 } });
});

describe('a malformed event', () => {
  test('is no JSON, where it stands, and the others are as they were', async () => {
    await using upstream = await serveUpstream((response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(WHOLE_STREAM));
    await using gateway = await serveGateway();
    openForward(gateway, upstream.url, { malformed: { atEvent: 2 } });
    const text = await (await post(`${gateway.url}/v1/messages`, STREAM)).text();
    const dataOf = (stream: string): readonly string[] => stream.split('\n').filter((line) => line.startsWith('data: ')).map((line) => line.slice(6));
    const isJson = dataOf(text).map((data) => { try { JSON.parse(data); return true; } catch { return false; } });
    expect(isJson).toEqual(dataOf(WHOLE_STREAM).map((_data, index) => index !== 1));
    expect(dataOf(text).filter((_data, index) => index !== 1)).toEqual(dataOf(WHOLE_STREAM).filter((_data, index) => index !== 1));
    expect((await gateway.exchanges(1))[0]).toMatchObject({ outcome: 'faulted', fault: { rule: 1, kind: 'malformed' } });
  });

  test('of an answer in one piece is the answer', async () => {
    await using gateway = await serveGateway();
    openScripted(gateway, [{ text: 'Hello.' }], { malformed: { atEvent: 1 }, times: 1 }, { malformed: { atEvent: 2 } });
    await expect((await post(`${gateway.url}/v1/messages`, messagesBody())).json()).rejects.toThrow(SyntaxError);
    // The client asks the same once more.
    expect(await textOf(await post(`${gateway.url}/v1/messages`, messagesBody()))).toBe('Hello.');
    expect((await gateway.exchanges(2)).map(({ outcome, fault }) => [outcome, fault?.rule])).toEqual([['faulted', 1], ['played', undefined]]);
  });
});

test('no rule applies to what the script refuses', async () => {
  await using gateway = await serveGateway();
  openScripted(gateway, [{ text: 'Hello.' }], { malformed: { atEvent: 9 } });
  await post(`${gateway.url}/v1/messages`, messagesBody());
  expect(await failureOf(await post(`${gateway.url}/v1/messages`, messagesBody()))).toContain('has no turn left');
  expect((await gateway.exchanges(2))[1]).toMatchObject({ outcome: 'script-exhausted' });
});
