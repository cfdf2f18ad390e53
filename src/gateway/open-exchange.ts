import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Exchange, ExchangeOutcome } from './exchange.js';
import { presentedTokens } from './presented-tokens.js';
import { redact } from './redact.js';
import type { Session, Sessions } from './sessions.js';

/** What is learned of a request while it is served. */
export interface ExchangeNotes {
  session?: Session;
  protocol?: Exchange['protocol'];
  model?: string;
  lane?: string;
  turn?: number;
  usage?: NonNullable<Exchange['usage']>;
  outcome?: ExchangeOutcome;
}

/** A request that is being served. */
export interface OpenExchange {
  /** Written to as facts become known. */
  readonly notes: ExchangeNotes;
  /** Aborts when the client goes away or the session is closed. */
  readonly signal: AbortSignal;
  /** Call when the head of the answer goes out. */
  markFirstByte(): void;
  /** Cuts the connection. */
  abort(): void;
  /** Settles after `end`. */
  readonly ended: Promise<void>;
  /** Counts the request in its session and gives its record. Call once, when nothing more will be sent. */
  end(): Exchange;
}

/** Starts the clock of one request. */
export function openExchange(request: IncomingMessage, response: ServerResponse, sessions: Sessions): OpenExchange {
  const startedAt = new Date().toISOString();
  const start = performance.now();
  const client = new AbortController();
  const notes: ExchangeNotes = {};
  let firstByteMs: number | undefined;
  let settle = (): void => {};
  const ended = new Promise<void>((resolve) => (settle = resolve));

  response.once('close', () => {
    if (!response.writableFinished) client.abort();
  });

  return {
    notes,
    signal: client.signal,
    markFirstByte() {
      firstByteMs ??= performance.now() - start;
    },
    abort() {
      client.abort();
      response.destroy();
    },
    ended,
    end() {
      const { session, protocol = null, model, outcome = 'failed', ...known } = notes;
      const secrets = [...presentedTokens(request), ...sessions.tokens(), ...(session ? [session.token] : [])];
      const exchange: Exchange = {
        sessionId: session?.id ?? null,
        protocol,
        method: request.method ?? '',
        path: redact(pathOf(request), secrets),
        ...(model !== undefined && { model: redact(model, secrets) }),
        ...known,
        status: response.headersSent ? response.statusCode : 0,
        outcome,
        startedAt,
        ...(firstByteMs !== undefined && { firstByteMs }),
        durationMs: performance.now() - start,
      };
      session?.count(exchange);
      settle();
      return exchange;
    },
  };
}

/** The path of a request, without its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/[?#][^]*$/, '');
}
