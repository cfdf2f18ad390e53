import { readFileSync } from 'node:fs';
import type { OutlinedRequest } from '../../../src/gateway/cassette/outline.js';
import type { ProtocolName } from '../../../src/gateway/protocol.js';

/** A request with a JSON body. */
export function requestOf(protocol: ProtocolName | null, body: unknown, path = '/v1/messages'): OutlinedRequest {
  return { protocol, method: 'POST', path, body: Buffer.from(JSON.stringify(body)) };
}

/** The requests of one captured run, as they were sent but for what was cut. */
export function capturedRun(name: string, run: 1 | 2): readonly OutlinedRequest[] {
  const text = readFileSync(new URL(`fixtures/${name}-${run}.json`, import.meta.url), 'utf8');
  return (JSON.parse(text) as { method: string; path: string; body: unknown }[]).map(({ method, path, body }) => ({
    protocol: protocolOf(path), method, path, body: body === null ? null : Buffer.from(JSON.stringify(body)),
  }));
}

export const CAPTURED = [
  'claude-code-tools', 'claude-code-subagents', 'codex-background', 'codex-parallel', 'codex-patch', 'codex-subagent', 'gemini-tools', 'opencode-tools',
] as const;

function protocolOf(path: string): ProtocolName | null {
  if (path.startsWith('/v1/messages')) return 'anthropic-messages';
  if (path.startsWith('/v1/responses')) return 'openai-responses';
  if (path.startsWith('/v1/chat/completions')) return 'openai-chat';
  return path.startsWith('/v1beta/models/') ? 'gemini' : null;
}
