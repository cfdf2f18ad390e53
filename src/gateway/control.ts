import type { Readable, Writable } from 'node:stream';
import { parseJson } from '../evidence/json.js';
import type { DeniedDestination } from './egress/denied.js';
import { messageOf } from '../lifetime/error.js';
import type { ProtocolName } from './protocol.js';
import type { HeldRequest, HostAnswer, HostQuestion, Tape } from './tape.js';
import { controlLine, inBase64, linesOf, outOfBase64, programLineSchema, type HostLine, type ProgramLine } from './control-lines.js';
import { GatewayGoneError, GatewayRefusedError } from './errors.js';
import type { Exchange } from './exchange.js';
import type { ToldUsage } from './open-exchange.js';
import type { SessionOptions, SessionSummary } from './sessions.js';
import type { Upstreams } from './upstream.js';

/** The host's end of a gateway program. */
export interface GatewayControl extends AsyncDisposable {
  /** Settles when the program listens. Rejects with GatewayRefusedError when it cannot, with GatewayGoneError when it is gone. */
  readonly ready: Promise<{ readonly port: number }>;
  /**
   * Opens a session. The token must have at least 16 characters.
   *
   * @param watch Told what happens in it. A session with `mayGo` asks before each request to a model.
   * @throws GatewayRefusedError when the id or token is taken or the script cannot be played.
   * @throws GatewayGoneError when the program is gone.
   */
  open(session: Omit<SessionOptions, 'asks' | 'tapes'>, watch?: SessionWatch): Promise<void>;
  /** Makes a token valid for one window of a session, or says that it is for another one from now on. @throws as `close`. */
  addToken(id: string, token: string, window: string): Promise<void>;
  /** Ends the life of a token. @throws as `close`. */
  expireToken(id: string, token: string): Promise<void>;
  /** Changes whom a session asks, and by which keys. @throws as `close`. */
  setUpstreams(id: string, upstreams: Upstreams): Promise<void>;
  /**
   * Closes a session, cuts its open requests and tells what it came to.
   * @throws GatewayRefusedError when it is not open.
   * @throws GatewayGoneError when the program is gone.
   */
  close(id: string): Promise<SessionSummary>;
  /**
   * Says what the network in which the gateway has this address may reach beyond it, from now on. Connections that are open
   * there are cut. The first call begins to answer names in that network.
   *
   * @param hosts Names, as in `NetworkAccess`. Empty: nothing.
   * @returns what was asked for and denied since the last call.
   * @throws GatewayRefusedError when the ports of the address cannot be had, GatewayGoneError when the program is gone.
   */
  allow(address: string, hosts: readonly string[]): Promise<readonly DeniedDestination[]>;
  /** Settles, with the reason, when the program is gone. Never rejects. */
  readonly closed: Promise<{ readonly reason: string }>;
  /** Tells the program to end and waits until it is gone. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Who is told of a session. */
export interface SessionWatch {
  /** Why a request to a model may not go. `undefined`: it may. Default: all may go. */
  readonly mayGo?: (protocol: ProtocolName) => string | undefined | Promise<string | undefined>;
  /** Answers a request of a session that replays. What it throws refuses the request. */
  readonly answer?: (request: HeldRequest) => Promise<HostAnswer>;
  /** What a request was answered by a service. */
  readonly onTape?: (tape: Tape) => void;
  /** What an answer used, before its client has the end of it; the record of the exchange says the same later. */
  readonly onUsage?: (told: ToldUsage) => void;
  readonly onExchange?: (exchange: Exchange) => void;
}

type LineOf<T extends ProgramLine['type']> = Extract<ProgramLine, { type: T }>;

/** A call that waits for a line of the program. */
interface Pending {
  readonly call: string;
  resolve(line: ProgramLine): void;
  reject(error: Error): void;
}

/**
 * Speaks with a gateway program over its stdio. Give it the raw stdout, before anything else reads from it.
 *
 * @param stdin The program's stdin. Ending it ends the program.
 * @param stdout The program's stdout.
 */
export function createGatewayControl(stdin: Writable, stdout: Readable): GatewayControl {
  const pending = new Map<string, Pending>();
  const last = new Map<string, Promise<void>>();
  const watches = new Map<string, SessionWatch>();
  let gone: { readonly reason: string } | undefined;
  let settleClosed = (_: { readonly reason: string }): void => {};
  const closed = new Promise<{ readonly reason: string }>((resolve) => (settleClosed = resolve));

  const leave = (reason: string): void => {
    if (gone !== undefined) return;
    gone = { reason };
    for (const { call, reject } of pending.values()) reject(new GatewayGoneError(call, reason));
    pending.clear();
    stdin.end();
    settleClosed(gone);
  };

  const answerTo = <T extends ProgramLine['type']>(key: string, call: string): Promise<LineOf<T>> =>
    new Promise((resolve, reject) => {
      if (gone !== undefined) reject(new GatewayGoneError(call, gone.reason));
      else if (pending.has(key)) reject(new GatewayRefusedError(call, TOO_EARLY));
      else pending.set(key, { call, resolve: resolve as Pending['resolve'], reject });
    });

  const ask = <T extends 'opened' | 'closed' | 'allowed' | 'done'>(line: Extract<HostLine, { id: string }>): Promise<LineOf<T>> => {
    const call = (): Promise<LineOf<T>> => {
      const answer = answerTo<T>(keyOf(line.id), CALLS[line.type](line.id));
      if (gone === undefined) stdin.write(controlLine(line));
      return answer;
    };
    // One call about a session after the other: keys may be renewed while a window begins.
    const before = last.get(line.id);
    const answer = before === undefined ? call() : before.then(call, call);
    const settled = answer.then(() => undefined, () => undefined);
    last.set(line.id, settled);
    void settled.then(() => { if (last.get(line.id) === settled) last.delete(line.id); });
    return answer;
  };

  const settle = (key: string, use: (waiting: Pending) => void): void => {
    const waiting = pending.get(key);
    pending.delete(key);
    if (waiting !== undefined) use(waiting);
  };

  const decide = async ({ id, ask, protocol, request }: LineOf<'ask'>): Promise<void> => {
    const answer = await decisionOf(watches.get(id) ?? {}, { protocol, ...(request !== undefined && { request: outOfBase64(request) }) });
    if (gone !== undefined) return;
    stdin.write(controlLine({ type: 'answer', ask, answer: answer.kind === 'answer' ? { kind: 'answer', answer: inBase64(answer.answer) } : answer }));
  };

  const hear = (line: ProgramLine): void => {
    switch (line.type) {
      case 'ready':
        return settle(READY, ({ resolve }) => resolve(line));
      case 'opened':
      case 'closed':
      case 'done':
      case 'allowed':
        return settle(keyOf(line.id), ({ resolve }) => resolve(line));
      case 'exchange':
        return watches.get(line.exchange.sessionId ?? '')?.onExchange?.(line.exchange);
      case 'usage': {
        const { type: _type, id, ...told } = line;
        return watches.get(id)?.onUsage?.({ sessionId: id, ...told });
      }
      case 'ask':
        return void decide(line);
      case 'tape':
        return watches.get(line.id)?.onTape?.({ request: outOfBase64(line.tape.request), answer: outOfBase64(line.tape.answer) });
      case 'refused':
        return settle(line.id === undefined ? READY : keyOf(line.id), ({ call, reject }) => {
          reject(new GatewayRefusedError(call, line.message));
        });
    }
  };

  const ready = answerTo<'ready'>(READY, 'start').then(({ port }) => ({ port }));
  // A host that only watches `closed` has heard of the failure there.
  ready.catch(() => {});
  stdin.on('error', (error) => leave(`its stdin broke (${error.message})`));
  void hearAll(stdout, hear).then(leave);

  return {
    ready,
    closed,
    async open(session, watch = {}) {
      watches.set(session.id, watch);
      try {
        await ask<'opened'>({ type: 'open', ...session, ...(watch.mayGo !== undefined && { asks: true }), ...(watch.onTape !== undefined && { tapes: true }) });
      } catch (error) {
        watches.delete(session.id);
        throw error;
      }
    },
    async addToken(id, token, window) {
      await ask<'done'>({ type: 'token', id, token, window });
    },
    async expireToken(id, token) {
      await ask<'done'>({ type: 'expire', id, token });
    },
    async setUpstreams(id, upstreams) {
      await ask<'done'>({ type: 'upstreams', id, upstreams });
    },
    async close(id) {
      const { requests, usage, lanes } = await ask<'closed'>({ type: 'close', id });
      watches.delete(id);
      return { requests, usage, lanes };
    },
    async allow(address, hosts) {
      return (await ask<'allowed'>({ type: 'allow', id: address, hosts })).denied;
    },
    async [Symbol.asyncDispose]() {
      if (gone === undefined) stdin.end(controlLine({ type: 'shutdown' }));
      await closed;
    },
  };
}

async function decisionOf({ mayGo, answer }: SessionWatch, { protocol, request }: HostQuestion): Promise<HostAnswer> {
  try {
    if (request !== undefined) return await answer?.(request) ?? { kind: 'go' };
    const refusal = await mayGo?.(protocol);
    return refusal === undefined ? { kind: 'go' } : { kind: 'refusal', reason: 'over-budget', message: refusal.slice(0, MOST_MESSAGE) };
  } catch (error) {
    return { kind: 'refusal', reason: request === undefined ? 'over-budget' : 'cassette-lacks', message: messageOf(error).slice(0, MOST_MESSAGE) };
  }
}

const MOST_MESSAGE = 20_000;
const CALLS: { readonly [call in Extract<HostLine, { id: string }>['type']]: (id: string) => string } = {
  allow: (id) => `open the network at ${id}`,
  open: (id) => `open session "${id}"`,
  close: (id) => `close session "${id}"`,
  token: (id) => `begin a window of session "${id}"`,
  expire: (id) => `end a window of session "${id}"`,
  upstreams: (id) => `change the keys of session "${id}"`,
};
const READY = 'ready';
const TOO_EARLY = 'an earlier call for it has not been answered yet. Wait for that first.';

/** Ids of sessions and addresses of networks are never the same. */
function keyOf(id: string): string {
  return `id ${id}`;
}

/** Reads until the program is gone, and says how that showed. */
async function hearAll(stdout: Readable, hear: (line: ProgramLine) => void): Promise<string> {
  try {
    for await (const text of linesOf(stdout)) {
      const line = programLineSchema.safeParse(parseJson(text));
      if (!line.success) return `it wrote ${JSON.stringify(text.slice(0, 100))}, which is no line of the control protocol`;
      hear(line.data);
    }
    return 'its stdout ended';
  } catch (error) {
    return `its stdout broke (${error instanceof Error ? error.message : String(error)})`;
  }
}
