import type { IncomingHttpHeaders } from 'node:http';
import { anthropicWire } from './anthropic.js';
import { openaiWire } from './openai-responses.js';
import type { Wire } from './wire.js';

/** What a request is for. `wire` also says in which vendor's shape its failures are told. */
export interface Route {
  /** `foreign` is no path of a server: a whole URL, `*`, an authority. */
  readonly kind: 'probe' | 'model' | 'count-tokens' | 'model-list' | 'analytics' | 'unknown' | 'foreign';
  readonly wire: Wire;
}

/** Finds the route of a request by its method and its path without query. */
export function routeOf(method: string, path: string, headers: IncomingHttpHeaders): Route {
  const wire = wireOf(path, headers);
  if (!path.startsWith('/') || path.startsWith('//')) return { kind: 'foreign', wire };
  switch (`${method} ${path}`) {
    case 'HEAD /':
    case 'GET /':
      return { kind: 'probe', wire };
    case 'POST /v1/messages':
    case 'POST /v1/responses':
      return { kind: 'model', wire };
    case 'POST /v1/messages/count_tokens':
      return { kind: 'count-tokens', wire };
    case 'GET /v1/models':
      return { kind: 'model-list', wire };
    default:
      return { kind: method === 'POST' && ANALYTICS.test(path) ? 'analytics' : 'unknown', wire };
  }
}

// codex 0.171 posts /v1/analytics/codex/turn-costs to its model's base URL when telemetry is on; claude-code has /api/event_logging.
const ANALYTICS = /^\/(?:v1\/analytics|api\/event_logging)\//;

function wireOf(path: string, headers: IncomingHttpHeaders): Wire {
  if (path.startsWith('/v1/messages')) return anthropicWire;
  if (path.startsWith('/v1/responses')) return openaiWire;
  return 'anthropic-version' in headers || 'x-api-key' in headers ? anthropicWire : openaiWire;
}
