// The model service of bench/gateway.mjs, and the bare pipe that the gateway is compared with. A process of its own.
//
//   ?events=40&every=5   a streamed answer: the first event at once, one more every 5 ms
//   ?blast=sse&size=N    N bytes of events as quickly as they are taken
//   ?blast=json&size=N   N bytes of one JSON body
//   otherwise            reads the body and says how long it was
import { createServer, request as httpRequest, Agent } from 'node:http';

const delta = (text) => `event: content_block_delta\ndata: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`;
const START = 'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-test","usage":{"input_tokens":25,"output_tokens":1}}}\n\nevent: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n';
const END = 'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\nevent: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":99}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n';
const WORDS = ['The ', 'function returns ', 'a promise, so ', 'the caller must ', 'await it before ', 'the next\nline runs. '];
const EVENTS = { anthropic: Array.from({ length: 600 }, (_item, index) => delta(WORDS[index % WORDS.length])).join('') };
EVENTS.openai = Array.from({ length: 300 }, (_item, index) => `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1700000000, model: 'gpt-test', service_tier: 'default', system_fingerprint: 'fp_1', choices: [{ index: 0, delta: { content: WORDS[index % WORDS.length] }, logprobs: null, finish_reason: null }], usage: null })}\n\n`).join('');
const TEXT = JSON.stringify({ type: 'text', text: 'It was the best of times, it was the "worst" of times.\n'.repeat(40) });

const servers = [createServer(answer), createServer(pipe)];
const agent = new Agent({ keepAlive: true });
const ports = await Promise.all(servers.map((server) => new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve(server.address().port)); })));
process.send({ service: `http://127.0.0.1:${ports[0]}`, pipe: `http://127.0.0.1:${ports[1]}` });
process.on('disconnect', () => process.exit(0));

async function answer(request, response) {
  const query = new URL(request.url, 'http://x').searchParams;
  let goOn = () => undefined;
  response.on('drain', () => goOn()).on('close', () => goOn());
  const say = async (piece) => { if (!response.write(piece)) await new Promise((resolve) => { goOn = resolve; }); };
  let size = 0;
  for await (const piece of request) size += piece.length;
  if (query.has('events')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await say(START);
    let left = Number(query.get('events'));
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) return response.write(delta('some words '));
      clearInterval(timer);
      response.end(END);
    }, Number(query.get('every')));
    response.once('close', () => clearInterval(timer));
  } else if (query.has('blast')) {
    const isEvents = query.get('blast') === 'sse';
    const block = Buffer.from(isEvents ? EVENTS[request.url.includes('/chat/') ? 'openai' : 'anthropic'] : `${TEXT},`.repeat(30));
    response.writeHead(200, { 'content-type': isEvents ? 'text/event-stream' : 'application/json' });
    await say(isEvents ? START : '{"content":[');
    for (let sent = 0; sent < Number(query.get('size')) && !response.destroyed; sent += block.length) await say(block);
    response.end(isEvents ? END : `${TEXT}]}`);
  } else {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ size }));
  }
}

/** What any gateway in Node costs at least. */
function pipe(request, response) {
  const asked = httpRequest(`http://127.0.0.1:${ports[0]}${request.url}`, { method: request.method, headers: request.headers, agent }, (answered) => {
    response.writeHead(answered.statusCode, answered.headers);
    response.flushHeaders();
    answered.pipe(response);
  });
  request.pipe(asked);
}
