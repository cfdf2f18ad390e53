import { lowerCoverage, type EvidenceCoverage } from '../../evidence/coverage.js';
import type { StreamEvent } from '../../evidence/events.js';
import type { Turn } from '../../evidence/turn.js';
import { messageOf } from '../../lifetime/error.js';
import type { AgentContext, AgentSandbox, TurnInput } from '../agent.js';
import { boundSandbox } from '../bound-sandbox.js';
import type { AgentSubject } from './agent-subject.js';
import type { ConformanceCheck } from '../../sandbox/conformance/check.js';
import { show } from '../../sandbox/conformance/difference.js';
import { ConformanceError } from './errors.js';
import { turnProblem } from './fits.js';
import { createMemorySession, type MemorySession } from './memory-session.js';
import { pairingProblem, usageProblem, waitingProblem } from './rules.js';

const SEND_LIMIT_MS = 120_000;

/** Raw output of one send, as far as it had come when the send was over. */
export interface RawOutput {
  readonly name: string;
  readonly sizeBytes: number;
  readonly closed: boolean;
}

/** How a send came out. */
export type Outcome =
  | { readonly kind: 'answered'; readonly answer: unknown; readonly raw: readonly RawOutput[] }
  | { readonly kind: 'rejected'; readonly error: unknown };

/** What a send is given beside its message. */
export interface SendOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds. Default: the limit of the subject. */
  readonly limitMs?: number;
  /** Called when the agent opens a place for raw output, and with each piece that it writes. */
  readonly onRaw?: (what: 'opened' | 'written') => void;
}

/** An agent that was set up in a context of its own. */
export interface Stage {
  newSession(): MemorySession;
  /** Sends a message. @throws ConformanceError when the send does not end in time. */
  send(session: MemorySession, input: TurnInput, options?: SendOptions): Promise<Outcome>;
  /** As `send`, and expects a turn that fits. */
  turnOf(session: MemorySession, input: TurnInput, options?: SendOptions): Promise<{ readonly turn: Turn; readonly raw: readonly RawOutput[] }>;
  fault(input: string, expected: string, received: string, cause?: unknown): ConformanceError;
}

/** A check that plays on a stage of its own. */
export function onStage<C extends AgentContext>(subject: AgentSubject<C>, title: string, play: (stage: Stage) => Promise<void>): ConformanceCheck {
  return {
    title: `${subject.agent.name}: ${title}`,
    run: async () => {
      const { agent } = subject;
      const opened = await subject.openContext();
      const stage = createStage(subject, opened.ctx);
      const failures: unknown[] = [];
      const doPart = async (part: () => Promise<unknown>): Promise<void> => {
        try {
          await part();
        } catch (error) {
          failures.push(error);
        }
      };
      await doPart(async () => {
        await ownPart(stage, 'setup', () => agent.setup?.(opened.ctx));
        await play(stage);
      });
      await doPart(() => ownPart(stage, 'teardown', () => agent.teardown?.(opened.ctx)));
      await doPart(async () => opened[Symbol.asyncDispose]());
      // What went wrong first is told; closing may only have failed because of it.
      if (failures.length > 0) throw failures[0];
    },
  };
}

async function ownPart(stage: Stage, name: string, part: () => Promise<void> | void | undefined): Promise<void> {
  try {
    await part();
  } catch (error) {
    throw stage.fault(`its ${name} in a fresh context`, 'no error', `it rejected with "${messageOf(error)}"`, error);
  }
}

function createStage<C extends AgentContext>({ agent, sendLimitMs = SEND_LIMIT_MS }: AgentSubject<C>, base: C): Stage {
  const told = new Map<MemorySession, readonly StreamEvent[]>();
  const fault: Stage['fault'] = (input, expected, received, cause) => new ConformanceError({ subject: agent.name, input, expected, received }, { cause });

  const send: Stage['send'] = async (session, input, { signal = new AbortController().signal, limitMs = sendLimitMs, onRaw } = {}) => {
    const raw: { name: string; sizeBytes: number; closed: boolean }[] = [];
    const openRaw: AgentContext['openRaw'] = async (name) => {
      const kept = { name, sizeBytes: 0, closed: false };
      raw.push(kept);
      onRaw?.('opened');
      const sink = await base.openRaw(`session${session.ordinal}-${name}`);
      return {
        write: async (chunk) => {
          await sink.write(chunk);
          kept.sizeBytes += chunk.length;
          onRaw?.('written');
        },
        close: async () => {
          await sink.close();
          kept.closed = true;
        },
      };
    };
    const sandbox = (base as { readonly sandbox?: AgentSandbox }).sandbox;
    const ctx = { ...base, signal, session, openRaw, ...(sandbox === undefined ? {} : { sandbox: boundSandbox(sandbox, signal) }) };
    const outcome = (async () => agent.send(input, ctx))().then(
      (answer: unknown): Outcome => ({ kind: 'answered', answer, raw: raw.map((kept) => ({ ...kept })) }),
      (error: unknown): Outcome => ({ kind: 'rejected', error }),
    );
    const settled = await within(limitMs, outcome);
    if (settled === undefined) throw fault(wordsOf(input), `a send that ends within ${limitMs} ms`, 'nothing until then');
    return settled;
  };

  return {
    fault,
    send,
    newSession: () => {
      const session = createMemorySession(told.size + 1);
      told.set(session, []);
      return session;
    },
    turnOf: async (session, input, options) => {
      const outcome = await send(session, input, options);
      if (outcome.kind === 'rejected') throw fault(wordsOf(input), 'a turn', `it rejected with "${messageOf(outcome.error)}"`, outcome.error);
      const { answer, raw } = outcome;
      const problem = turnProblem(answer);
      if (problem !== undefined) throw fault(wordsOf(input), 'a value that fits turnSchema', problem);
      const turn = answer as Turn;
      let coverage: EvidenceCoverage;
      try {
        coverage = lowerCoverage(agent.evidenceCoverage, turn.evidenceCoverage);
      } catch (error) {
        throw fault(wordsOf(input), 'coverage that is at most what the agent declares', messageOf(error), error);
      }
      // Operations are paired within a session: an end may belong to a start of an earlier turn.
      const events = [...(told.get(session) ?? []), ...turn.events];
      told.set(session, events);
      const broken = waitingProblem(turn) ?? pairingProblem(events, coverage.actions.status === 'complete') ?? usageProblem(turn.usage, coverage);
      if (broken !== undefined) throw fault(wordsOf(input), 'a turn that does not contradict itself or its session', broken);
      return { turn, raw };
    },
  };
}

/** What is sent, in words. */
export function wordsOf({ text, files, responses }: TurnInput): string {
  return `the message ${show(text)}${files === undefined ? '' : ` with ${files.length} file`}${responses === undefined ? '' : ' in answer to requests'}`;
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<undefined>((resolve) => { timer = setTimeout(() => resolve(undefined), limitMs); });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
