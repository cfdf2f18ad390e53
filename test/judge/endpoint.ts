import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createJudge, type Judge, type JudgeWorld } from '../../src/judge/judge.js';
import type { JudgeConfig, JudgeProtocol } from '../../src/judge/config.js';
import type { JudgeQuestion } from '../../src/judge/question.js';

/** A question that plays no part in the test, and what it is about. */
export const question: JudgeQuestion = { recipe: 'closedQA', question: 'Is it polite?' };
export const material = { input: 'in', output: 'out' };

/** The form of a verdict, as both protocols are told it. */
export const verdictSchema = {
  type: 'object',
  properties: {
    rationale: { type: 'string', description: 'The reasons for the choice.' },
    choice: { type: 'string', enum: ['Y', 'N'], description: 'The name of the choice.' },
  },
  required: ['rationale', 'choice'],
  additionalProperties: false,
};

export const KEY = 'sk-test-"key"/0123456789';

/** What the endpoint does with one request. */
export type Step =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly json: unknown }
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly text: string }
  /** Breaks the connection without an answer. */
  | 'reset'
  /** Never answers. */
  | 'hang'
  /** Answers the head and a piece of the body, then nothing more. */
  | 'stall'
  /** Sends without end. */
  | 'flood'
  | ((request: SeenRequest) => Step | Promise<Step>);

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // The tests say which members they expect.
  readonly body: Record<string, any>;
}

export interface Endpoint extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Waits until so many requests came. */
  seen(count: number): Promise<void>;
  judge(config?: Partial<JudgeConfig>, world?: Partial<JudgeWorld>): Judge;
}

/** An endpoint on loopback that plays its steps in order; the last one is played again and again. */
export async function serveEndpoint(protocol: JudgeProtocol, ...steps: readonly Step[]): Promise<Endpoint> {
  const requests: SeenRequest[] = [];
  const waiting = new Set<() => void>();
  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const request: SeenRequest = { method: message.method ?? '', path: message.url ?? '', headers: message.headers, text, body: JSON.parse(text) as Record<string, unknown> };
    requests.push(request);
    for (const look of waiting) look();
    const step = steps[Math.min(requests.length, steps.length) - 1];
    if (step === undefined) throw new Error('The endpoint has no step.');
    await play(typeof step === 'function' ? await step(request) : step, request, response);
  };
  const server = createServer((message, response) => {
    answer(message, response).catch((thrown: unknown) => response.writeHead(404).end(String(thrown)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    seen: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (requests.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    judge: (config, world) => createJudge(
      { model: 'judge-model', protocol, baseUrl: url, timeoutMs: 20_000, ...config },
      { env: (name) => (name === 'NICEEVAL_JUDGE_KEY' ? KEY : undefined), backoffMs: 0, ...world },
    ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function play(step: Step, request: SeenRequest, response: ServerResponse): Promise<void> {
  if (typeof step === 'function') return play(await step(request), request, response);
  if (step === 'hang') return;
  if (step === 'reset') {
    response.destroy();
    return;
  }
  if (step === 'stall') {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    return;
  }
  if (step === 'flood') {
    const piece = ' '.repeat(64 * 1024);
    const pour = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.writeHead(200, { 'content-type': 'application/json' }).on('drain', pour);
    pour();
    return;
  }
  response.writeHead(step.status ?? 200, { 'content-type': 'application/json', ...step.headers });
  response.end('text' in step ? step.text : JSON.stringify(step.json));
}

export const openaiUsage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120, prompt_tokens_details: { cached_tokens: 30 }, completion_tokens_details: { reasoning_tokens: 5 } };
export const anthropicUsage = { input_tokens: 70, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 4 };

/** A Chat Completions answer with this message. */
export function completion(message: object, fields: { readonly finish?: string; readonly usage?: object | null; readonly model?: string } = {}): Step {
  return {
    json: {
      id: 'chatcmpl-1', object: 'chat.completion', created: 1_700_000_000, model: fields.model ?? 'judge-model',
      choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, logprobs: null, finish_reason: fields.finish ?? 'stop' }],
      ...(fields.usage !== null && { usage: fields.usage ?? openaiUsage }),
    },
  };
}

/** A Messages answer with this content. */
export function message(content: readonly object[], fields: { readonly stop?: string; readonly usage?: object | null; readonly model?: string } = {}): Step {
  return {
    json: {
      id: 'msg_1', type: 'message', role: 'assistant', model: fields.model ?? 'judge-model', content,
      stop_reason: fields.stop ?? 'tool_use', stop_sequence: null, ...(fields.usage !== null && { usage: fields.usage ?? anthropicUsage }),
    },
  };
}

export function toolUse(input: unknown, name = 'give_verdict'): object {
  return { type: 'tool_use', id: 'toolu_1', name, input };
}

export function toolCall(args: string, name = 'give_verdict'): object {
  return { id: 'call_1', type: 'function', function: { name, arguments: args } };
}

/** The answer that a well-behaved model gives in this protocol. */
export function verdict(protocol: JudgeProtocol, choice: string, rationale = 'Because.'): Step {
  return protocol === 'openai' ? completion({ content: JSON.stringify({ rationale, choice }) }) : message([toolUse({ rationale, choice })]);
}

/** The messages of a request, in either protocol. */
export function messagesOf({ body }: SeenRequest): { readonly system: string; readonly users: readonly string[]; readonly roles: readonly string[] } {
  const listed = body.messages as readonly { readonly role: string; readonly content: string }[];
  const system = (body.system as string | undefined) ?? listed.find(({ role }) => role === 'system')?.content ?? '';
  return { system, users: listed.filter(({ role }) => role === 'user').map(({ content }) => content), roles: listed.map(({ role }) => role) };
}
