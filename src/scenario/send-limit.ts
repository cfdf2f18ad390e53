import type { SandboxAgent } from '../agents/agent.js';
import { boundSandbox } from '../agents/bound-sandbox.js';
import { defineSandboxAgent } from '../agents/define-agent.js';
import { createSessionSlot } from '../agents/session-slot.js';
import { startDeadline } from '../lifetime/deadline.js';

const STOP = createSessionSlot<AbortController>('what ends the processes of the session when an answer takes too long');

/**
 * The same agent with a limit for the answer to each message; one that takes longer is ended, and what was seen of it is kept. A CLI that
 * waits for leave lives on from one answer to the next, so that what ends it belongs to its session.
 */
export function withSendLimit(agent: SandboxAgent, limitMs: number): SandboxAgent {
  const { kind: _kind, send, ...facts } = agent;
  return defineSandboxAgent({
    ...facts,
    send: async (input, ctx) => {
      const stop = ctx.session.get(STOP) ?? new AbortController();
      ctx.session.set(STOP, stop);
      const deadline = startDeadline(limitMs, { budget: 'time for an answer (--wait-timeout-ms)', parent: ctx.signal });
      const onEnd = (): void => stop.abort(deadline.signal.reason);
      deadline.signal.addEventListener('abort', onEnd, { once: true });
      try {
        return await send(input, { ...ctx, signal: deadline.signal, sandbox: boundSandbox(ctx.sandbox, stop.signal) });
      } finally {
        deadline.signal.removeEventListener('abort', onEnd);
        deadline.close();
      }
    },
  });
}
