import type { IncomingHttpHeaders } from 'node:http';
import type { ClientFacts } from './exchange.js';

const SHOWN = 100;

/** What a CLI says of itself in its headers. `undefined`: nothing. */
export function clientFactsOf(headers: IncomingHttpHeaders): ClientFacts | undefined {
  const session = textOf(headers, 'x-claude-code-session-id', 'session_id', 'session-id', 'conversation_id');
  const agent = textOf(headers, 'x-claude-code-agent-id', 'x-openai-subagent');
  if (session === undefined && agent === undefined) return undefined;
  return { ...(session === undefined ? {} : { session }), ...(agent === undefined ? {} : { agent }) };
}

/** How often the client has tried before, by the header of the vendors' SDKs. */
export function retryOf(headers: IncomingHttpHeaders): number | undefined {
  const count = Number(headers['x-stainless-retry-count'] ?? Number.NaN);
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function textOf(headers: IncomingHttpHeaders, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string' && value !== '') return value.slice(0, SHOWN);
  }
  return undefined;
}
