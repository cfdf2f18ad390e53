import type { AgentSession, TurnInput } from '../agents/agent.js';
import { createAgentSession } from '../agents/agent-session.js';
import { ClaimAuthoringError } from '../assert/errors.js';
import type { AnyHandle } from '../assert/handle.js';
import { checkedPoints, type ClaimLedger } from '../assert/ledger.js';
import type { AnyTestContext, DiagnosticInput, ProgressInput, SandboxTools, SessionHandle, TurnHandle } from '../define/context.js';
import type { EvalDefinition } from '../define/eval.js';
import { activityOf } from '../evidence/activity.js';
import type { StreamEvent } from '../evidence/events.js';
import { toolOccurrencesOf } from '../evidence/occurrence.js';
import type { PlannedAttempt } from '../plan/plan.js';
import { checkValue } from './check-value.js';
import { checkArguments, claimsOf, type AnyHandles } from './claims-of.js';
import { createConversation } from './conversation.js';
import type { EvidenceLog } from './evidence-log.js';
import type { Judging } from './judging.js';
import { checkedDiagnostic, checkedProgress } from './remarks.js';
import type { TurnRecord } from './result.js';

/** What a test's `t` is made of. */
export interface TestContextOptions {
  readonly attempt: PlannedAttempt;
  readonly log: EvidenceLog;
  readonly claims: ClaimLedger;
  /** Runs the body under a title. */
  readonly group: (title: string, body: () => Promise<void> | void) => Promise<void>;
  readonly judging: Judging;
  readonly signal: AbortSignal;
  /** Absent for an agent without a sandbox. */
  readonly sandbox?: SandboxTools<AnyHandles>;
  /** Sends one message and records the turn, unless `fits` throws when its turn has come. */
  readonly send: (input: TurnInput, session: AgentSession, fits: () => void) => Promise<TurnRecord>;
  readonly note: (message: string) => void;
  readonly remark: (diagnostic: DiagnosticInput) => void;
  readonly progress: (progress: ProgressInput) => void;
}

/** Ends a test as skipped. */
export class SkipSignal extends Error {
  readonly code = 'skip';
  constructor(readonly reason: string) {
    super(reason);
  }
}

/** Makes the `t` of one Attempt and gives it to the author's test. */
export async function beginTest(definition: EvalDefinition, options: TestContextOptions): Promise<void> {
  const t = createTestContext(options);
  // Assigned, not spread: a spread would freeze what `t.reply` and the like give.
  if (definition.evaluationKind === 'pass') return definition.test(Object.assign(t, { evaluationKind: 'pass' as const }));
  return definition.test(Object.assign(t, {
    evaluationKind: 'score' as const,
    score: (points: number, ...more: readonly unknown[]): AnyHandle => {
      checkArguments('score', 1, [points, ...more]);
      return options.claims.register({ kind: 'points', description: 'points that the test gave', given: checkedPoints(points) });
    },
  }));
}

function createTestContext(options: TestContextOptions): Omit<AnyTestContext<AnyHandles>, 'evaluationKind'> {
  const { log, claims, attempt, judging } = options;
  const main = createSession(options, 'the session');
  const root = claimsOf(claims, () => log.scope('the attempt'));
  const { model, reasoningEffort, flags = {} } = attempt.experiment;
  return {
    ...root,
    session: main,
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
    get o11y() { return activityOf(log.sessions, log.turns.length); },
    judge: judging.root,
    newSession: () => createSession(options, undefined),
    check: (...given: readonly unknown[]) => checkValue(claims, given),
    group: (title, body) => options.group(title, body),
    skip: (reason) => {
      if (typeof reason !== 'string' || reason.trim() === '') throw new ClaimAuthoringError('skip(reason) needs a reason.');
      throw new SkipSignal(reason);
    },
    progress: (progress) => options.progress(checkedProgress(progress)),
    diagnostic: (diagnostic) => options.remark(checkedDiagnostic(diagnostic)),
    log: (message) => options.note(String(message)),
  };
}

function createSession(options: TestContextOptions, name: string | undefined): SessionHandle<AnyHandles> {
  const ordinal = options.log.newSession();
  const session = createAgentSession(ordinal);
  const title = name ?? `session ${ordinal}`;
  const { log, claims, send } = options;
  const conversation = createConversation({ title, session, log, claims, send, evalFile: options.attempt.evalFile });
  const handled = async (begin: () => Promise<TurnRecord>): Promise<TurnHandle<AnyHandles>> => {
    const ended = log.callFor(ordinal);
    try {
      return turnHandle(options, await begin());
    } finally {
      ended();
    }
  };
  return {
    ...claimsOf(options.claims, () => options.log.scope(title, { session: ordinal })),
    get sessionId() { return session.id; },
    get reply() { return lastText(options.log.eventsOf(ordinal)); },
    get events() { return options.log.eventsOf(ordinal); },
    send: (input) => handled(() => conversation.send(input)),
    sendFile: (path, text) => handled(() => conversation.sendFile(path, text)),
    requireInputRequest: (filter) => conversation.requireInputRequest(filter),
    respond: (...answers) => handled(() => conversation.respond(answers)),
    respondAll: (optionId) => handled(() => conversation.respondAll(optionId)),
  };
}

function turnHandle({ log, claims, judging }: TestContextOptions, record: TurnRecord): TurnHandle<AnyHandles> {
  const title = record.session === 1 ? `turn ${record.turn}` : `session ${record.session} turn ${record.turn}`;
  const message = lastText(record.events);
  return {
    ...claimsOf(claims, () => log.scope(title, { turn: record })),
    status: record.status,
    events: record.events,
    toolCalls: toolOccurrencesOf(record.events).occurrences,
    message,
    ...(record.data === undefined ? {} : { data: record.data }),
    ...(record.usage === undefined ? {} : { usage: record.usage }),
    ...(record.context === undefined ? {} : { context: record.context }),
    coverage: record.coverage,
    durationMs: record.durationMs,
    judge: judging.of({ title, turn: record, output: message }),
  };
}

function lastText(events: readonly StreamEvent[]): string {
  const texts = events.flatMap((event) => (
    event.type === 'message' && event.role === 'assistant' && event.parentOperationId === undefined && event.text.trim() !== '' ? [event.text] : []
  ));
  return texts.at(-1) ?? '';
}
