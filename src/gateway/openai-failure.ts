import type { TurnError } from './script.js';
import type { WholeReply } from './wire.js';

const ERROR_KINDS: { readonly [status: number]: readonly [type: string, code: string | null] } = {
  401: ['invalid_request_error', 'invalid_api_key'],
  429: ['requests', 'rate_limit_exceeded'],
  503: ['server_error', 'server_is_overloaded'],
};

/** A failure in the shape of every API of OpenAI. `final` tells the client not to try again. */
export function openaiFailure(error: TurnError, requestId: string, { final }: { final: boolean } = { final: false }): WholeReply {
  const [type, code] = ERROR_KINDS[error.status] ?? [error.status < 500 ? 'invalid_request_error' : 'server_error', null];
  return {
    status: error.status,
    headers: {
      'x-request-id': requestId,
      ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(error.retryAfterSeconds) }),
      ...(final && { 'x-should-retry': 'false' }),
    },
    json: { error: { message: error.message ?? error.type ?? type, type: error.type ?? type, param: null, code } },
  };
}
