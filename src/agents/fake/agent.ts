import { completeEvidenceCoverage } from '../../evidence/coverage.js';
import type { StreamEvent } from '../../evidence/events.js';
import type { Turn } from '../../evidence/turn.js';
import { messageOf } from '../../lifetime/error.js';
import type { SandboxAgent, SandboxAgentContext, TurnInput } from '../agent.js';
import type { AgentConditions } from '../conditions.js';
import { defineSandboxAgent } from '../define-agent.js';
import { AgentSendError } from '../errors.js';
import { createSessionSlot } from '../session-slot.js';
import { createFakeHistory, fakeTokensOf, FAKE_WINDOW_TOKENS, type FakeHistory } from './history.js';
import { carryOut, isForbidden, operationOf, type FakeToolCall } from './tools.js';

/** How the fake agent behaves. */
export interface FakeAgentOptions {
  /** Is made once, before its first answer. Absent: none. */
  readonly toolCall?: FakeToolCall;
}

const FREE: AgentConditions = { approvals: 'never', writes: 'anywhere', network: false, mcp: false, hooks: false };
const ANSWER = 'hello from Kairox';
const APPROVAL_OPTIONS = [{ id: 'approve', label: 'Approve' }, { id: 'deny', label: 'Deny' }] as const;

const HISTORY = createSessionSlot<FakeHistory>('what was said');

/**
 * An agent without a model: it answers `hello from Kairox` to everything, makes one tool call before if it is told to, and counts a token
 * for four characters. What it does in the sandbox is real. It keeps to all conditions.
 */
export function fakeAgent(options: FakeAgentOptions = {}): SandboxAgent {
  return under(options, FREE);
}

function under(options: FakeAgentOptions, conditions: AgentConditions): SandboxAgent {
  return defineSandboxAgent({
    name: 'fake',
    evidenceCoverage: completeEvidenceCoverage,
    under: (wanted) => under(options, wanted),
    send: (input, ctx) => send(options, conditions, input, ctx),
  });
}

async function send({ toolCall }: FakeAgentOptions, conditions: AgentConditions, { text }: TurnInput, ctx: SandboxAgentContext): Promise<Turn> {
  const begun = ctx.session.get(HISTORY);
  const history = begun ?? createFakeHistory(conditions);
  ctx.session.set(HISTORY, history);
  ctx.session.capture(`fake-${ctx.session.ordinal}`);
  const events: StreamEvent[] = [];
  const spent = { requests: 0, inputTokens: 0, outputTokens: 0 };
  let contextTokens = 0;
  const ask = (answer: string): void => {
    const limit = conditions.compactAt === undefined ? Infinity : conditions.compactAt * FAKE_WINDOW_TOKENS;
    if (history.tokens > limit) {
      const tokensBefore = history.tokens;
      history.compact();
      events.push({ type: 'compaction', reason: 'threshold', tokensBefore, tokensAfter: history.tokens });
    }
    contextTokens = history.tokens;
    spent.requests += 1;
    spent.inputTokens += contextTokens;
    spent.outputTokens += fakeTokensOf(answer);
    history.add(answer);
  };

  history.add(text);
  if (toolCall !== undefined && begun === undefined) {
    ask(JSON.stringify(toolCall));
    events.push({ type: 'operation.started', operationId: CALL_ID, operation: operationOf(toolCall) });
    const made = await callTool(toolCall, conditions, ctx).catch((error: unknown) => {
      if (!ctx.signal.aborted) throw error;
      throw new AgentSendError(`fake was ended: ${messageOf(error)}`, { kind: 'stopped', agent: 'fake', turn: { status: 'failed', events, usage: spent, evidenceCoverage: CUT } }, { cause: error });
    });
    events.push(...made.events);
    history.add(made.output);
  }
  ask(ANSWER);
  events.push({ type: 'message', role: 'assistant', text: ANSWER });
  return { status: 'completed', events, usage: spent, context: { inputTokens: contextTokens, windowTokens: FAKE_WINDOW_TOKENS } };
}

const CALL_ID = 'fake-call-1';
const WAS_ENDED = { status: 'partial', reason: 'the agent was ended while a tool was at work' } as const;
const CUT = { events: WAS_ENDED, actions: WAS_ENDED, messages: WAS_ENDED, usage: WAS_ENDED, status: WAS_ENDED };

/** A call that needs leave is refused: nobody is there to give it. */
async function callTool(call: FakeToolCall, conditions: AgentConditions, ctx: SandboxAgentContext): Promise<{ readonly events: readonly StreamEvent[]; readonly output: string }> {
  const operation = operationOf(call);
  if (conditions.approvals === 'always' || isForbidden(call, conditions, ctx.sandbox.workdir)) {
    const output = 'This was not allowed.';
    const request = { id: `${CALL_ID}-leave`, action: operation.name, input: operation.input, options: APPROVAL_OPTIONS };
    return {
      output,
      events: [
        ...(conditions.approvals === 'never' ? [] : [{ type: 'input.requested', request } as const]),
        { type: 'operation.finished', operationId: CALL_ID, kind: 'tool', status: 'rejected', output },
      ],
    };
  }
  const { status, output, exitCode } = await carryOut(call, ctx.sandbox, ctx.signal);
  return { output, events: [{ type: 'operation.finished', operationId: CALL_ID, kind: 'tool', status, output, exitCode }] };
}
