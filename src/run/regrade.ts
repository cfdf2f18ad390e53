import type { AgentSession, TurnInput } from '../agents/agent.js';
import { ClaimStop } from '../assert/errors.js';
import type { FileEvidence } from '../assert/file-evidence.js';
import { ClaimLedger } from '../assert/ledger.js';
import type { Pricing } from '../evidence/cost.js';
import type { IntegrityReport } from '../evidence/integrity.js';
import { startDeadline, type Deadline } from '../lifetime/deadline.js';
import { messageOf } from '../lifetime/error.js';
import { Scope } from '../lifetime/scope.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import { verdictOf } from '../verdict/verdict.js';
import { restoreWindow } from '../workspace/restore.js';
import { createAgentContexts } from './agent-contexts.js';
import { attemptCostOf } from './attempt-cost.js';
import { attemptErrorOf } from './attempt-error.js';
import { attemptFactsOf } from './attempt-facts.js';
import { scoreIn } from './attempt-result.js';
import { AttemptNotes } from './attempt-notes.js';
import { estimateCost } from './estimate-cost.js';
import { EvidenceLog } from './evidence-log.js';
import { failureOf } from './failure.js';
import { createGroups } from './groups.js';
import { createJudging, type Judges } from './judging.js';
import { RegradeMismatchError, ReplayedSendError, RestoreError } from './regrade-errors.js';
import type { AttemptError, AttemptResult, TurnRecord } from './result.js';
import { createSandboxTools } from './sandbox-tools.js';
import { beginTest, SkipSignal } from './test-context.js';
import { abortionOf } from './patience.js';
import type { AttemptSink } from './ports.js';
import { createTurnTaking } from './turn-taking.js';
import { withoutSecrets } from './without-secrets.js';

/** What was recorded of an Attempt. */
export interface RecordedAttempt {
  readonly result: AttemptResult;
  /** With their events. */
  readonly turns: readonly TurnRecord[];
  /** The kept bytes of a file of a change. */
  readonly content: (sha256: string) => Promise<Uint8Array | undefined>;
}

/** What judging again needs of the world. */
export interface RegradeWorld {
  readonly judges: Judges;
  readonly pricing?: Pricing;
  readonly signal: AbortSignal;
  /** Opens a sandbox in the state that Attempts of this plan start from. Called only where the test works in one. The caller closes it. */
  readonly openSandbox: (attempt: PlannedAttempt) => Promise<OwnedSandbox>;
}

/** Phases whose failures are the world's: there is nothing to judge. */
const NOTHING_TO_JUDGE: readonly string[] = ['experiment.setup', 'sandbox', 'gateway', 'setup', 'record'];

/** Why an Attempt cannot be judged again. `undefined`: it can. */
export function whyNotRegradable({ result, turns }: RecordedAttempt): string | undefined {
  const { error } = result;
  if (error !== undefined && NOTHING_TO_JUDGE.includes(error.phase)) return `it broke in ${error.phase} (${error.code})`;
  if (result.interrupted) return 'it was interrupted';
  return turns.some(({ events }) => events.length === 0) ? 'its events are not in the record' : undefined;
}

/**
 * Runs today's test on what was recorded, without an agent: each send is answered by the recorded turn, claims about files rest on the
 * recorded changes, and what the test does in the sandbox happens in a fresh one that the recorded changes are laid into.
 *
 * A send that broke breaks again, for the same reason. The result is errored with `regrade-mismatch` where the test sends something else
 * than it did, and with `regrade-restore` where the sandbox cannot be had again.
 */
export async function regradeAttempt(attempt: PlannedAttempt, recorded: RecordedAttempt, world: RegradeWorld): Promise<AttemptResult> {
  const story = new Regrading(attempt, recorded, world);
  await story.test();
  return story.settle();
}

/** What a set-up prints is no evidence here. */
const NOWHERE: AttemptSink = {
  openRaw: () => Promise.resolve({ write: () => Promise.resolve(), close: () => Promise.resolve() }),
  keepFile: () => Promise.resolve(),
  blobFolder: '',
  seal: () => Promise.resolve(),
};

class Regrading {
  readonly #attempt: PlannedAttempt;
  readonly #recorded: RecordedAttempt;
  readonly #world: RegradeWorld;
  readonly #scope = new Scope();
  readonly #groups = createGroups();
  readonly #notes = new AttemptNotes();
  readonly #log: EvidenceLog;
  readonly #claims: ClaimLedger;
  readonly #judging: ReturnType<typeof createJudging>;
  readonly #take: <T>(work: () => Promise<T>) => Promise<T>;
  readonly #deadline: Deadline;
  #sandbox: Promise<OwnedSandbox> | undefined;
  /** Windows that the sandbox has. */
  readonly #restored = new Set<string>();
  #error: AttemptError | undefined;
  #skipped: string | undefined;

