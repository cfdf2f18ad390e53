import type { IncomingMessage } from 'node:http';

/** Why a request is not served, whatever it asks for. */
export interface HeadProblem {
  readonly status: number;
  /** For the client's eyes. */
  readonly message: string;
}

// A CLI sends about 30. The header's size has a limit of its own.
const MOST_HEADERS = 200;

/**
 * What is wrong with the head of a request that Node took for one: what two servers in a row could read in two ways (RFC 9112, 6.1 to
 * 6.3), and what no client of a vendor sends. `undefined`: nothing. The connection is closed after such a request.
 */
export function headProblem({ method = '', url = '', httpVersion, headers, rawHeaders }: IncomingMessage): HeadProblem | undefined {
  if (rawHeaders.length > 2 * MOST_HEADERS) return { status: 431, message: `The request has more than ${MOST_HEADERS} headers.` };
  if (!/^[!-~]+$/.test(url) || url.includes('#')) return { status: 400, message: 'The target of the request has characters that belong into no target. Encode them.' };
  if (!url.startsWith('/') || url.startsWith('//')) return { status: 400, message: NO_PROXY };
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts > 1 || (hosts === 0 && httpVersion !== '1.0')) return { status: 400, message: `The request has ${hosts} "host" headers. It must have one.` };
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && httpVersion === '1.0') return { status: 400, message: 'HTTP/1.0 has no "transfer-encoding".' };
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return { status: 501, message: 'The gateway knows no transfer encoding but "chunked".' };
  if (hasBody({ headers }) && (method === 'GET' || method === 'HEAD')) return { status: 400, message: `A ${method} request has no body here.` };
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') return { status: 417, message: 'The gateway meets no expectation but "100-continue".' };
  return undefined;
}

const NO_PROXY = 'The gateway is no proxy. Ask for a path on it, such as /v1/messages or /v1/responses.';

/** Whether the head of a request announces a body. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}
