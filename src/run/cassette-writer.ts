import { MOST_BODY_BYTES, type CassetteExchange } from '../gateway/cassette/cassette.js';
import { keptHeaders } from '../gateway/cassette/headers.js';
import { outlineOf, type RequestOutline } from '../gateway/cassette/outline.js';
import { textWithoutSecrets, withoutSecrets } from '../gateway/cassette/rewrite.js';
import { storeBody } from './cassette-files.js';

/** A request that was answered, as it is handed in. */
export interface RecordedExchange {
  /** Position among the requests of this writer as they came; any numbers that grow. Default: the order of the calls. */
  readonly ordinal?: number;
  /** Made with the `volatile` of this writer. */
  readonly outline: RequestOutline;
  readonly response: {
    /** 200 to 599. */
    readonly status: number;
    /** As they came; only those of the allow-list are kept. */
    readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
    readonly ending: 'whole' | 'cut';
  };
}

/** The bytes of an exchange, without a transfer or content coding. */
export interface ExchangeBodies {
  /** `null` when the request had none. */
  readonly request: Uint8Array | null;
  /** As far as it came. */
  readonly response: Uint8Array;
}

/** Writes one cassette. Disposed before it was closed it leaves no cassette, and the one of before as it was. */
export interface CassetteWriter extends AsyncDisposable {
  /**
   * Stores the bodies and keeps the exchange for the file. Secrets are replaced first.
   *
   * @throws RangeError for a body of more than 64 MB or another status. Error when the writer is closed. Whatever the file system says.
   */
  add(exchange: RecordedExchange, bodies: ExchangeBodies): Promise<void>;
  /** Puts the cassette into its place, whole. A second call does nothing. */
  close(): Promise<void>;
}

interface WriterOptions {
  readonly root: string;
  readonly volatile: readonly string[];
  readonly secrets: readonly string[];
  readonly before: readonly CassetteExchange[];
  readonly finish: (exchanges: readonly CassetteExchange[]) => Promise<void>;
}

/** Makes a writer; `finish` gets all exchanges, numbered from 1. */
export function createCassetteWriter({ root, volatile, secrets, before, finish }: WriterOptions): CassetteWriter {
  const added: { readonly order: number; readonly exchange: CassetteExchange }[] = [];
  const pending = new Set<Promise<void>>();
  let state: 'open' | 'closed' = 'open';
  let calls = 0;

  const store = async ({ outline, response }: RecordedExchange, bodies: ExchangeBodies, order: number): Promise<void> => {
    if (!Number.isInteger(response.status) || response.status < 200 || response.status > 599) throw new RangeError(`The status of an answer is 200 to 599, not ${response.status}.`);
    const request = bodies.request === null ? null : withoutSecrets(bodies.request, secrets);
    const answer = withoutSecrets(bodies.response, secrets);
    if (Math.max(request?.length ?? 0, answer.length) > MOST_BODY_BYTES) throw new RangeError(`A body of a cassette has at most ${MOST_BODY_BYTES} bytes.`);
    const headers = Object.entries(keptHeaders(response.headers)).map(([name, value]) => [name, textWithoutSecrets(value, secrets)]);
    const exchange: CassetteExchange = {
      ordinal: 1,
      outline: request === bodies.request && !holdsSecret(outline, secrets) ? outline : outlineOf({ ...outline, path: textWithoutSecrets(outline.path, secrets), body: request }, { volatile, secrets }),
      request: { body: request === null ? null : await storeBody(root, request), sizeBytes: request?.length ?? 0 },
      response: { status: response.status, headers: Object.fromEntries(headers) as Readonly<Record<string, string>>, body: await storeBody(root, answer), sizeBytes: answer.length, ending: response.ending },
    };
    added.push({ order, exchange });
  };

  return {
    async add(exchange, bodies) {
      if (state === 'closed') throw new Error('The cassette is closed: nothing can be added to it.');
      calls += 1;
      const stored = store(exchange, bodies, exchange.ordinal ?? calls);
      pending.add(stored);
      try {
        await stored;
      } finally {
        pending.delete(stored);
      }
    },
    async close() {
      if (state === 'closed') return;
      state = 'closed';
      await Promise.all(pending);
      const sorted = [...added].sort((a, b) => a.order - b.order).map(({ exchange }) => exchange);
      await finish([...before, ...sorted].map((exchange, index) => ({ ...exchange, ordinal: index + 1 })));
    },
    async [Symbol.asyncDispose]() {
      state = 'closed';
      await Promise.allSettled(pending);
    },
  };
}

function holdsSecret(outline: RequestOutline, secrets: readonly string[]): boolean {
  const text = JSON.stringify(outline);
  return textWithoutSecrets(text, secrets) !== text;
}
