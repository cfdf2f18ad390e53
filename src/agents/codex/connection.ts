import type { InputResponse, SandboxAgentContext } from '../agent.js';
import { fieldsOf, listOf, nameOf, type Fields } from '../fields.js';
import { createJsonLineReader } from '../json-lines.js';
import { startCli, untilRest, type CliStart, type RunningCli } from '../running-cli.js';
import { requestIdOf } from './app-server.js';

/** What a turn is started with. */
export interface TurnStart {
  /** The thread to go on with; absent: a new one. */
  readonly threadId?: string;
  readonly model?: string;
  readonly effort?: string;
  readonly text: string;
  /** Paths in the sandbox. */
  readonly images: readonly string[];
  readonly schema?: Fields;
  /** When the CLI asks, where its configuration cannot say it. Absent: as that says. */
  readonly approvals?: 'untrusted';
  /** How the parser calls a request of this process. */
  readonly idOf: (native: string) => string;
}

/** One `codex app-server`, for one turn. */
export interface Connection {
  readonly cli: RunningCli;
  /** Answers requests that are open. */
  answer(responses: readonly InputResponse[]): void;
  /** Lets it work until its process has ended or it waits for a person. */
  rest(): Promise<'ended' | 'asking'>;
  /** Why it refused to begin the turn. `undefined`: it did not. */
  refusal(): string | undefined;
}

interface OpenRequest { readonly id: number | string; readonly method: string; readonly params: Fields }

/** Starts an app-server and a turn on it. Its input is ended when the turn has, so that it ends by itself. */
export async function openConnection(ctx: SandboxAgentContext, start: Omit<CliStart, 'onStdout' | 'keepInput'>, turn: TurnStart): Promise<Connection> {
  const open = new Map<string, OpenRequest>();
  let threadId = turn.threadId;
  let refused: string | undefined;
  const write = (message: Fields): void => cli.write(`${JSON.stringify(message)}\n`);

  const takeReply = (message: Fields): void => {
    if (message['error'] !== undefined) {
      refused = nameOf(fieldsOf(message['error'])?.['message']) ?? 'it gave no reason';
      return cli.endInput();
    }
    const result = fieldsOf(message['result']);
    if (message['id'] === INITIALIZE) {
      write({ method: 'initialized' });
      const settings = { cwd: ctx.sandbox.workdir, ...(turn.approvals === undefined ? {} : { approvalPolicy: turn.approvals }), ...(turn.model === undefined ? {} : { model: turn.model }) };
      write(threadId === undefined ? { id: THREAD, method: 'thread/start', params: settings } : { id: THREAD, method: 'thread/resume', params: { threadId, excludeTurns: true, ...settings } });
    } else if (message['id'] === THREAD) {
      threadId = nameOf(fieldsOf(result?.['thread'])?.['id']) ?? threadId;
      const input = [...turn.images.map((path) => ({ type: 'localImage', path })), { type: 'text', text: turn.text, text_elements: [] }];
      write({ id: TURN, method: 'turn/start', params: {
        threadId, input, ...(turn.effort === undefined ? {} : { effort: turn.effort }), ...(turn.schema === undefined ? {} : { outputSchema: turn.schema }),
      } });
    }
  };

  const take = (message: Fields): void => {
    const method = nameOf(message['method']);
    const params = fieldsOf(message['params']) ?? {};
    const id = message['id'];
    if (method === undefined) return takeReply(message);
    if (typeof id === 'number' || typeof id === 'string') {
      if (ANSWERABLE.has(method)) open.set(String(id), { id, method, params });
      // Unanswered it would wait for ever.
      else write({ id, error: { code: -32601, message: 'not supported by this client' } });
      return;
    }
    if (method === 'serverRequest/resolved') open.delete(requestIdOf(params['requestId']) ?? '');
    if (method === 'turn/completed' && params['threadId'] === threadId) {
      open.clear();
      cli.endInput();
    }
  };

  const lines = createJsonLineReader({ value: (value) => take(fieldsOf(value) ?? {}), unreadable: () => undefined });
  const cli: RunningCli = await startCli(ctx, { ...start, keepInput: true, onStdout: (chunk) => lines.push(chunk) });
  write({ id: INITIALIZE, method: 'initialize', params: { clientInfo: { name: 'niceeval', title: 'niceeval', version: '1' }, capabilities: { experimentalApi: true, requestAttestation: false } } });

  return {
    cli,
    answer(responses) {
      for (const request of [...open.values()]) {
        const id = turn.idOf(String(request.id));
        const own = responses.filter((response) => response.request.id === id || response.request.id?.startsWith(`${id}#`) === true);
        if (own.length === 0) continue;
        open.delete(String(request.id));
        write({ id: request.id, result: resultOf(request, own) });
      }
    },
    rest: () => untilRest(cli, () => open.size > 0),
    refusal: () => refused,
  };
}

const INITIALIZE = 1;
const THREAD = 2;
const TURN = 3;

const ANSWERABLE: ReadonlySet<string> = new Set([
  'item/commandExecution/requestApproval', 'item/fileChange/requestApproval', 'mcpServer/elicitation/request', 'item/tool/requestUserInput',
]);

function resultOf({ method, params }: OpenRequest, responses: readonly InputResponse[]): Fields {
  const approved = responses.every(({ optionId }) => optionId === 'approve');
  if (method === 'mcpServer/elicitation/request') return { action: approved ? 'accept' : 'decline', content: approved ? {} : null, _meta: null };
  if (method !== 'item/tool/requestUserInput') return { decision: approved ? 'accept' : 'decline' };
  const ids = listOf(params['questions']).map((question) => nameOf(fieldsOf(question)?.['id']) ?? '');
  return {
    answers: Object.fromEntries(responses.map(({ request, optionId, text }, index) => {
      const own = request.id?.split('#').slice(1).join('#');
      return [own !== undefined && ids.includes(own) ? own : ids[index] ?? '', { answers: [text ?? optionId] }];
    })),
  };
}
