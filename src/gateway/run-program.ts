import type { Readable, Writable } from 'node:stream';
import type { z } from 'zod';
import { isJsonObject, parseJson } from '../evidence/json.js';
import { controlLine, hostLineSchema, inBase64, linesOf, outOfBase64, type HostLine, type ProgramLine } from './control-lines.js';
import { createNetworks, type Networks } from './egress/networks.js';
import { GatewayError } from './errors.js';
import { createQuestions } from './questions.js';
import { scriptOf } from './script.js';
import { openGatewayServer } from './server.js';
import type { HostAnswer } from './tape.js';
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
  const questions = createQuestions((id, ask, { protocol, request }) => say({ type: 'ask', id, ask, protocol, ...(request !== undefined && { request: inBase64(request) }) }));
  await using networks = createNetworks();
  await using server = await openGatewayServer({
    sessions,
    onExchange: (exchange) => say({ type: 'exchange', exchange }),
    onUsage: ({ sessionId, ...told }) => say({ type: 'usage', id: sessionId, ...told }),
    askHost: questions.ask,
    onTape: (id, { request, answer }) => say({ type: 'tape', id, tape: { request: inBase64(request), answer: inBase64(answer) } }),
    onFault, host, port,
  }).catch((error: Error) => {
    say({ type: 'refused', message: `it cannot listen on ${host}:${port} (${error.message}). Give it another port with --port.` });
    throw error;
  });
  say({ type: 'ready', port: server.port });
  for await (const text of linesOf(stdin)) {
    const line = hostLineSchema.safeParse(parseJson(text));
    if (!line.success) say(unreadable(text, line.error.issues));
    else if (line.data.type === 'shutdown') return;
    else if (line.data.type === 'answer') questions.answer(line.data.ask, hostAnswerOf(line.data.answer));
    else void obey(line.data, { sessions, networks }, onFault).then(say);
  }
}

function hostAnswerOf(answer: Extract<HostLine, { type: 'answer' }>['answer']): HostAnswer {
  return answer.kind === 'answer' ? { kind: 'answer', answer: outOfBase64(answer.answer) } : answer;
}

type IdLine = Extract<HostLine, { id: string }>;

async function obey(line: IdLine, world: { readonly sessions: Sessions; readonly networks: Networks }, onFault: ProgramOptions['onFault']): Promise<ProgramLine> {
  try {
    return await done(line, world);
  } catch (error) {
    if (error instanceof GatewayError) return { type: 'refused', id: line.id, message: error.message };
    onFault(error);
    return { type: 'refused', id: line.id, message: 'it met a fault of its own. Its stderr has the cause.' };
  }
}

async function done(line: IdLine, { sessions, networks }: { readonly sessions: Sessions; readonly networks: Networks }): Promise<ProgramLine> {
  const { id } = line;
  switch (line.type) {
    case 'allow':
      return { type: 'allowed', id, denied: (await networks.at(id)).allow(line.hosts) };
    case 'close':
      return { type: 'closed', id, ...(await sessions.close(id)) };
    case 'open': {
      const { type: _type, mode, ...session } = line;
      sessions.open({ ...session, mode: mode.kind === 'scripted' ? { ...mode, script: scriptOf(mode.script, mode.scriptName ?? 'script') } : mode });
      return { type: 'opened', id };
    }
    case 'token':
      sessions.addToken(id, line.token, line.window);
      return { type: 'done', id };
    case 'expire':
      sessions.expireToken(id, line.token);
      return { type: 'done', id };
    case 'upstreams':
      sessions.setUpstreams(id, line.upstreams);
      return { type: 'done', id };
  }
}

function unreadable(text: string, issues: readonly z.core.$ZodIssue[]): ProgramLine {
  const message = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join(' ');
  const value = parseJson(text);
  const id = isJsonObject(value) ? value.id : undefined;
  return { type: 'refused', message, ...(typeof id === 'string' && id !== '' && { id }) };
}
