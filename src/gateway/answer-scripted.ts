import { deliver } from './deliver.js';
import { pathOf } from './open-exchange.js';
import type { Play, Playback } from './playback.js';
import { readJsonBody } from './request-body.js';
import { refuse, side, tell, type AdmittedRequest } from './serve.js';
import { modelInfoOf, modelListOf, tokenCountOf } from './side-answers.js';
import { DEFAULT_USAGE, type WireIds } from './wire.js';

/** Answers a request by the next turn of the lane that it belongs to. */
export async function answerFromScript(admitted: AdmittedRequest, playback: Playback): Promise<void> {
  const { request, outlet, exchange, requestId, session, spoilt, route: { kind, protocol, wire } } = admitted;
  const path = pathOf(request);
  if (kind === 'model-list') return tell(admitted, 'side', side(modelListOf(protocol)));
  if (kind === 'model-info') return tell(admitted, 'side', side(modelInfoOf(protocol, path)));
  if (kind === 'side-model') return refuse(admitted, wire, 'not-found', { status: 404, message: `Nothing is served at ${request.method} ${path.slice(0, 200)}.` });
  const body = await readJsonBody(request, session.budget);
  if (body.kind === 'refused') return refuse(admitted, wire, 'refused', body);
  if (kind === 'count-tokens') return tell(admitted, 'side', side(tokenCountOf(protocol, Math.ceil(body.sizeBytes / 4))));
  const read = wire.readRequest(body.json, request.url);
  if (typeof read === 'string') return refuse(admitted, wire, 'refused', { status: 400, message: read });
  const agent = exchange.notes.client?.agent;
  const asked = { ...read, ...(agent === undefined ? {} : { agent }) };
  exchange.notes.model = asked.model;
  const play = playback.take(asked);
  if (play.kind === 'exhausted') {
    if (play.lane !== undefined) exchange.notes.lane = play.lane;
    return refuse(admitted, wire, 'script-exhausted', { status: 400, message: play.message });
  }
  if (play.kind === 'misfit') {
    Object.assign(exchange.notes, { lane: play.lane, turn: play.turn });
    return refuse(admitted, wire, 'script-unplayable', { status: 400, message: play.message });
  }
  if (play.kind === 'turn') Object.assign(exchange.notes, { lane: play.lane, turn: play.turn });
  spoilt?.addEventListener('abort', () => playback.markSpoilt(play), { once: true });
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

function idsFor(key: string, requestId: string): WireIds {
  let made = 0;
  return {
    next: (prefix) => `${prefix}_${key}_${(made += 1)}`,
    requestId,
    createdAt: Math.floor(Date.now() / 1000),
  };
}

function unplayableMessage({ scriptName }: Playback, play: Extract<Play, { kind: 'turn' | 'side' }>, reason: string): string {
  const place = play.kind === 'turn' ? `, lane "${play.lane}", turn ${play.turn}` : '';
  return `Script "${scriptName}"${place}: ${reason}`;
}
