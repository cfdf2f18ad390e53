import type { IncomingMessage } from 'node:http';
import { answerByForwarding } from './answer-forwarded.js';
import { answerFromCassette } from './answer-replayed.js';
import { answerFromScript } from './answer-scripted.js';
import { clientFactsOf, retryOf } from './client-facts.js';
import type { Connections } from './connections.js';
import { deliver } from './deliver.js';
import type { ExchangeOutcome } from './exchange.js';
import { answerFaulted } from './faults/answer-faulted.js';
import type { HeadProblem } from './head-problem.js';
import { pathOf, type OpenExchange } from './open-exchange.js';
import type { Outlet } from './outlet.js';
import { overBudget } from './over-budget.js';
import { routeOf, type Route, type RouteKind } from './routes.js';
import type { HostAnswer, HostQuestion, Tape } from './tape.js';
import type { Session, Sessions } from './sessions.js';
import type { Reply, WholeReply, Wire } from './wire.js';

/** A question to the host. @throws the signal's reason when nobody waits for the answer any more. */
export type AskHost = (sessionId: string, asked: HostQuestion, signal: AbortSignal) => Promise<HostAnswer>;

/** One request on its way through the gateway. */
export interface ServedRequest {
  readonly request: IncomingMessage;
  /** Where the answer goes. */
  readonly outlet: Outlet;
  readonly exchange: OpenExchange;
  readonly requestId: string;
  /** What is wrong with its head. */
  readonly problem?: HeadProblem;
  readonly sessions: Sessions;
  readonly connections: Connections;
  /** Asks the host about a request of a session; with the whole request where the host is to answer it. */
  readonly askHost: AskHost;
  /** Tells the host what a request was answered. */
  readonly onTape: (sessionId: string, tape: Tape) => void;
}

/** A request that was let in. */
export interface AdmittedRequest extends ServedRequest {
  readonly session: Session;
  readonly route: Route;
  /** Aborts when the answer is spoilt on purpose, so that its client may ask again, and before the client can know. Absent: that is not planned. */
  readonly spoilt?: AbortSignal;
}

/**
 * Answers one request and notes what became of it.
 *
 * @throws when the client goes away, and on a fault of the gateway.
 */
export async function serve(served: ServedRequest): Promise<void> {
  const { request, exchange, requestId, sessions } = served;
  const route = routeOf(request.method ?? '', pathOf(request), request.headers);
  const { kind, protocol, wire } = route;
  const address = request.socket.localAddress?.replace(/^::ffff:/, '');
  const found = sessions.find(request, address);
  const fail = (outcome: ExchangeOutcome, status: number, message: string): Promise<void> => refuse(served, wire, outcome, { status, message });
  if (found.kind !== 'unknown') {
    const { session, window } = found;
    const client = clientFactsOf(request.headers);
    const retry = retryOf(request.headers);
    Object.assign(exchange.notes, { session, ordinal: session.track(exchange), ...(window !== undefined && { window }), ...(client !== undefined && { client }), ...(retry !== undefined && { retry }) });
  }
  if (served.problem !== undefined) return fail('refused', served.problem.status, served.problem.message);
  if (kind === 'probe') return tell(served, 'side', side({}));
  if (kind === 'unknown' || kind === 'foreign') return fail('not-found', 404, `Nothing is served at ${request.method} ${pathOf(request).slice(0, 200)}.`);
  exchange.notes.protocol = protocol;
  if (found.kind === 'unknown') return fail('unauthorized', 401, 'The API key is not the token of an open session.');
  if (found.kind === 'refused') return fail('unauthorized', 401, found.message);
  if (kind === 'analytics') return tell(served, 'side', side({}));
  const { session } = found;
  if (isPaidFor(kind)) exchange.notes.asksModel = true;
  if (isPaidFor(kind) && session.asks) {
    const said = await heldUp(exchange, () => served.askHost(session.id, { protocol }, exchange.signal));
    if (said.kind === 'refusal') {
      exchange.notes.detail = said.message;
      return tell(served, 'over-budget', overBudget(wire, said.message, requestId));
    }
  }
  const admitted = { ...served, session, route };
  const fault = isPaidFor(kind) ? session.faults?.draw({ protocol, path: pathOf(request) }) : undefined;
  return fault === undefined ? answer(admitted) : answerFaulted(admitted, fault, answer);
}

function answer(admitted: AdmittedRequest): Promise<void> {
  const { answering } = admitted.session;
  switch (answering.kind) {
    case 'scripted': return answerFromScript(admitted, answering.playback);
    case 'forward': return answerByForwarding(admitted, answering);
    case 'replay': return answerFromCassette(admitted, answering);
  }
}

/** Whether a request spends tokens of a model. */
export function isPaidFor(kind: RouteKind): boolean {
  return kind === 'model' || kind === 'side-model';
}

/** Whoever leaves while the host decides has asked nobody for anything. */
async function heldUp<T>({ notes }: OpenExchange, asking: () => Promise<T>): Promise<T> {
  notes.outcome = 'given-up';
  const answer = await asking();
  delete notes.outcome;
  return answer;
}

/** An answer of the gateway's own. */
export async function tell({ outlet, exchange }: Pick<ServedRequest, 'outlet' | 'exchange'>, outcome: ExchangeOutcome, reply: Reply): Promise<void> {
  exchange.notes.outcome = outcome;
  await deliver(outlet, reply, { signal: exchange.signal });
}

/** A failure in the vendor's shape that says not to try again. */
export function refuse(served: Pick<ServedRequest, 'outlet' | 'exchange' | 'requestId'>, wire: Wire, outcome: ExchangeOutcome, { status, message }: { readonly status: number; readonly message: string }): Promise<void> {
  served.exchange.notes.detail = message;
  return tell(served, outcome, wire.failure({ status, message }, served.requestId, { final: true }));
}

/** What a request of the CLI's own is answered. */
export function side(json: WholeReply['json']): WholeReply {
  return { status: 200, headers: {}, json };
}
