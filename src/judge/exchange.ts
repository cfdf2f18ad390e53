import { messageOf } from '../lifetime/error.js';

/** One request and what came back. */
export type JudgeExchange =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string; readonly retryAfterMs?: number }
  /** A redirect is not followed: the key and the material are for the configured endpoint. */
  | { readonly kind: 'redirected'; readonly status: number }
  | { readonly kind: 'too-big' }
  /** The connection or the signal ended it. `hasResponse`: a response had begun. */
  | { readonly kind: 'broken'; readonly reason: string; readonly hasResponse: boolean };

/** The longest response that is read, in bytes. */
export const LONGEST_RESPONSE_BYTES = 1024 * 1024;

/** Posts JSON and reads the whole answer. Never rejects. */
export async function postJson(
  url: string,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: object;
    readonly signal: AbortSignal;
    readonly fetch: typeof fetch;
  },
): Promise<JudgeExchange> {
  let hasResponse = false;
  try {
    const response = await options.fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...options.headers },
      body: JSON.stringify(options.body),
      redirect: 'manual',
      signal: options.signal,
    });
    hasResponse = true;
    const { status } = response;
    if (response.type === 'opaqueredirect' || (status >= 300 && status < 400)) {
      await response.body?.cancel();
      return { kind: 'redirected', status };
    }
    const text = await textOf(response);
    if (text === undefined) return { kind: 'too-big' };
    const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), Date.now());
    return { kind: 'answered', status, text, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  } catch (thrown) {
    return { kind: 'broken', reason: causeOf(thrown), hasResponse };
  }
}

/**
 * Milliseconds that a server asks to wait: whole seconds or an HTTP date. `undefined` when it does not, or not in a way
 * that can be read.
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  // Date.parse reads much that is no HTTP date, such as "-5".
  const at = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

async function textOf(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // Leaving the loop early cancels the rest of the body.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > LONGEST_RESPONSE_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** fetch says "fetch failed" for everything; its cause says what. */
function causeOf(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
  const message = messageOf(cause);
  return code === undefined || message.includes(code) ? message : `${code} ${message}`.trim();
}
