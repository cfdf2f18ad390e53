import type { IncomingMessage } from 'node:http';

/** The part of a request that can show a token. */
export type PresentingRequest = Pick<IncomingMessage, 'headers' | 'url'>;

/**
 * The tokens that a request shows, each of which may be the one that counts: `x-api-key`, `x-goog-api-key`, the bearer of
 * `authorization`, and every `key` of the query, which the Gemini API takes.
 */
export function presentedTokens({ headers, url = '' }: PresentingRequest): readonly string[] {
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  const query = /\?([^#]*)/.exec(url)?.[1];
  const keys = query === undefined ? [] : new URLSearchParams(query).getAll('key');
  return [headers['x-api-key'], headers['x-goog-api-key'], bearer, ...keys].filter((token): token is string => typeof token === 'string' && token !== '');
}
