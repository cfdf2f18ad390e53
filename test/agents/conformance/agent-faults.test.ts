import { describe, expect, it } from 'vitest';
import type { AgentContext, AgentSandbox, SandboxAgentContext } from '../../../src/agents/agent.js';
import { agentConformance } from '../../../src/agents/conformance/agent-conformance.js';
import type { AgentSubject } from '../../../src/agents/conformance/agent-subject.js';
import { ConformanceError } from '../../../src/agents/conformance/errors.js';
import { openMemoryContext } from '../../../src/agents/conformance/memory-context.js';
import { defineSandboxAgent, type SandboxAgentInput } from '../../../src/agents/define-agent.js';
import { AgentSendError } from '../../../src/agents/errors.js';
import { createSessionSlot } from '../../../src/agents/session-slot.js';
import type { Turn } from '../../../src/evidence/turn.js';
import { answer, asking, evidenceCoverage, memorySubject } from './memory-agent.js';

const withTurn = (change: (turn: Turn) => object): AgentSubject<AgentContext> => memorySubject({ send: async (input, ctx) => change(await answer(input, ctx)) as Turn });
const never = new Promise<never>(() => undefined);

/** A sandbox of which only the commands of the agent below are asked for. */
const sandbox = {
  home: '/home/agent',
  runCommand: (_command: string, [text]: readonly string[], { signal }: { readonly signal?: AbortSignal } = {}) => (
    signal?.aborted === true ? Promise.reject(signal.reason as Error) : Promise.resolve({ exitCode: 0, stdout: `${text}\n`, stderr: '', durationMs: 1 })),
} as unknown as AgentSandbox;

/** An agent that repeats by a command of its sandbox. */
const echo: SandboxAgentInput['send'] = async (input, ctx) => {
  if (input.files !== undefined) throw new Error('it cannot be shown files');
  const raw = await ctx.openRaw('stdout.txt');
  const { stdout } = await ctx.sandbox.runCommand('echo', [input.text]);
  await raw.write(Buffer.from(stdout));
  await raw.close();
  return { status: 'completed', events: [{ type: 'message', role: 'assistant', text: stdout.trim() }], usage: { outputTokens: 1 } };
};

const sandboxSubject = (send: SandboxAgentInput['send'] = echo): AgentSubject<SandboxAgentContext> => ({
  agent: defineSandboxAgent({ name: 'memory', evidenceCoverage, send }), openContext: () => openMemoryContext({ sandbox }), prompt: 'hello', abortLimitMs: 500, sendLimitMs: 2_000,
});

