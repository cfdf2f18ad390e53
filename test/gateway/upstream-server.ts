import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a model service got it. */
export interface HeardRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A model service on loopback that says what a test wants. */
export interface UpstreamServer extends AsyncDisposable {
  readonly url: string;
  readonly heard: readonly HeardRequest[];
  readonly connections: () => number;
}

/** @param answer Called when the whole request was read. */
export async function serveUpstream(answer: (response: ServerResponse, request: HeardRequest) => void | Promise<void>): Promise<UpstreamServer> {
  const heard: HeardRequest[] = [];
  let connections = 0;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    void (async () => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      } catch {
        return; // The client left.
      }
      const whole = { method: request.method!, url: request.url!, headers: request.headers, body: Buffer.concat(chunks) };
      heard.push(whole);
      await answer(response, whole);
    })();
  });
  server.on('connection', () => { connections += 1; });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The example stream of the vendor's documentation ("Streaming messages", basic request), with its pauses where it was cut here. */
export const ANTHROPIC_STREAM = [
  'event: message_start\ndata: {"type": "message_start", "message": {"id": "msg_1nZdL29xx5MUA1yADyHTEsnR8uuvGzszyS", "type": "message", "role": "assistant", "content": [], "model": "claude-opus-4-6", "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 25, "output_tokens": 1}}}\n\n',
  'event: content_block_start\ndata: {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}\n\nevent: ping\ndata: {"type": "ping"}\n\n',
  'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}}\n\n',
  'event: content_block_delta\ndata: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "!"}}\n\nevent: content_block_stop\ndata: {"type": "content_block_stop", "index": 0}\n\n',
  'event: message_delta\ndata: {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence":null}, "usage": {"output_tokens": 15}}\n\n',
  'event: message_stop\ndata: {"type": "message_stop"}\n\n',
] as const;
