import type { ForwardMode, ReplayMode } from './session-mode.js';
import { answerByForwarding } from './answer-forwarded.js';
import { createAnswerReader } from './meter/answer-reader.js';
import { noteFacts } from './note-facts.js';
import { readBody } from './request-body.js';
import { isPaidFor, refuse, type AdmittedRequest } from './serve.js';
import type { HeldAnswer, HostAnswer } from './tape.js';

/** Answers a request from the cassette that the host holds; what is not there is passed on where that is wanted. */
export async function answerFromCassette(admitted: AdmittedRequest, mode: ReplayMode): Promise<void> {
  const { request, exchange, session, route: { protocol, wire } } = admitted;
  let held: Buffer = Buffer.alloc(0);
  const said = await readBody<HostAnswer>(request, session.budget, (body) => {
    held = body;
    return admitted.askHost(session.id, { protocol, request: { ordinal: exchange.notes.ordinal ?? 0, protocol, method: request.method ?? '', target: request.url ?? '', body } }, exchange.signal);
  });
  switch (said.kind) {
    case 'refused':
      return refuse(admitted, wire, 'refused', said);
    case 'refusal':
      return refuse(admitted, wire, said.reason, { status: 400, message: said.message });
    case 'answer':
      return play(admitted, said.answer);
    case 'go':
      return answerByForwarding(admitted, mode.forward as ForwardMode, held);
  }
}

async function play({ outlet, exchange, route: { kind, protocol } }: AdmittedRequest, { status, headers, body, ending }: HeldAnswer): Promise<void> {
  exchange.notes.outcome = 'replayed';
  const reader = createAnswerReader(protocol, { contentType: headers['content-type'] });
  reader.write(body);
  if (isPaidFor(kind)) noteFacts(exchange, reader.end());
  await outlet.head(status, { ...headers, ...(ending === 'whole' && { 'content-length': body.length }) });
  if (body.length > 0) await outlet.write(body);
  exchange.notes.sentBytes = body.length;
  exchange.tellUsage();
  await (ending === 'whole' ? outlet.end() : outlet.cut());
}
