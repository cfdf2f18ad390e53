import type { IncomingHttpHeaders } from 'node:http';
import { anthropicWire } from './anthropic.js';
import { geminiTargetOf } from './gemini-target.js';
import { geminiWire } from './gemini.js';
import { chatWire } from './openai-chat.js';
import { openaiWire } from './openai-responses.js';
import type { ProtocolName } from './protocol.js';
import type { Wire } from './wire.js';

/**
 * What a request is for: `probe` asks whether anybody is there; `model` is a turn; `side-model` spends tokens of a model without
 * being a turn (an embedding, a compaction by the service); `model-info` asks about one model; `foreign` is no path of a server:
 * a whole URL, `*`, an authority.
 */
export type RouteKind =
  | 'probe' | 'model' | 'side-model' | 'count-tokens' | 'model-list' | 'model-info' | 'analytics' | 'unknown' | 'foreign';

/** Where a request goes. */
export interface Route {
  readonly kind: RouteKind;
  /** What the client speaks, as far as path and headers tell. */
  readonly protocol: ProtocolName;
  /** The wire of `protocol`. It also says in which vendor's shape failures are told. */
  readonly wire: Wire;
  /** The path belongs to the vendor's API and may be sent on to it. Everything else ends at the gateway. */
  readonly forwardable: boolean;
}

/** Finds the route of a request by its method and its path without query. */
export function routeOf(method: string, path: string, headers: IncomingHttpHeaders): Route {
  const kind = kindOf(method, path);
  const wire = wireOf(path, headers);
  return { kind, protocol: wire.protocol, wire, forwardable: FORWARDABLE.has(kind) };
}

const FORWARDABLE: ReadonlySet<RouteKind> = new Set(['model', 'side-model', 'count-tokens', 'model-list', 'model-info']);

const POSTS: ReadonlyMap<string, RouteKind> = new Map([
  ['/v1/messages', 'model'],
  ['/v1/messages/count_tokens', 'count-tokens'],
  ['/v1/responses', 'model'],
  ['/v1/responses/compact', 'side-model'],
  ['/v1/responses/input_tokens', 'count-tokens'],
  ['/v1/chat/completions', 'model'],
  ['/v1/embeddings', 'side-model'],
]);

const GEMINI_METHODS: ReadonlyMap<string, RouteKind> = new Map([
  ['generateContent', 'model'],
  ['streamGenerateContent', 'model'],
  ['countTokens', 'count-tokens'],
  ['embedContent', 'side-model'],
  ['batchEmbedContents', 'side-model'],
]);

// Tuned models of OpenAI have colons in their names.
const MODEL_INFO = /^\/v1(?:beta)?\/models\/[A-Za-z0-9][\w.:@-]{0,199}$/;

// codex 0.171 posts /v1/analytics/codex/turn-costs to its model's base URL when telemetry is on; claude-code has /api/event_logging.
const ANALYTICS = /^\/(?:v1\/analytics|api\/event_logging)\//;

function kindOf(method: string, path: string): RouteKind {
  if (!path.startsWith('/') || path.startsWith('//')) return 'foreign';
  switch (method) {
    case 'POST':
      return posted(path) ?? (ANALYTICS.test(path) ? 'analytics' : 'unknown');
    case 'GET':
      return path === '/' ? 'probe' : looked(path) ?? 'unknown';
    case 'HEAD':
      return path === '/' || (posted(path) ?? looked(path)) !== undefined ? 'probe' : 'unknown';
    default:
      return 'unknown';
  }
}

function posted(path: string): RouteKind | undefined {
  return POSTS.get(path) ?? GEMINI_METHODS.get(geminiTargetOf(path)?.method ?? '');
}

function looked(path: string): RouteKind | undefined {
  if (path === '/v1/models' || path === '/v1beta/models') return 'model-list';
  return MODEL_INFO.test(path) ? 'model-info' : undefined;
}

function wireOf(path: string, headers: IncomingHttpHeaders): Wire {
  if (path.startsWith('/v1/messages')) return anthropicWire;
  if (path.startsWith('/v1/responses')) return openaiWire;
  if (path.startsWith('/v1/chat/') || path === '/v1/embeddings') return chatWire;
  if (path.startsWith('/v1beta/') || geminiTargetOf(path) !== undefined) return geminiWire;
  if ('anthropic-version' in headers || 'x-api-key' in headers) return anthropicWire;
  return 'x-goog-api-key' in headers ? geminiWire : openaiWire;
}
