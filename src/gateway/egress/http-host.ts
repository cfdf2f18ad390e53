/** What the first bytes of a connection say. `other`: they do not begin an HTTP/1 request to a server. */
export type HttpHost = { readonly kind: 'host'; readonly host: string } | { readonly kind: 'unfinished' } | { readonly kind: 'other' };

const LONGEST_HEAD = 16 * 1024;

/**
 * Reads the host that an HTTP/1 request is for. A request in absolute form, and one with two hosts or none, is `other`: the
 * server might understand it differently.
 */
export function readHttpHost(bytes: Buffer): HttpHost {
  const text = bytes.toString('latin1', 0, LONGEST_HEAD);
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return bytes.length >= LONGEST_HEAD || !/^[A-Z]{0,20}(?: [^\0]*)?$/s.test(text.slice(0, 256)) ? { kind: 'other' } : { kind: 'unfinished' };
  const [request = '', ...fields] = text.slice(0, end).split('\r\n');
  if (!/^[A-Z]+ \/\S* HTTP\/1\.[01]$/.test(request)) return { kind: 'other' };
  // A bare line break ends a field for some servers and not for others.
  if (fields.some((field) => /[\r\n]/.test(field))) return { kind: 'other' };
  const hosts = fields.filter((field) => field.slice(0, 5).toLowerCase() === 'host:').map((field) => field.slice(5).trim());
  const name = /^([^\s:@/]+)(?::\d+)?$/.exec(hosts[0] ?? '')?.[1];
  return hosts.length === 1 && name !== undefined ? { kind: 'host', host: name } : { kind: 'other' };
}
