import type { AgentContext, TurnInput } from '../../../src/agents/agent.js';
import type { AgentSubject } from '../../../src/agents/conformance/agent-subject.js';
import { openMemoryContext } from '../../../src/agents/conformance/memory-context.js';
import { defineAgent, type AgentInput } from '../../../src/agents/define-agent.js';
import { createSessionSlot } from '../../../src/agents/session-slot.js';
import type { EvidenceCoverage } from '../../../src/evidence/coverage.js';
import type { InputRequest } from '../../../src/evidence/events.js';
import type { Turn } from '../../../src/evidence/turn.js';

const HISTORY = createSessionSlot<readonly string[]>('what was said');

export const evidenceCoverage: EvidenceCoverage = {
  events: { status: 'complete' }, actions: { status: 'complete' }, messages: { status: 'complete' }, status: { status: 'complete' },
  usage: { status: 'partial', reason: 'only output is counted' }, data: { status: 'unavailable', reason: 'it makes none' },
};

/** Works in the memory of the process: repeats what it hears, asks at "ask", and works until its time is up at "work". */
export async function answer(input: TurnInput, ctx: AgentContext): Promise<Turn> {
  ctx.signal.throwIfAborted();
  const [file] = input.files ?? [];
  if (file !== undefined) throw new Error(`it cannot be shown ${file.mediaType}`);
  ctx.session.capture(ctx.session.id ?? crypto.randomUUID());
  const history = [...(ctx.session.get(HISTORY) ?? []), input.text];
  ctx.session.set(HISTORY, history);
  if (input.text === 'work') await aborted(ctx.signal);
  if (input.text === 'ask') return asking({ id: `q${history.length}`, action: 'sh', prompt: 'May I?', options: [{ id: 'approve' }, { id: 'deny' }] });
  const id = `call-${history.length}`;
  return {
    status: 'completed',
    events: [
      { type: 'operation.started', operationId: id, operation: { kind: 'tool', name: 'repeat', input: { text: input.text }, command: { classification: 'not-command' } } },
      { type: 'operation.finished', operationId: id, kind: 'tool', status: 'completed', output: input.text },
      { type: 'message', role: 'assistant', text: `${history.length}: ${input.text}` },
    ],
    usage: { outputTokens: 3 },
  };
}

export function asking(...requests: readonly InputRequest[]): Turn {
  return { status: 'waiting', events: requests.map((request) => ({ type: 'input.requested', request })) };
}

/** A subject with an agent of which some parts are different. */
export function memorySubject(parts: Partial<AgentInput> = {}, more: Partial<AgentSubject<AgentContext>> = {}): AgentSubject<AgentContext> {
  return {
    agent: defineAgent({ name: 'memory', evidenceCoverage, send: answer, ...parts }),
    openContext: () => openMemoryContext(),
    prompt: 'hello', longPrompt: 'work', waitingPrompt: 'ask', abortLimitMs: 500, sendLimitMs: 2_000,
    ...more,
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => { signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }); });
}
