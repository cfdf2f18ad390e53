import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { Upstream } from './upstream.js';

/** Of one connection, not of the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];
/** What names the client, and what the gateway asks for itself. */
const OWN = ['host', 'authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie', 'forwarded', 'via', 'accept-encoding', 'expect'];
/** What would tell a sandbox whose key it is. */
const ACCOUNT = ['set-cookie', 'anthropic-organization-id', 'openai-organization', 'openai-project', 'alt-svc'];

/**
 * The headers of a request as they are passed on: those of the client without its token, with what the upstream wants. The answer is
 * asked for uncompressed, so that it can be read on its way.
 *
 * @param bodyBytes Of a body that is sent whole. Absent: it passes through as the client announced it.
 */
export function requestHeaders(headers: IncomingHttpHeaders, upstream: Upstream, bodyBytes?: number): OutgoingHttpHeaders {
  const passed = without(headers, [...HOP_BY_HOP, ...OWN, ...(bodyBytes === undefined ? [] : ['content-length'])]);
  const betas = [headers['anthropic-beta'], upstream.headers['anthropic-beta']].filter((beta) => beta !== undefined).join(',');
  return {
    ...passed,
    ...upstream.headers,
    ...(betas !== '' && { 'anthropic-beta': betas }),
    ...(bodyBytes !== undefined && bodyBytes > 0 && { 'content-length': bodyBytes }),
    'accept-encoding': 'identity',
  };
}

/** The headers of an answer as the client gets them: without those that hold a secret. */
export function responseHeaders(headers: IncomingHttpHeaders, secrets: readonly string[]): OutgoingHttpHeaders {
  const telling = Object.entries(headers).flatMap(([name, value]) => (secrets.some((secret) => String(value).includes(secret)) ? [name] : []));
  return without(headers, [...HOP_BY_HOP, ...ACCOUNT, ...telling]);
}

function without(headers: IncomingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders {
  const listed = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase());
  const left = new Set([...names, ...listed]);
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== undefined && !left.has(name)));
}
