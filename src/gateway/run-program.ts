import type { Readable, Writable } from 'node:stream';
import type { z } from 'zod';
import { isJsonObject, parseJson } from '../evidence/json.js';
import { controlLine, hostLineSchema, linesOf, type HostLine, type ProgramLine } from './control-lines.js';
import { createNetworks, type Networks } from './egress/networks.js';
import { GatewayError } from './errors.js';
import type { Exchange } from './exchange.js';
import { scriptOf } from './script.js';
import { openGatewayServer } from './server.js';
import { createSessions, type Sessions } from './sessions.js';

/** What the gateway program runs with. */
export interface ProgramOptions {
  /** Control lines of the host. Its end is the end of the program. */
  readonly stdin: Readable;
  /** Carries control lines and nothing else. */
  readonly stdout: Writable;
  readonly host: string;
  readonly port: number;
  readonly onFault: (fault: unknown) => void;
}

/**
 * Serves until the host says `shutdown` or ends stdin. Everything that was open is closed when it settles.
 *
 * @throws the system's error when the port cannot be had; the host has been told by then.
 */
export async function runProgram({ stdin, stdout, host, port, onFault }: ProgramOptions): Promise<void> {
  const say = (line: ProgramLine): void => void stdout.write(controlLine(line));
  const sessions = createSessions();
  await using networks = createNetworks();
  const onExchange = (exchange: Exchange): void => say({ type: 'exchange', exchange });
  await using server = await openGatewayServer({ sessions, onExchange, onFault, host, port }).catch((error: Error) => {
    say({ type: 'refused', message: `it cannot listen on ${host}:${port} (${error.message}). Give it another port with --port.` });
    throw error;
  });
  say({ type: 'ready', port: server.port });
  for await (const text of linesOf(stdin)) {
    const line = hostLineSchema.safeParse(parseJson(text));
    if (!line.success) say(unreadable(text, line.error.issues));
    else if (line.data.type === 'shutdown') return;
    else void obey(line.data, { sessions, networks }, onFault).then(say);
  }
}

type IdLine = Exclude<HostLine, { type: 'shutdown' }>;

async function obey(line: IdLine, { sessions, networks }: { readonly sessions: Sessions; readonly networks: Networks }, onFault: ProgramOptions['onFault']): Promise<ProgramLine> {
  try {
    if (line.type === 'allow') return { type: 'allowed', id: line.id, denied: (await networks.at(line.id)).allow(line.hosts) };
    if (line.type === 'close') return { type: 'closed', id: line.id, ...(await sessions.close(line.id)) };
    const { id, token, scriptName = 'script' } = line;
    sessions.open({ id, token, scriptName, script: scriptOf(line.script, scriptName) });
    return { type: 'opened', id };
  } catch (error) {
    if (error instanceof GatewayError) return { type: 'refused', id: line.id, message: error.message };
    onFault(error);
    return { type: 'refused', id: line.id, message: 'it met a fault of its own. Its stderr has the cause.' };
  }
}

function unreadable(text: string, issues: readonly z.core.$ZodIssue[]): ProgramLine {
  const message = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join(' ');
  const value = parseJson(text);
  const id = isJsonObject(value) ? value.id : undefined;
  return { type: 'refused', message, ...(typeof id === 'string' && id !== '' && { id }) };
}
