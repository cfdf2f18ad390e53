import type { ClaimLedger } from '../assert/ledger.js';
import type { ScopeEvidence } from '../assert/scope.js';
import { calledTool, notCalledTool, succeeded } from '../assert/scoped-claims.js';
import { isMatch } from '../expect/match.js';
import { ClaimAuthoringError } from '../assert/errors.js';
import type { SandboxTools, ScopedClaims, SessionHandle, TestContext, TurnHandle } from '../define/context.js';
import type { StreamEvent } from '../evidence/events.js';
import { toolOccurrencesOf } from '../evidence/occurrence.js';
import type { AgentSession, TurnInput } from '../agents/agent.js';
import { createAgentSession } from '../agents/agent-session.js';
import type { PlannedAttempt } from '../plan/plan.js';
import { createConversation } from './conversation.js';
import type { EvidenceLog } from './evidence-log.js';
import type { TurnRecord } from './result.js';

/** What a test's `t` is made of. */
export interface TestContextOptions {
  readonly attempt: PlannedAttempt;
  readonly log: EvidenceLog;
  readonly claims: ClaimLedger;
  readonly signal: AbortSignal;
  /** Absent for an agent without a sandbox. */
  readonly sandbox?: SandboxTools;
  /** Sends one message and records the turn, unless `fits` throws when its turn has come. */
  readonly send: (input: TurnInput, session: AgentSession, fits: () => void) => Promise<TurnRecord>;
  readonly note: (message: string) => void;
}

/** Ends a test as skipped. */
export class SkipSignal extends Error {
  readonly code = 'skip';
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** Makes the `t` of one Attempt. */
export function createTestContext(options: TestContextOptions): TestContext {
  const { log, claims, attempt } = options;
  const main = createSession(options, 'the session');
  const root = scopedClaims(claims, () => log.scope('the attempt'));
  const { model, reasoningEffort, flags = {} } = attempt.experiment;
  return {
    ...root,
    send: main.send,
    sendFile: main.sendFile,
    requireInputRequest: main.requireInputRequest,
    respond: main.respond,
    respondAll: main.respondAll,
    get sessionId() { return main.sessionId; },
    get reply() { return main.reply; },
    get events() { return log.eventsOf(); },
    get sandbox() {
      if (options.sandbox === undefined) throw new ClaimAuthoringError(`The agent "${attempt.experiment.agent.name}" has no sandbox. Use an agent made by defineSandboxAgent.`);
      return options.sandbox;
    },
    signal: options.signal,
    ...(model === undefined ? {} : { model }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    flags,
    get usage() { return log.usage; },
    newSession: () => createSession(options, undefined),
    check: (value, match) => {
      if (!isMatch(match) || match.domain !== 'value') throw new ClaimAuthoringError('check(value, match) needs a value match, for instance equals(...).');
      if (typeof (value as { then?: unknown } | null | undefined)?.then === 'function') {
        throw new ClaimAuthoringError('check(value, match) was given a promise. Put `await` before the value.');
      }
      // Compared now: the author may change the value later.
      const outcome = settledNow(() => match.evaluate(value));
      return claims.register({ description: `the value ${match.description}`, evaluate: () => outcome });
    },
    skip: (reason) => {
      if (typeof reason !== 'string' || reason.trim() === '') throw new ClaimAuthoringError('skip(reason) needs a reason.');
      throw new SkipSignal(reason);
    },
    log: (message) => options.note(String(message)),
  };
}

/** The outcome of work that begins at once, as a promise that breaks nothing while nobody looks at it. */
function settledNow<T>(work: () => T | Promise<T>): Promise<T> {
  const outcome = (async () => work())();
  outcome.catch(() => undefined);
  return outcome;
}

function createSession(options: TestContextOptions, name: string | undefined): SessionHandle {
  const ordinal = options.log.newSession();
  const session = createAgentSession(ordinal);
  const title = name ?? `session ${ordinal}`;
  const { log, claims, send } = options;
  const conversation = createConversation({ title, session, log, claims, send, evalFile: options.attempt.evalFile });
  const handled = async (turn: Promise<TurnRecord>): Promise<TurnHandle> => turnHandle(options, await turn);
  return {
    ...scopedClaims(options.claims, () => options.log.scope(title, { session: ordinal })),
    get sessionId() { return session.id; },
    get reply() { return lastText(options.log.eventsOf(ordinal)); },
    get events() { return options.log.eventsOf(ordinal); },
    send: (input) => handled(conversation.send(input)),
    sendFile: (path, text) => handled(conversation.sendFile(path, text)),
    requireInputRequest: (filter) => conversation.requireInputRequest(filter),
    respond: (...answers) => handled(conversation.respond(answers)),
    respondAll: (optionId) => handled(conversation.respondAll(optionId)),
  };
}

function turnHandle({ log, claims }: TestContextOptions, record: TurnRecord): TurnHandle {
  const title = record.session === 1 ? `turn ${record.turn}` : `session ${record.session} turn ${record.turn}`;
  return {
    ...scopedClaims(claims, () => log.scope(title, { turn: record })),
    status: record.status,
    events: record.events,
    toolCalls: toolOccurrencesOf(record.events).occurrences,
    message: lastText(record.events),
    ...(record.data === undefined ? {} : { data: record.data }),
    ...(record.usage === undefined ? {} : { usage: record.usage }),
  };
}

function scopedClaims(claims: ClaimLedger, scope: () => ScopeEvidence): ScopedClaims {
  return {
    succeeded: () => claims.register(succeeded(scope())),
    calledTool: (tool, given) => claims.register(calledTool(scope(), tool, given)),
    notCalledTool: (tool) => claims.register(notCalledTool(scope(), tool)),
  };
}

function lastText(events: readonly StreamEvent[]): string {
  const texts = events.flatMap((event) => (
    event.type === 'message' && event.role === 'assistant' && event.parentOperationId === undefined && event.text.trim() !== '' ? [event.text] : []
  ));
  return texts.at(-1) ?? '';
}