/** What is wrong with the agent, and the check that has to find it. */
const FAULTS: readonly (readonly [fault: string, check: string, make: () => AgentSubject<AgentContext> | AgentSubject<SandboxAgentContext>])[] = [
  ['was not made by defineAgent', 'declares how completely it collects every channel', () => memorySubject({}, { agent: { kind: 'direct', name: 'memory', evidenceCoverage, send: answer } })],
  ['throws when its settings are checked', 'says in words, or not at all, why it cannot work with settings', () => memorySubject({ check: ({ model }) => (model as string).trim() })],
  ['refuses settings without a word', 'says in words, or not at all, why it cannot work with settings', () => memorySubject({ check: ({ model }) => (model === undefined ? undefined : '') })],
  ['leaves out files that it does not know', 'refuses a file of a kind that it cannot be shown', () => memorySubject({ send: ({ files: _files, ...input }, ctx) => answer(input, ctx) })],
  ['answers with something that is no turn', 'answers with a completed turn that only lowers coverage', () => withTurn(({ events }) => ({ events, status: 'ok' }))],
  ['claims more than it declares', 'answers with a completed turn that only lowers coverage', () => withTurn((turn) => ({ ...turn, evidenceCoverage: { data: { status: 'complete' } } }))],
  ['tells usage of which it declares that it knows none', 'answers with a completed turn that only lowers coverage', () => withTurn((turn) => ({ ...turn, evidenceCoverage: { usage: { status: 'unavailable', reason: 'it is not reported' } } }))],
  ['tells the message that it was sent', 'answers with a completed turn that only lowers coverage', () => withTurn((turn) => ({ ...turn, events: [{ type: 'message', role: 'user', text: 'hello' }, ...turn.events] }))],
  ['does not answer', 'answers with a completed turn that only lowers coverage', () => memorySubject({ send: () => never }, { sendLimitMs: 50 })],
  ['cannot be set up', 'answers with a completed turn that only lowers coverage', () => memorySubject({ setup: () => Promise.reject(new Error('no')) })],
  ['cannot be taken down', 'answers with a completed turn that only lowers coverage', () => memorySubject({ teardown: () => Promise.reject(new Error('no')) })],
  ['takes another id for each send', 'goes on with its session at the second send', () => memorySubject({ send: (input, ctx) => {
    ctx.session.capture(crypto.randomUUID());
    return answer(input, { ...ctx, session: { ...ctx.session, capture: () => undefined } });
  } })],
  ['numbers its operations anew in each send', 'goes on with its session at the second send', () => withTurn((turn) => ({ ...turn, events: turn.events.map((event) => ('operationId' in event ? { ...event, operationId: 'call-1' } : event)) }))],
  ['has one conversation for all sessions', 'keeps sessions apart', () => {
    const all = crypto.randomUUID();
    return memorySubject({ send: (input, ctx) => {
      ctx.session.capture(all);
      return answer(input, ctx);
    } });
  }],
  ['goes on with the conversation that was last', 'keeps sessions apart', () => {
    let last: string | undefined;
    return memorySubject({ send: (input, ctx) => {
      const isFirst = ctx.session.id === undefined;
      if (!isFirst && last !== undefined) ctx.session.capture(last);
      const sent = answer(input, ctx);
      if (isFirst) last = ctx.session.id;
      return sent;
    } });
  }],
  ['pays no heed to its signal', 'does not complete a send whose signal is aborted already', () => memorySubject({ send: (input, ctx) => answer(input, { ...ctx, signal: new AbortController().signal }) })],
  ['does not end when its time is up', 'ends soon when it is aborted at work', () => memorySubject({ send: (input, ctx) => (input.text === 'work' ? never : answer(input, ctx)) }, { abortLimitMs: 50 })],
  ['hands over a completed turn with its failure', 'ends soon when it is aborted at work', () => memorySubject({ send: (input, ctx) => (
    answer(input, ctx).catch(() => Promise.reject(new AgentSendError('it was stopped', { kind: 'stopped', agent: 'memory', turn: { events: [], status: 'completed' } })))) })],
  ['waits without a question', 'says in a waiting turn what it waits for, and goes on when it is answered', () => withTurn((turn) => (turn.status === 'waiting' ? { ...turn, events: [] } : turn))],
  ['does not wait when it should', 'says in a waiting turn what it waits for, and goes on when it is answered', () => withTurn((turn) => (turn.status === 'waiting' ? { ...turn, status: 'completed' } : turn))],
  ['does not hear answers', 'says in a waiting turn what it waits for, and goes on when it is answered', () => memorySubject({ send: (input, ctx) => (
    input.text === 'ask' || input.responses !== undefined ? Promise.resolve(asking({ id: 'q', prompt: 'May I?' })) : answer(input, ctx)) })],
  ['asks without an end', 'says in a waiting turn what it waits for, and goes on when it is answered', () => {
    const asked = createSessionSlot<number>('asked');
    return memorySubject({ send: (_input, ctx) => {
      const count = (ctx.session.get(asked) ?? 0) + 1;
      ctx.session.set(asked, count);
      return Promise.resolve(asking({ id: `q${count}` }));
    } });
  }],
  ['stores nothing', 'has stored its raw output when it answers', () => sandboxSubject((input, ctx) => echo(input, { ...ctx, openRaw: () => Promise.resolve({ write: () => Promise.resolve(), close: () => Promise.resolve() }) }))],
  ['stores its raw output later', 'has stored its raw output when it answers', () => sandboxSubject(async (input, ctx) => echo(input, { ...ctx, openRaw: async (name) => {
    const raw = await ctx.openRaw(name);
    return { write: (chunk) => raw.write(chunk), close: async () => { setTimeout(() => { void raw.close(); }, 1); } };
  } }))],
  ['runs its command although it was aborted', 'does not complete a send that is aborted as its CLI is started', () => sandboxSubject((input, ctx) => echo(input, { ...ctx, sandbox }))],
];

