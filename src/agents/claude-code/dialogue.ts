import type { InputResponse, SandboxAgentContext } from '../agent.js';
import { fieldsOf, listOf, nameOf, type Fields } from '../fields.js';
import { createJsonLineReader } from '../json-lines.js';
import { startCli, untilRest, type CliStart, type RunningCli } from '../running-cli.js';
import { answers, controlResponseOf, isRefusal, type OpenRequest } from './answers.js';

/** How a tool server is doing, as the CLI says. */
export interface ServerStatus {
  readonly name: string;
  readonly status: string;
  readonly error?: string;
}

/** One process of the CLI, spoken to in its stream-json and control protocol. */
export interface Dialogue {
  readonly cli: RunningCli;
  say(message: Fields): void;
  /** Answers requests that are open. */
  answer(responses: readonly InputResponse[]): void;
  /** Calls that were refused by an answer. */
  readonly denied: ReadonlySet<string>;
  /** Waits until no tool server is starting any more. Empty when the CLI ended before it could tell. */
  serversReady(): Promise<readonly ServerStatus[]>;
  /** Lets it work until its process has ended or it waits for a person. */
  rest(): Promise<'ended' | 'asking'>;
}

const SERVERS_LIMIT_MS = 60_000;
const LOOK_AGAIN_MS = 100;

/** Starts the CLI. Its input is ended when it has told its result, so that it ends by itself. */
export async function openDialogue(ctx: SandboxAgentContext, start: Omit<CliStart, 'onStdout' | 'keepInput'>): Promise<Dialogue> {
  const open = new Map<string, OpenRequest>();
  const replies = new Map<string, (reply: Fields) => void>();
  const denied = new Set<string>();
  let requests = 0;

  const write = (line: Fields): void => cli.write(`${JSON.stringify(line)}\n`);

  const takeRequest = (record: Fields): void => {
    const id = nameOf(record['request_id']);
    const request = fieldsOf(record['request']);
    if (id === undefined) return;
    if (request?.['subtype'] === 'can_use_tool') {
      open.set(id, { id, call: nameOf(request['tool_use_id']), tool: nameOf(request['tool_name']), input: fieldsOf(request['input']) ?? {} });
      return;
    }
    // Unanswered it would wait for ever.
    write({ type: 'control_response', response: { subtype: 'error', request_id: id, error: 'not supported by this client' } });
  };

  const take = (record: Fields): void => {
    switch (record['type']) {
      case 'control_request': return takeRequest(record);
      case 'control_cancel_request':
        open.delete(nameOf(record['request_id']) ?? '');
        return;
      case 'control_response': {
        const response = fieldsOf(record['response']);
        const id = nameOf(response?.['request_id']) ?? '';
        replies.get(id)?.(fieldsOf(response?.['response']) ?? {});
        replies.delete(id);
        return;
      }
      case 'result':
        open.clear();
        return cli.endInput();
      default:
    }
  };

  const lines = createJsonLineReader({ value: (value) => take(fieldsOf(value) ?? {}), unreadable: () => undefined });
  const cli: RunningCli = await startCli(ctx, { ...start, keepInput: true, onStdout: (chunk) => lines.push(chunk) });

  const ask = async (subtype: string): Promise<Fields | undefined> => {
    requests += 1;
    const id = `niceeval-${requests}`;
    const reply = new Promise<Fields>((resolve) => { replies.set(id, resolve); });
    write({ type: 'control_request', request_id: id, request: { subtype } });
    return Promise.race([reply, cli.ended.then(() => undefined)]);
  };

  return {
    cli,
    denied,
    say: write,
    answer(responses) {
      for (const request of [...open.values()]) {
        const own = responses.filter((response) => answers(request, response));
        if (own.length === 0) continue;
        open.delete(request.id);
        if (request.call !== undefined && isRefusal(request, own)) denied.add(request.call);
        write(controlResponseOf(request, own));
      }
    },
    async serversReady() {
      const until = performance.now() + SERVERS_LIMIT_MS;
      for (;;) {
        const servers = listOf((await ask('mcp_status'))?.['mcpServers']).flatMap(statusOf);
        if (performance.now() >= until || servers.every(({ status }) => status !== 'pending')) return servers;
        await new Promise((resolve) => { setTimeout(resolve, LOOK_AGAIN_MS); });
      }
    },
    rest: () => untilRest(cli, () => open.size > 0),
  };
}

function statusOf(value: unknown): readonly ServerStatus[] {
  const server = fieldsOf(value);
  const name = nameOf(server?.['name']);
  const error = nameOf(server?.['error']);
  return name === undefined ? [] : [{ name, status: nameOf(server?.['status']) ?? 'unknown', ...(error === undefined ? {} : { error }) }];
}
