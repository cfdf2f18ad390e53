import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Usage } from '../evidence/usage.js';
import type { Exchange } from './exchange.js';
import { presentedTokens } from './presented-tokens.js';
import { redact } from './redact.js';
import type { Session, Sessions } from './sessions.js';

/** What is learned of a request while it is served. */
export type ExchangeNotes = { session?: Session; /** What the client was told past `response`. */ rawStatus?: number } & {
  -readonly [fact in Exclude<keyof Exchange, 'sessionId' | 'method' | 'path' | 'status' | 'startedAt' | 'firstByteMs' | 'durationMs'>]?: Exchange[fact];
};

/** A request that is being served. */
export interface OpenExchange {
  /** Written to as facts become known. */
  readonly notes: ExchangeNotes;
  /** Aborts when the client goes away or the session is closed. */
  readonly signal: AbortSignal;
  /** Call when the head of the answer goes out. */
  markFirstByte(): void;
  /** Tells the host what is known of its usage, before the client gets the end of the answer. */
  tellUsage(): void;
  /** Cuts the connection. */
  abort(): void;
  /** Settles after `end`. */
  readonly ended: Promise<void>;
  /** Counts the request in its session and gives its record. Call once, when nothing more will be sent. */
  end(): Exchange;
}

/** What an exchange is opened with. */
export interface ExchangeOptions {
  readonly sessions: Sessions;
  /** Told of what an answer used as soon as that is known. Default: nobody is. */
  readonly onUsage?: ((told: ToldUsage) => void) | undefined;
}

/** What one request used, as its answer told. */
export interface ToldUsage {
  readonly sessionId: string;
  readonly ordinal: number;
  readonly model?: string;
  readonly usage: Usage;
}

/** Starts the clock of one request. */
export function openExchange(request: IncomingMessage, response: ServerResponse, { sessions, onUsage }: ExchangeOptions): OpenExchange {
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
    tellUsage() {
      const { session, ordinal, model, usage } = notes;
      if (session === undefined || ordinal === undefined || usage === undefined) return;
      onUsage?.({ sessionId: session.id, ordinal, ...(model === undefined ? {} : { model }), usage });
    },
    abort() {
      client.abort();
      response.destroy();
    },
    ended,
    end() {
      const { session, protocol = null, outcome = 'failed', rawStatus = 0, ...known } = notes;
      const secrets = [...presentedTokens(request), ...sessions.tokens()];
      const hidden = (text: string, most?: number): string => redact(text, secrets, most);
      const exchange: Exchange = {
        sessionId: session?.id ?? null,
        protocol,
        method: request.method ?? '',
        path: hidden(pathOf(request)),
        ...withoutSecrets(known, hidden),
        status: response.headersSent ? response.statusCode : rawStatus,
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

/** A difference to a cassette takes lines. */
const MOST_DETAIL = 4_000;

/** What clients and services said, as it may be kept. */
function withoutSecrets(known: Partial<Exchange>, hidden: (text: string, most?: number) => string): Partial<Exchange> {
  const texts = (['model', 'askedModel', 'stopReason', 'errorType', 'detail'] as const).flatMap((fact) => {
    const text = known[fact];
    return text === undefined ? [] : [[fact, hidden(text, fact === 'detail' ? MOST_DETAIL : undefined)]];
  });
  const client = known.client === undefined ? {} : { client: Object.fromEntries(Object.entries<string>({ ...known.client }).map(([fact, text]) => [fact, hidden(text)])) };
  return { ...known, ...Object.fromEntries(texts) as Partial<Exchange>, ...client };
}

/** The path of a request, without its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/[?#][^]*$/, '');
}