const runOf = (subject: AgentSubject<AgentContext> | AgentSubject<SandboxAgentContext>, title: string): (() => Promise<void>) | undefined =>
  agentConformance(subject as AgentSubject<AgentContext>).find((check) => check.title === `memory: ${title}`)?.run;

describe('the suite for agents', () => {
  for (const { title, run } of agentConformance(memorySubject())) it(`passes a sound direct agent: ${title}`, run);
  for (const { title, run } of agentConformance(sandboxSubject())) it(`passes a sound sandbox agent: ${title}`, run);

  it.each(FAULTS)('finds the agent that %s', async (_fault, title, make) => {
    await expect(runOf(make(), title)?.()).rejects.toBeInstanceOf(ConformanceError);
  });

  it('has for each of its checks a fault that it finds', () => {
    const found = new Set(FAULTS.map(([, check]) => `memory: ${check}`));
    const all = [...agentConformance(memorySubject()), ...agentConformance(sandboxSubject())].map(({ title }) => title);
    expect(all.filter((title) => !found.has(title))).toStrictEqual([]);
  });

  it('does without the refusal of files for an agent that takes any, and without questions for one that asks nobody', () => {
    const { waitingPrompt: _none, ...silent } = memorySubject({}, { takesAnyFile: true });
    const left = new Set(agentConformance(silent).map(({ title }) => title));
    expect(agentConformance(memorySubject()).map(({ title }) => title).filter((title) => !left.has(title))).toStrictEqual([
      'memory: refuses a file of a kind that it cannot be shown',
      'memory: says in a waiting turn what it waits for, and goes on when it is answered',
    ]);
  });

  it('tells the first thing that went wrong, not what closing came to', async () => {
    const subject = memorySubject({ send: () => Promise.reject(new Error('broken')), teardown: () => Promise.reject(new Error('no')) });
    await expect(runOf(subject, 'answers with a completed turn that only lowers coverage')?.()).rejects.toThrow('memory does not conform. Expected: a turn. Input: the message "hello". Received: it rejected with "broken".');
  });

  it('refuses a subject with an empty prompt', () => {
    expect(() => agentConformance(memorySubject({}, { prompt: '' }))).toThrow(new TypeError('agentConformance() needs a `prompt` that "memory" can complete; it is empty.'));
  });
});

describe('a context in memory', () => {
  it('keeps raw output, files and remarks, and runs cleanups the last first', async () => {
    const told: string[] = [];
    const opened = openMemoryContext({ model: 'm', endpoint: { origin: 'http://gateway:1', token: 't' } });
    {
      await using context = opened;
      const { ctx } = context;
      const raw = await ctx.openRaw('out');
      await raw.write(Buffer.from('a'));
      await raw.write(Buffer.from('b'));
      await ctx.keepFile('x/y', Buffer.from('kept'));
      ctx.diagnostic('code', 'message');
      ctx.onEnd('first', () => { told.push('first'); });
      ctx.onEnd('second', () => { told.push('second'); });
      ctx.onEnd('third', () => Promise.reject(new Error('no')));
      expect([ctx.model, ctx.endpoint?.origin, ctx.session.ordinal]).toStrictEqual(['m', 'http://gateway:1', 1]);
    }
    expect(told).toStrictEqual(['second', 'first']);
    expect(Buffer.from(opened.raw.get('out') ?? []).toString()).toBe('ab');
    expect(Buffer.from(opened.files.get('x/y') ?? []).toString()).toBe('kept');
    expect(opened.diagnostics).toStrictEqual([{ code: 'code', message: 'message' }, { code: 'cleanup', message: 'third: no' }]);
  });
});
