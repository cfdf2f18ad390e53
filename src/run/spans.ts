import { createHash } from 'node:crypto';
import type { Span } from '../evidence/span.js';
import type { Exchange } from '../gateway/exchange.js';
import { vendorOf } from '../gateway/upstream.js';
import type { TurnRecord } from './result.js';

/** What the spans of an Attempt are made of. */
export interface TracedAttempt {
  readonly id: string;
  readonly evalId: string;
  readonly startedAt: string;
  readonly totalMs: number;
  readonly turns: readonly TurnRecord[];
  readonly exchanges: readonly Exchange[];
}

/** The names that the OpenTelemetry conventions for generative AI have for the vendors (`gen_ai.provider.name`). */
const PROVIDERS = { anthropic: 'anthropic', openai: 'openai', gemini: 'gcp.gemini' } as const;

/** The Attempt, its turns, and each request to its model below the turn whose token it showed. */
export function spansOf({ id, evalId, startedAt, totalMs, turns, exchanges }: TracedAttempt): readonly Span[] {
  const traceId = digits(32, id, startedAt);
  const root: Span = { traceId, spanId: digits(16, traceId, 'attempt'), name: `attempt ${evalId}`, kind: 'internal', startedAt, durationMs: totalMs, status: 'unset', attributes: { 'niceeval.attempt': id } };
  const own = turns.map((turn): Span => ({
    traceId, spanId: digits(16, traceId, turn.label), parentSpanId: root.spanId, name: turn.label, kind: 'internal', startedAt: turn.startedAt, durationMs: turn.durationMs,
    status: turn.status === 'failed' ? 'error' : 'ok', attributes: { 'niceeval.session': turn.session },
  }));
  const parentOf = new Map(turns.map(({ label }, index) => [label, own[index]?.spanId]));
  return [root, ...own, ...exchanges.map((exchange, index) => requestSpan(exchange, { traceId, key: String(exchange.ordinal ?? `x${index}`), parentSpanId: parentOf.get(exchange.window ?? '') ?? root.spanId }))];
}

function requestSpan(exchange: Exchange, { traceId, key, parentSpanId }: { readonly traceId: string; readonly key: string; readonly parentSpanId: string }): Span {
  const { protocol, method, path, model, askedModel, status, outcome, usage = {}, startedAt, durationMs, firstByteMs, errorType, stopReason, retry, client, applied } = exchange;
  const attributes: { readonly [name: string]: string | number | readonly string[] | undefined } = {
    'http.request.method': method,
    'url.path': path,
    'http.response.status_code': status,
    'niceeval.outcome': outcome,
    'gen_ai.provider.name': protocol === null ? undefined : PROVIDERS[vendorOf(protocol)],
    'gen_ai.request.model': askedModel ?? model,
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheCreationTokens,
    'gen_ai.response.finish_reasons': stopReason === undefined ? undefined : [stopReason],
    'gen_ai.conversation.id': client?.session,
    'gen_ai.agent.id': client?.agent,
    'http.request.resend_count': retry,
    'error.type': errorType ?? (status >= 400 || status === 0 ? String(status) : undefined),
    'niceeval.first_byte_ms': firstByteMs === undefined ? undefined : Math.round(firstByteMs),
    'niceeval.applied': applied,
  };
  return {
    traceId, spanId: digits(16, traceId, key), parentSpanId, name: protocol === null ? `${method} ${path}` : `chat ${model ?? askedModel ?? path}`, kind: 'client', startedAt,
    durationMs: Math.round(durationMs * 1000) / 1000, status: status >= 400 || status === 0 ? 'error' : 'ok',
    attributes: Object.fromEntries(Object.entries(attributes).filter((entry): entry is [string, string | number | readonly string[]] => entry[1] !== undefined)),
  };
}

function digits(count: number, ...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, count);
}
