import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, parseJson } from '../evidence/json.js';
import type { ClientFacts } from './exchange.js';

const SHOWN = 100;

/**
 * What a CLI says of itself in its headers. `undefined`: nothing.
 *
 * Seen of claude-code 2.1.197: the session in every request, a fresh id of the agent in those of subagents. Seen of codex 0.171.0: the
 * session, which is that of the main thread, in every request; `collab_spawn` in those of subagents, whose names are in the metadata.
 */
export function clientFactsOf(headers: IncomingHttpHeaders): ClientFacts | undefined {
  const session = textOf(headers, 'x-claude-code-session-id') ?? textOf(headers, 'session-id');
  const agent = textOf(headers, 'x-claude-code-agent-id') ?? codexAgentOf(headers);
  if (session === undefined && agent === undefined) return undefined;
  return { ...(session === undefined ? {} : { session }), ...(agent === undefined ? {} : { agent }) };
}

/** How often the client has tried before, by the header of the vendors' SDKs. */
export function retryOf(headers: IncomingHttpHeaders): number | undefined {
  const count = Number(headers['x-stainless-retry-count'] ?? Number.NaN);
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** The path of a subagent's name, such as `/root/look_at_a`; without one, what the CLI calls its kind. */
function codexAgentOf(headers: IncomingHttpHeaders): string | undefined {
  const kind = textOf(headers, 'x-openai-subagent');
  if (kind === undefined) return undefined;
  const metadata = headers['x-codex-turn-metadata'];
  const told = typeof metadata === 'string' ? parseJson(metadata) : undefined;
  const name = isJsonObject(told) ? told['agent_name'] : undefined;
  return typeof name === 'string' && name !== '' && name !== '/root' ? name.slice(0, SHOWN) : kind;
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value.slice(0, SHOWN) : undefined;
}