  constructor(attempt: PlannedAttempt, recorded: RecordedAttempt, world: RegradeWorld) {
    this.#attempt = attempt;
    this.#recorded = recorded;
    this.#world = world;
    const { experiment, evalDefinition } = attempt;
    const pricing = world.pricing ?? {};
    this.#log = new EvidenceLog(experiment.agent.evidenceCoverage, (usage) => estimateCost(usage, experiment.model, { pricing }));
    this.#claims = new ClaimLedger({ evaluation: evalDefinition.evaluationKind, groups: () => this.#groups.current() });
    this.#judging = createJudging({ judge: world.judges.of(attempt.judge), claims: this.#claims, pricing, secrets: experiment.agent.sensitiveValues ?? [] });
    this.#deadline = startDeadline(attempt.timeout?.limitMs, { budget: `attempt timeout (set by ${attempt.timeout?.source ?? 'nobody'})`, parent: world.signal });
    this.#take = createTurnTaking(this.#deadline.signal);
  }

  async test(): Promise<void> {
    const { agent } = this.#attempt.experiment;
    const { signal } = this.#deadline;
    try {
      const ended = beginTest(this.#attempt.evalDefinition, {
        attempt: this.#attempt, log: this.#log, claims: this.#claims, judging: this.#judging, signal,
        group: (title, body) => this.#groups.open(title, body),
        ...(agent.kind === 'sandbox' ? { sandbox: this.#sandboxTools() } : {}),
        send: (input, session, fits) => this.#take(async () => {
          fits();
          return this.#send(input, session);
        }),
        note: (message) => this.#notes.log(message),
        remark: (diagnostic) => this.#notes.remark(diagnostic),
        progress: () => undefined,
      });
      ended.catch(() => undefined); // Looked at below; a test that is left behind must not break the process.
      await Promise.race([ended, abortionOf(signal).then(() => signal.throwIfAborted())]);
    } catch (thrown) {
      if (thrown instanceof SkipSignal) this.#skipped = thrown.reason;
      else if (thrown instanceof ReplayedSendError) this.#error = thrown.recorded;
      else if (!(thrown instanceof ClaimStop)) this.#error = attemptErrorOf('test', thrown, { interrupted: this.#world.signal.aborted, signal, attempt: this.#attempt });
    }
    this.#claims.close();
  }

  /** Answers as the agent did. */
  async #send(input: TurnInput, session: AgentSession): Promise<TurnRecord> {
    const open = this.#log.begin(session.ordinal);
    const turn = this.#recorded.turns.find((record) => record.session === open.session && record.turn === open.turn);
    const said = (turn?.events[0] as { readonly text?: unknown } | undefined)?.text;
    if (turn === undefined) throw new RegradeMismatchError(`The eval sends ${open.label}, which was not sent when the Attempt was recorded. Run it again.`);
    if (said !== input.text) throw new RegradeMismatchError(`The eval sends another text as ${open.label} than when the Attempt was recorded. Run it again.`);
    const { status, coverage, usage, data, startedAt, durationMs, failure } = turn;
    const record = this.#log.end(open, {
      prompt: input.text, startedAt, durationMs,
      turn: { status, events: turn.events.slice(1), evidenceCoverage: coverage, ...(usage === undefined ? {} : { usage }), ...(data === undefined ? {} : { data }) },
      ...(failure === undefined ? {} : { failure }),
    });
    if (this.#sandbox !== undefined) await this.#catchUp(await this.#sandbox);
    // In the run, too, the test went on after a turn that ended for want of money.
    if (failure !== undefined && failure.kind !== 'over-budget') {
      const { error } = this.#recorded.result;
      throw new ReplayedSendError(error?.phase === 'send' || error?.timeout !== undefined ? error : { phase: 'send', code: 'agent-send-failed', message: failure.message });
    }
    return record;
  }

  #sandboxTools(): ReturnType<typeof createSandboxTools> {
    return createSandboxTools({
      workdir: this.#attempt.sandbox.workdir ?? this.#root() ?? '.',
      current: () => this.#opened(),
      claims: this.#claims,
      take: this.#take,
      touched: () => undefined,
      beforeCommand: () => Promise.resolve(),
      fileEvidence: () => this.#fileEvidence(),
      note: (code, message) => this.#notes.note(code, message),
      evalFile: this.#attempt.evalFile,
      signal: this.#deadline.signal,
    });
  }

  #root(): string | undefined {
    const { changes } = this.#recorded.result;
    return changes.state === 'available' ? changes.root : undefined;
  }

  /** A sandbox in the state in which it was at this place of the test. */
  async #opened(): Promise<OwnedSandbox> {
    this.#sandbox ??= this.#openSandbox();
    const sandbox = await this.#sandbox;
    await this.#catchUp(sandbox);
    return sandbox;
  }

  /** As an Attempt begins, so that what the adapter's own set-up does to the sandbox is there too. */
  async #openSandbox(): Promise<OwnedSandbox> {
    const { agent } = this.#attempt.experiment;
    const sandbox = await this.#world.openSandbox(this.#attempt);
    if (agent.kind !== 'sandbox' || agent.setup === undefined) return sandbox;
    if (agent.needsEndpoint) {
      this.#notes.note('regrade-no-setup', `the set-up of the agent "${agent.name}" needs its model, so it was not run in the sandbox that the test works in`);
      return sandbox;
    }
    await agent.setup(createAgentContexts({
      attempt: this.#attempt, log: this.#log, sink: NOWHERE, scope: this.#scope, notes: this.#notes, endpoint: undefined, sandbox,
    }).ofSandbox(1, { signal: this.#deadline.signal }));
    return sandbox;
  }

  async #catchUp(sandbox: OwnedSandbox): Promise<void> {
    const { changes } = this.#recorded.result;
    if (changes.state === 'unavailable') {
      if (this.#log.turns.length > 0) throw new RestoreError(`The sandbox cannot be had again: ${changes.reason}.`);
      return;
    }
    for (const { label } of this.#log.turns.filter((turn) => !this.#restored.has(turn.label))) {
      this.#restored.add(label);
      const window = changes.windows.find((known) => known.label === label);
      if (window === undefined) throw new RestoreError(`The sandbox cannot be had again: what ${label} changed is not in the record.`);
      const problem = await restoreWindow(sandbox, window, this.#recorded.content);
      if (problem !== undefined) throw new RestoreError(`The sandbox cannot be had again: ${problem}.`);
    }
  }

  #fileEvidence(): FileEvidence {
    const { result, content } = this.#recorded;
    const { integrity } = result;
    return { changes: result.changes, content, ...(integrity === undefined ? {} : { integrity: (): IntegrityReport => integrity }) };
  }

  async settle(): Promise<AttemptResult> {
    const { result, turns } = this.#recorded;
    for (const failure of await this.#scope.close()) this.#notes.note('cleanup', `${failure.what}: ${failure.message}`);
    this.#deadline.close();
    await (await this.#sandbox?.catch(() => undefined))?.stop().catch((error: unknown) => this.#notes.note('cleanup', messageOf(error)));
    const claims = await this.#claims.settle();
    // Time that ran out after the last send is no fault of the claims either.
    if (this.#error === undefined && result.error?.timeout !== undefined) this.#error = result.error;
    const error = this.#error;
    const judgement = verdictOf({ claims, ...(error === undefined ? {} : { error }), ...(this.#skipped === undefined ? {} : { skipped: this.#skipped }) });
    const { error: _error, failure: _failure, skipped: _skipped, score: _score, judge: _judge, estimatedCostUSD: _estimate, estimateNotes: _notes, unpriced: _unpriced, kept: _kept, identity: _identity, ...facts } = result;
    const model = this.#attempt.experiment.model;
    // A test that sends nothing any more does not undo what was spent.
    const [seen, usage] = this.#log.turns.length === 0 ? [turns, result.usage] : [this.#log.turns, this.#log.usage];
    return withoutSecrets({
      ...facts,
      // What was seen is not what today's agent would do, so that it has no identity.
      ...attemptFactsOf({ ...this.#attempt, id: result.id, identity: undefined }),
      ...judgement,
      ...(error === undefined ? {} : { error }),
      ...(judgement.verdict === 'errored' ? { failure: failureOf(error) } : {}),
      ...(this.#skipped === undefined ? {} : { skipped: this.#skipped }),
      ...scoreIn(this.#attempt, claims, judgement.verdict, this.#skipped),
      claims,
      turns: seen,
      usage,
      ...attemptCostOf({ turns: seen, usage, ...(model === undefined ? {} : { model }), pricing: this.#world.pricing ?? {} }),
      ...this.#judging.spent(),
      diagnostics: [...result.diagnostics, ...this.#notes.diagnostics],
      logs: this.#notes.logs,
    }, this.#attempt.experiment.agent.sensitiveValues ?? []);
  }
}
