import type { IncomingHttpHeaders } from 'node:http';

/** The tokens that a request shows: `x-api-key` first, then the bearer of `authorization`. */
export function presentedTokens(headers: IncomingHttpHeaders): readonly string[] {
  const key = headers['x-api-key'];
  const bearer = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  return [key, bearer].filter((token): token is string => typeof token === 'string' && token !== '');
}
