import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Usage } from '../evidence/usage.js';
import { deliver, type Pace } from './deliver.js';
import type { ExchangeOutcome } from './exchange.js';
import { pathOf, type OpenExchange } from './open-exchange.js';
import type { Play } from './playback.js';
import { readJsonBody } from './request-body.js';
import { routeOf } from './routes.js';
import type { Session, Sessions } from './sessions.js';
import { modelInfoOf, modelListOf, tokenCountOf } from './side-answers.js';
import { DEFAULT_USAGE, type Reply, type WireIds, type WholeReply } from './wire.js';

/** One request on its way through the gateway. */
export interface ServedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly exchange: OpenExchange;
  readonly requestId: string;
  readonly sessions: Sessions;
}

/** What is sent, and what the record says of it. */
interface Answer {
  readonly outcome: ExchangeOutcome;
  readonly reply: Reply;
  readonly pace?: Pace;
  readonly usage?: Usage;
}

/**
 * Answers one request and notes what became of it.
 *
 * @throws when the client goes away, and on a fault of the gateway.
 */
export async function serve(served: ServedRequest): Promise<void> {
  const { response, exchange } = served;
  const { outcome, reply, pace, usage } = await answerTo(served);
  exchange.notes.outcome = outcome;
  const delivered = await deliver(response, reply, {
    ...(pace !== undefined && { pace }),
    signal: exchange.signal,
    onFirstByte: () => exchange.markFirstByte(),
  });
  if (delivered === 'whole' && usage !== undefined) exchange.notes.usage = usage;
}

async function answerTo(served: ServedRequest): Promise<Answer> {
  const { request, exchange, requestId, sessions } = served;
  const path = pathOf(request);
  const { kind, protocol, wire } = routeOf(request.method ?? '', path, request.headers);
  const session = sessions.find(request);
  if (session !== undefined) {
    exchange.notes.session = session;
    session.track(exchange);
  }
  const fail = (outcome: ExchangeOutcome, status: number, message: string): Answer =>
    ({ outcome, reply: wire.failure({ status, message }, requestId, { final: true }) });

  if (kind === 'foreign') return fail('refused', 400, NO_PROXY);
  if (kind === 'probe') return side({});
  if (kind === 'unknown' || kind === 'side-model') return fail('not-found', 404, `Nothing is served at ${request.method} ${path.slice(0, 200)}.`);
  exchange.notes.protocol = protocol;
  if (session === undefined) return fail('unauthorized', 401, 'The API key is not the token of an open session.');
  if (kind === 'analytics') return side({});
  if (kind === 'model-list') return side(modelListOf(protocol));
  if (kind === 'model-info') return side(modelInfoOf(protocol, path));

  const body = await readJsonBody(request, session.budget);
  if (body.kind === 'refused') return fail('refused', body.status, body.message);
  if (kind === 'count-tokens') return side(tokenCountOf(protocol, Math.ceil(body.sizeBytes / 4)));
  const asked = wire.readRequest(body.json, request.url);
  if (typeof asked === 'string') return fail('refused', 400, asked);
  exchange.notes.model = asked.model;
  const play = session.playback.take(asked);
  if (play.kind === 'exhausted') {
    if (play.lane !== undefined) exchange.notes.lane = play.lane;
    return fail('script-exhausted', 400, play.message);
  }
  if (play.kind === 'turn') Object.assign(exchange.notes, { lane: play.lane, turn: play.turn });
  if (play.answer.error !== undefined) return { outcome: 'played', reply: wire.failure(play.answer.error, requestId), pace: play.answer };
  const reply = wire.answer(asked, play.answer, idsFor(play.key, requestId));
  if (typeof reply === 'string') return fail('script-unplayable', 400, unplayableMessage(session, play, reply));
  return {
    outcome: play.kind === 'side' ? 'side' : 'played',
    reply,
    pace: play.answer,
    usage: play.answer.usage ?? DEFAULT_USAGE,
  };
}

const NO_PROXY = 'The gateway is no proxy. Ask for a path on it, such as /v1/messages or /v1/responses.';

function side(json: WholeReply['json']): Answer {
  return { outcome: 'side', reply: { status: 200, headers: {}, json } };
}

function idsFor(key: string, requestId: string): WireIds {
  let made = 0;
  return {
    next: (prefix) => `${prefix}_${key}_${(made += 1)}`,
    requestId,
    createdAt: Math.floor(Date.now() / 1000),
  };
}

function unplayableMessage({ playback }: Session, play: Exclude<Play, { kind: 'exhausted' }>, reason: string): string {
  const place = play.kind === 'turn' ? `, lane "${play.lane}", turn ${play.turn}` : '';
  return `Script "${playback.scriptName}"${place}: ${reason}`;
}
