import type { Exchange } from '../../src/gateway/exchange.js';
import { scriptOf } from '../../src/gateway/script.js';
import { openGatewayServer, type GatewayServer, type ServerLimits } from '../../src/gateway/server.js';
import { createSessions, type Sessions } from '../../src/gateway/sessions.js';

export const TOKEN = 'token-of-session-one';

/** A gateway on loopback with the exchanges that it recorded. */
export interface ServingGateway extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly sessions: Sessions;
  readonly server: GatewayServer;
  readonly faults: readonly unknown[];
  open(script: object, session?: { readonly id: string; readonly token: string }): void;
  /** Waits until so many exchanges are recorded, and gives them all. */
  exchanges(count: number): Promise<readonly Exchange[]>;
}

/** @param limits How long it waits for clients. Default: as it does. */
export async function serveGateway(limits: Partial<ServerLimits> = {}): Promise<ServingGateway> {
  const recorded: Exchange[] = [];
  const faults: unknown[] = [];
  const waiting = new Set<() => void>();
  const sessions = createSessions();
  const onExchange = (exchange: Exchange): void => {
    recorded.push(exchange);
    for (const look of waiting) look();
  };
  const server = await openGatewayServer({ sessions, limits, onExchange, onFault: (fault) => faults.push(fault) });
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    sessions,
    server,
    faults,
    open(script, { id, token } = { id: 'one', token: TOKEN }) {
      sessions.open({ id, token, mode: { kind: 'scripted', script: scriptOf({ format: 'niceeval.script/v1', ...script }, 'test.json'), scriptName: 'test.json' } });
    },
    exchanges: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (recorded.length < count) return;
          waiting.delete(look);
          resolve([...recorded]);
        };
        waiting.add(look);
        look();
      }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

export function messagesBody(fields: object = {}): object {
  return { model: 'claude-test', max_tokens: 1000, messages: [{ role: 'user', content: 'Fix the bug' }], ...fields };
}

export function responsesBody(fields: object = {}): object {
  return { model: 'gpt-test', input: [{ role: 'user', content: [{ type: 'input_text', text: 'Fix the bug' }] }], ...fields };
}

export function chatBody(fields: object = {}): object {
  return { model: 'gpt-test', messages: [{ role: 'user', content: 'Fix the bug' }], ...fields };
}

export function geminiBody(fields: object = {}): object {
  return { contents: [{ role: 'user', parts: [{ text: 'Fix the bug' }] }], ...fields };
}

export function post(url: string, body: object | string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    ...init,
    headers: { 'content-type': 'application/json', 'x-api-key': TOKEN, ...init.headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** What a failed answer says, in the shape of either vendor. */
export async function failureOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { readonly error: { readonly message: string } };
  return error.message;
}

/** The text of an answer of the Messages API. */
export async function textOf(response: Response): Promise<string | undefined> {
  const { content } = (await response.json()) as { readonly content: readonly { readonly text: string }[] };
  return content[0]?.text;
}

/** The events of a streamed answer, as they arrive. The name of each must be the type in its data. */
export async function* eventsOf(response: Response): AsyncGenerator<{ readonly type: string; readonly [key: string]: unknown }> {
  let rest = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop()!;
    for (const frame of frames) {
      const [name, data] = frame.split('\n');
      const event = JSON.parse(data!.replace(/^data: /, ''));
      if (name !== `event: ${event.type}`) throw new Error(`"${name}" names an event of type "${event.type}"`);
      yield event;
    }
  }
  if (rest !== '') throw new Error(`the stream ended inside a frame: ${rest}`);
}
