import { z } from 'zod';

/** A tool server that the CLI starts itself and speaks to over its standard streams. */
export interface StdioMcpServer {
  /** Letters, digits, `_` and `-`. Unique among the servers of an agent. */
  readonly name: string;
  /** A program in the sandbox. No shell. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A tool server that is there already, spoken to over HTTP from inside the sandbox. */
export interface HttpMcpServer {
  readonly name: string;
  readonly url: string;
  /** Values of eight characters and more never reach the record. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A server of the Model Context Protocol that an agent is given. */
export type McpServer = StdioMcpServer | HttpMcpServer;

const nameSchema = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'a name has 1 to 64 letters, digits, "_" or "-"');
const textsSchema = z.record(z.string(), z.string());

/** Exactly one of the two kinds: a server with both a command and a url is refused. */
const mcpServerSchema = z.union([
  z.strictObject({ name: nameSchema, command: z.string().min(1), args: z.array(z.string()).readonly().exactOptional(), env: textsSchema.exactOptional() }),
  z.strictObject({ name: nameSchema, url: z.url({ protocol: /^https?$/ }), headers: textsSchema.exactOptional() }),
], 'a server is { name, command, args?, env? } or { name, url, headers? }');

export const mcpServersSchema = z.array(mcpServerSchema).readonly().refine(
  (servers) => new Set(servers.map(({ name }) => name)).size === servers.length, 'two servers have the same name',
);

/** What is shorter is no secret, and replacing it everywhere would tear the record. */
const SHORTEST_SECRET = 8;

/** Values that must not be stored: what is sent to a server over HTTP, and the part of it behind a word like `Bearer`. */
export function secretsOfServers(servers: readonly McpServer[]): readonly string[] {
  const values = servers.flatMap((server) => ('url' in server ? Object.values(server.headers ?? {}) : []));
  return values.flatMap((value) => [value, /^[A-Za-z]+ +(\S+)$/.exec(value)?.[1] ?? value]).filter((value) => value.length >= SHORTEST_SECRET);
}
