import { deliver } from './deliver.js';
import type { Play, Playback } from './playback.js';
import type { ProtocolName } from './protocol.js';
import { readJsonBody } from './request-body.js';
import { refuse, side, tell, type AdmittedRequest } from './serve.js';
import { DEFAULT_USAGE, type WholeReply, type WireIds } from './wire.js';

/** Answers a request by the next turn of the lane that it belongs to. */
export async function answerFromScript(admitted: AdmittedRequest, playback: Playback): Promise<void> {
  const { request, outlet, exchange, requestId, session, route: { kind, wire } } = admitted;
  if (kind === 'model-list') return tell(admitted, 'side', side(MODEL_LISTS[wire.protocol]));
  const body = await readJsonBody(request, session.budget);
  if (body.kind === 'refused') return refuse(admitted, wire, 'refused', body);
  if (kind === 'count-tokens') return tell(admitted, 'side', side({ input_tokens: Math.ceil(body.sizeBytes / 4) }));
  const asked = wire.readRequest(body.json);
  if (typeof asked === 'string') return refuse(admitted, wire, 'refused', { status: 400, message: asked });
  exchange.notes.model = asked.model;
  const play = playback.take(asked);
  if (play.kind === 'exhausted') {
    if (play.lane !== undefined) exchange.notes.lane = play.lane;
    return refuse(admitted, wire, 'script-exhausted', { status: 400, message: play.message });
  }
  if (play.kind === 'turn') Object.assign(exchange.notes, { lane: play.lane, turn: play.turn });
  const pace = play.answer;
  const { signal } = exchange;
  if (play.answer.error !== undefined) {
    exchange.notes.outcome = 'played';
    await deliver(outlet, wire.failure(play.answer.error, requestId), { pace, signal });
    return;
  }
  const reply = wire.answer(asked, play.answer, idsFor(play.key, requestId));
  if (typeof reply === 'string') return refuse(admitted, wire, 'script-unplayable', { status: 400, message: unplayableMessage(playback, play, reply) });
  exchange.notes.outcome = play.kind === 'side' ? 'side' : 'played';
  if (await deliver(outlet, reply, { pace, signal }) === 'whole') exchange.notes.usage = play.answer.usage ?? DEFAULT_USAGE;
}

const MODEL_LISTS = {
  'anthropic-messages': { data: [], first_id: null, last_id: null, has_more: false },
  'openai-responses': { object: 'list', data: [] },
  'openai-chat': { object: 'list', data: [] },
  gemini: { models: [] },
} as const satisfies { readonly [protocol in ProtocolName]: WholeReply['json'] };

function idsFor(key: string, requestId: string): WireIds {
  let made = 0;
  return {
    next: (prefix) => `${prefix}_${key}_${(made += 1)}`,
    requestId,
    createdAt: Math.floor(Date.now() / 1000),
  };
}

function unplayableMessage({ scriptName }: Playback, play: Exclude<Play, { kind: 'exhausted' }>, reason: string): string {
  const place = play.kind === 'turn' ? `, lane "${play.lane}", turn ${play.turn}` : '';
  return `Script "${scriptName}"${place}: ${reason}`;
}
