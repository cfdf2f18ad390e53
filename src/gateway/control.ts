import type { Readable, Writable } from 'node:stream';
import { parseJson } from '../evidence/json.js';
import type { DeniedDestination } from './egress/denied.js';
import { controlLine, linesOf, programLineSchema, type HostLine, type ProgramLine } from './control-lines.js';
import { GatewayGoneError, GatewayRefusedError } from './errors.js';
import type { Exchange } from './exchange.js';
import type { SessionOptions, SessionSummary } from './sessions.js';

/** The host's end of a gateway program. */
export interface GatewayControl extends AsyncDisposable {
  /** Settles when the program listens. Rejects with GatewayRefusedError when it cannot, with GatewayGoneError when it is gone. */
  readonly ready: Promise<{ readonly port: number }>;
  /**
   * Opens a session. The token must have at least 16 characters.
   * @throws GatewayRefusedError when the id or token is taken or the script cannot be played.
   * @throws GatewayGoneError when the program is gone.
   */
  open(session: SessionOptions): Promise<void>;
  /**
   * Closes a session, cuts its open requests and tells what it came to.
   * @throws GatewayRefusedError when it is not open.
   * @throws GatewayGoneError when the program is gone.
   */
  close(id: string): Promise<ClosedSession>;
  /**
   * Says what the network in which the gateway has this address may reach beyond it, from now on. Connections that are open
   * there are cut. The first call begins to answer names in that network.
   *
   * @param hosts Names, as in `NetworkAccess`. Empty: nothing.
   * @returns what was asked for and denied since the last call.
   * @throws GatewayRefusedError when the ports of the address cannot be had, GatewayGoneError when the program is gone.
   */
  allow(address: string, hosts: readonly string[]): Promise<readonly DeniedDestination[]>;
  /** Calls a listener for every request of every session, and of none. Returns a function that stops it. */
  onExchange(listener: (exchange: Exchange) => void): () => void;
  /** Settles, with the reason, when the program is gone. Never rejects. */
  readonly closed: Promise<{ readonly reason: string }>;
  /** Tells the program to end and waits until it is gone. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a session came to. */
export interface ClosedSession extends SessionSummary {
  /** Its requests in the order in which they ended; the first 10,000 where `requests` says that there were more. */
  readonly exchanges: readonly Exchange[];
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
  const exchanges = new Map<string, Exchange[]>();
  const listeners = new Set<(exchange: Exchange) => void>();
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

  const ask = <T extends 'opened' | 'closed' | 'allowed'>(line: Extract<HostLine, { id: string }>): Promise<LineOf<T>> => {
    const answer = answerTo<T>(keyOf(line.id), line.type === 'allow' ? `open the network at ${line.id}` : `${line.type} session "${line.id}"`);
    if (gone === undefined) stdin.write(controlLine(line));
    return answer;
  };

  const settle = (key: string, use: (waiting: Pending) => void): void => {
    const waiting = pending.get(key);
    pending.delete(key);
    if (waiting !== undefined) use(waiting);
  };

  const keep = (exchange: Exchange): void => {
    const kept = exchanges.get(exchange.sessionId ?? '');
    if (kept !== undefined && kept.length < MOST_EXCHANGES) kept.push(exchange);
  };

  const hear = (line: ProgramLine): void => {
    switch (line.type) {
      case 'ready':
        return settle(READY, ({ resolve }) => resolve(line));
      case 'opened':
        exchanges.set(line.id, []);
        return settle(keyOf(line.id), ({ resolve }) => resolve(line));
      case 'closed':
      case 'allowed':
        return settle(keyOf(line.id), ({ resolve }) => resolve(line));
      case 'exchange':
        keep(line.exchange);
        for (const listener of listeners) listener(line.exchange);
        return;
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
    async open({ id, token, script, scriptName }) {
      await ask<'opened'>({ type: 'open', id, token, script, ...(scriptName !== undefined && { scriptName }) });
    },
    async close(id) {
      const { requests, usage, lanes } = await ask<'closed'>({ type: 'close', id });
      const seen = exchanges.get(id) ?? [];
      exchanges.delete(id);
      return { requests, usage, lanes, exchanges: seen };
    },
    async allow(address, hosts) {
      return (await ask<'allowed'>({ type: 'allow', id: address, hosts })).denied;
    },
    onExchange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async [Symbol.asyncDispose]() {
      if (gone === undefined) stdin.end(controlLine({ type: 'shutdown' }));
      await closed;
    },
  };
}

const READY = 'ready';
const TOO_EARLY = 'an earlier call for it has not been answered yet. Wait for that first.';
// An agent that floods the gateway must not fill the host's memory.
const MOST_EXCHANGES = 10_000;

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
