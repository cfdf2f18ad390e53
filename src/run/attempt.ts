import type { AgentSession, TurnInput } from '../agents/agent.js';
import { isAgentSendError } from '../agents/errors.js';
import { ClaimStop } from '../assert/errors.js';
import { ClaimLedger } from '../assert/ledger.js';
import type { FileEvidence } from '../assert/file-evidence.js';
import type { Pricing } from '../evidence/cost.js';
import type { WindowFlag, WorkspaceChanges } from '../evidence/file-changes.js';
import { startDeadline, type Deadline } from '../lifetime/deadline.js';
import { messageOf } from '../lifetime/error.js';
import { Scope } from '../lifetime/scope.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { NetworkPlan, OwnedSandbox, SandboxProvider } from '../sandbox/sandbox.js';
import type { DiagnosticInput, ProgressInput } from '../define/context.js';
import { scoreOf, verdictOf } from '../verdict/verdict.js';
import { createContentStore } from '../workspace/content-store.js';
import { WorkspaceLedger, type ImageStates } from '../workspace/ledger.js';
import type { Patch } from '../workspace/patch.js';
import { createAgentContexts, type AgentContexts } from './agent-contexts.js';
import { answerOf } from './agent-answer.js';
import { attemptErrorOf, NotAwaitedError, StrayExceptionError } from './attempt-error.js';
import { attemptFactsOf, imageFactsOf } from './attempt-facts.js';
import { checkedTurn } from './checked-turn.js';
import { attemptCostOf } from './attempt-cost.js';
import { AttemptNotes } from './attempt-notes.js';
import { estimateCost } from './estimate-cost.js';
import { createGroups } from './groups.js';
import { createJudging, type Judges, type Judging } from './judging.js';
import { EvidenceLog, nothingSeen } from './evidence-log.js';
import type { ModelAccess, ModelLease } from './model-access.js';
import type { NetworkPool } from './network-pool.js';
import type { AttemptSink } from './ports.js';
import type { AttemptError, AttemptPhase, AttemptResult, ImageFacts, TurnRecord } from './result.js';
import { createSandboxTools } from './sandbox-tools.js';
import { abortionOf, withinPatience } from './patience.js';
import { sealed } from './sealed.js';
import type { StrayFailure, StrayFailures } from './stray-failures.js';
import { beginTest, SkipSignal } from './test-context.js';
import { createTurnTaking } from './turn-taking.js';
import { withoutSecrets } from './without-secrets.js';

/** Time beyond the Attempt's own that capture and cleanup may take, should nobody come back for the sandbox. */
const GRACE_MS = 10 * 60_000;
/** How long a sandbox lives at the most when the Attempt has no limit. */
const UNLIMITED_LIFETIME_MS = 24 * 60 * 60_000;
/** What was begun may take this long to end after the Attempt's time is up: CLIs are ended, output is read back. */
const WORK_END_LIMIT_MS = 30_000;
/** A test whose own work has ended may take this long to end itself; then it is left behind. */
const TEST_END_LIMIT_MS = 1_000;
const TEARDOWN_LIMIT_MS = 30_000;

/** What an Attempt needs from the run that it belongs to. */
export interface AttemptWorld {
  readonly provider: SandboxProvider;
  readonly models: ModelAccess;
  /** Networks without anybody in them, for Attempts without a model. Absent: such an Attempt gets no network at all. */
  readonly deserted?: NetworkPool;
  readonly imageStates: ImageStates;
  readonly sink: AttemptSink;
  /** Failures that no test saw. */
  readonly strays: StrayFailures;
  /** Aborted when the run is interrupted. */
  readonly signal: AbortSignal;
  readonly queuedMs: number;
  /** Prices of the project. Default: only the built-in list. */
  readonly pricing?: Pricing;
  readonly judges: Judges;
  /** Told what a test says of its progress. */
  readonly onProgress: (progress: ProgressInput) => void;
}

/** Runs one Attempt from an empty container to a sealed record. Never rejects because the agent or the world failed. */
export async function runAttempt(attempt: PlannedAttempt, world: AttemptWorld): Promise<AttemptResult> {
  const story = new AttemptStory(attempt, world);
  await story.prepare();
  await story.test();
  return story.settle();
}

class AttemptStory {
  readonly #attempt: PlannedAttempt;
  readonly #world: AttemptWorld;
  readonly #scope = new Scope();
  readonly #groups = createGroups();
  readonly #claims: ClaimLedger;
  readonly #judging: Judging;
  readonly #log: EvidenceLog;
  readonly #deadline: Deadline;
  readonly #notes = new AttemptNotes();
  readonly #startedAt = new Date();
  readonly #clock = { begun: performance.now(), sandbox: 0, test: 0 };
  readonly #take: <T>(work: () => Promise<T>) => Promise<T>;
  /** Sends and sandbox operations under way. */
  readonly #open = new Set<Promise<unknown>>();
  #sandbox: OwnedSandbox | undefined;
  #ledger: WorkspaceLedger | undefined;
  #image: ImageFacts | undefined;
  #model: ModelLease | undefined;
  #error: AttemptError | undefined;
  #skipped: string | undefined;
  #unwatch: () => void = () => undefined;

  constructor(attempt: PlannedAttempt, world: AttemptWorld) {
    this.#attempt = attempt;
    this.#world = world;
    const pricing = world.pricing ?? {};
    this.#log = new EvidenceLog(attempt.experiment.agent.evidenceCoverage, (usage) => estimateCost(usage, attempt.experiment.model, { pricing }));
    this.#claims = new ClaimLedger({ evaluation: attempt.evalDefinition.evaluationKind, groups: () => this.#groups.current() });
    this.#judging = createJudging({ judge: world.judges.of(attempt.judge), claims: this.#claims, pricing, secrets: attempt.experiment.agent.sensitiveValues ?? [] });
    this.#deadline = startDeadline(attempt.timeout?.limitMs, {
      budget: `attempt timeout (set by ${attempt.timeout?.source ?? 'nobody'})`, parent: world.signal,
    });
    const take = createTurnTaking(this.#deadline.signal);
    // After the end nothing more is begun, and nothing is answered: a test that tries again and again would only spin.
    this.#take = (work) => (this.#deadline.signal.aborted ? new Promise(() => undefined) : this.#tracked(take(work)));
  }

  /** Remembers work until it has ended, and whose its error is. */
  #tracked<T>(work: Promise<T>): Promise<T> {
    this.#open.add(work);
    // The promise that is handed out has no handler of ours: when the author has none either, Node tells.
    return work.catch((error: unknown) => {
      this.#world.strays.own(error, this.#stray);
      throw error;
    }).finally(() => { this.#open.delete(work); });
  }

  readonly #stray = ({ kind, reason }: StrayFailure): void => {
    this.#fail('test', kind === 'rejection'
      ? new NotAwaitedError(`Something failed that the test did not wait for; put \`await\` before it: ${messageOf(reason)}`)
      : new StrayExceptionError(`Something was thrown in a timer or a callback, where the test could not see it: ${messageOf(reason)}`));
  };

  /** A fresh sandbox, a way to the model, the state that the agent starts from, the agent's own set-up. */
  async prepare(): Promise<void> {
    const { agent } = this.#attempt.experiment;
    if (this.#attempt.script !== undefined) {
      const { script } = this.#attempt;
      await this.#in('gateway', async () => {
        this.#model = await this.#world.models.open({ ...this.#attempt, script });
        this.#scope.defer('give the network back', () => this.#model?.giveBack());
      });
    }
    if (agent.kind === 'sandbox') await this.#in('sandbox', () => this.#openSandbox());
    this.#clock.sandbox = performance.now();
    await this.#in('setup', async () => {
      if (agent.setup === undefined) return;
      this.#ledger?.touched(); // What the adapter sets up is not the agent's doing.
      const { signal } = this.#deadline;
      if (agent.kind === 'sandbox') await agent.setup(this.#contexts.ofSandbox(1, { signal }));
      else await agent.setup(this.#contexts.of(1, { signal }));
    });
  }

  async #openSandbox(): Promise<void> {
    const image = await this.#world.provider.prepareImage(this.#attempt.sandbox);
    this.#image = imageFactsOf(image);
    for (const { code, message } of image.notices ?? []) this.#notes.note(code, message);
    const lifetimeMs = Math.min(this.#deadline.remainingMs(), UNLIMITED_LIFETIME_MS) + GRACE_MS;
    const sandbox = await this.#world.provider.openSandbox(this.#attempt.sandbox, {
      image,
      network: await this.#network(),
      attemptId: this.#attempt.id,
      lifetimeMs,
      signal: this.#deadline.signal,
    });
    this.#sandbox = this.#scope.use('remove the sandbox', sandbox);
    this.#ledger = await WorkspaceLedger.anchor(sandbox, {
      store: createContentStore(this.#world.sink.blobFolder), imageId: image.id, states: this.#world.imageStates,
    });
  }

  async #network(): Promise<NetworkPlan> {
    if (this.#model !== undefined) return { kind: 'closed', network: this.#model.network };
    if (this.#world.deserted === undefined) return { kind: 'none' };
    const lease = await this.#world.deserted.lease();
    this.#scope.defer('give the network back', () => lease.giveBack());
    return { kind: 'closed', network: lease.network };
  }

  /** The author's test, until it ends, is stopped by a claim, skips, breaks, or its time is up. */
  async test(): Promise<void> {
    if (this.#error !== undefined) return;
    const { signal } = this.#deadline;
    const options = {
      attempt: this.#attempt,
      log: this.#log,
      claims: this.#claims,
      group: (title: string, body: () => Promise<void> | void) => this.#tracked(this.#groups.open(title, body)),
      judging: this.#judging,
      signal,
      ...(this.#sandbox === undefined ? {} : { sandbox: this.#sandboxTools(this.#sandbox) }),
      send: (input: TurnInput, session: AgentSession, fits: () => void) => this.#take(() => {
        fits();
        return this.#send(input, session);
      }),
      note: (message: string) => this.#notes.log(message),
      remark: (diagnostic: DiagnosticInput) => this.#notes.remark(diagnostic),
      progress: this.#world.onProgress,
    };
    this.#unwatch = this.#world.strays.watch(this.#stray);
    await this.#in('test', async () => {
      const ended = beginTest(this.#attempt.evalDefinition, options);
      ended.catch(() => undefined); // Looked at below; a test that is left behind must not break the process.
      await Promise.race([ended, this.#leftBehind()]);
      signal.throwIfAborted();
    });
    this.#claims.close();
    await this.#endOpenWork();
    // Node tells of rejections that nobody awaited only when what is due at once has run.
    await new Promise((resolve) => { setImmediate(resolve); });
    this.#clock.test = performance.now();
  }

  /** A send or a command that the test did not wait for: its outcome is part of no claim, so the Attempt proves nothing. */
  async #endOpenWork(): Promise<void> {
    if (this.#open.size === 0) return;
    const error = new NotAwaitedError('The test ended while a send, a group or an operation of t.sandbox was under way. Put `await` before it.');
    this.#fail('test', error);
    this.#deadline.end(error);
    await withinPatience(Promise.allSettled(this.#open), WORK_END_LIMIT_MS);
  }

  #sandboxTools(sandbox: OwnedSandbox): ReturnType<typeof createSandboxTools> {
    return createSandboxTools({
      sandbox,
      claims: this.#claims,
      take: this.#take,
      touched: () => this.#ledger?.touched(),
      fileEvidence: () => this.#fileEvidence(),
      evalFile: this.#attempt.evalFile,
      signal: this.#deadline.signal,
    });
  }

  /** Settles some time after the end of the Attempt's time: sends end by themselves then, an author's own wait may not. */
  async #leftBehind(): Promise<void> {
    await abortionOf(this.#deadline.signal);
    await withinPatience(Promise.allSettled(this.#open), WORK_END_LIMIT_MS);
    await new Promise<void>((resolve) => { setTimeout(resolve, TEST_END_LIMIT_MS); });
  }

  /** One window: the state before, the agent's turn, the state after. What was seen is kept however the turn ended. */
  async #send(input: TurnInput, session: AgentSession): Promise<TurnRecord> {
    this.#deadline.signal.throwIfAborted();
    const { agent } = this.#attempt.experiment;
    const conversation = `session ${session.ordinal}`;
    await this.#ledger?.openWindow(conversation);
    const open = this.#log.begin(session.ordinal);
    const startedAt = new Date();
    const begun = performance.now();
    const seen = (extra: Pick<Parameters<EvidenceLog['end']>[1], 'turn' | 'failure'>): TurnRecord => this.#log.end(open, {
      prompt: input.text, startedAt: startedAt.toISOString(), durationMs: Math.round(performance.now() - begun), ...extra,
    });
    const flags: WindowFlag[] = [];
    let waits = false;
    try {
      const record = seen({ turn: checkedTurn(agent, await answerOf(agent, input, { contexts: this.#contexts, session, signal: this.#deadline.signal })) });
      waits = record.status === 'waiting';
      return record;
    } catch (error) {
      if (this.#deadline.signal.aborted) flags.push('timed-out');
      const kind = isAgentSendError(error) ? error.facts.kind : 'broken';
      const turn = isAgentSendError(error) ? error.facts.turn : undefined;
      const failure = { kind, message: messageOf(error) };
      try {
        seen({ turn: turn ?? nothingSeen, failure });
      } catch {
        seen({ turn: nothingSeen, failure }); // What it claims to have seen cannot be: it is better than its agent can.
      }
      throw error;
    } finally {
      await this.#ledger?.closeWindow(open.label, { flags, ...(waits ? { waits: conversation } : {}) });
    }
  }

  /** Teardown in reverse order, claims on the frozen evidence, the verdict. */
  async settle(): Promise<AttemptResult> {
    const settling = performance.now();
    const { agent } = this.#attempt.experiment;
    await this.#in('teardown', async () => {
      const signal = AbortSignal.timeout(TEARDOWN_LIMIT_MS);
      const done = agent.kind === 'sandbox'
        ? this.#sandbox === undefined ? undefined : agent.teardown?.(this.#contexts.ofSandbox(1, { signal }))
        : agent.teardown?.(this.#contexts.of(1, { signal }));
      await withinPatience(Promise.resolve(done).catch((error: unknown) => this.#fail('teardown', error)), TEARDOWN_LIMIT_MS);
    });
    const [counted, resources] = await Promise.all([this.#model?.close(), this.#sandbox?.resources()]);
    // The network is free again only after the sandbox in it is gone.
    for (const failure of await this.#scope.close()) this.#notes.note('cleanup', `${failure.what}: ${failure.message}`);
    this.#deadline.close();
    const patch = await this.#patch();
    const claims = await this.#claims.settle();
    const error = this.#error;
    const judgement = verdictOf({
      claims,
      ...(error === undefined ? {} : { error }),
      ...(this.#skipped === undefined ? {} : { skipped: this.#skipped }),
    });
    const facts = attemptFactsOf(this.#attempt);
    const score = facts.evaluationKind === 'score' && judgement.verdict !== 'errored' && this.#skipped === undefined ? scoreOf(claims) : undefined;
    const ended = performance.now();
    const result: AttemptResult = withoutSecrets({
      ...facts,
      ...(this.#image === undefined ? {} : { image: this.#image }),
      ...judgement,
      ...(score === undefined ? {} : { score }),
      interrupted: this.#world.signal.aborted,
      ...(error === undefined ? {} : { error }),
      ...(this.#skipped === undefined ? {} : { skipped: this.#skipped }),
      claims,
      turns: this.#log.turns,
      usage: this.#log.usage,
      ...attemptCostOf({ turns: this.#log.turns, usage: this.#log.usage, ...(facts.model === undefined ? {} : { model: facts.model }), pricing: this.#world.pricing ?? {} }),
      ...this.#judging.spent(),
      changes: this.#changes(),
      ...(patch === undefined ? {} : { patch }),
      ...(counted === undefined ? {} : { gateway: counted }),
      ...(resources === undefined ? {} : { resources }),
      diagnostics: this.#notes.diagnostics,
      logs: this.#notes.logs,
      startedAt: this.#startedAt.toISOString(),
      timings: {
        queuedMs: Math.round(this.#world.queuedMs),
        sandboxMs: Math.round((this.#clock.sandbox || settling) - this.#clock.begun),
        testMs: this.#clock.test === 0 ? 0 : Math.round(this.#clock.test - this.#clock.sandbox),
        teardownMs: Math.round(ended - settling),
        totalMs: Math.round(ended - this.#clock.begun),
      },
    }, agent.sensitiveValues ?? []);
    this.#unwatch();
    return sealed(result, this.#world.sink);
  }

  /** A patch is for people: without one the Attempt stands all the same. */
  async #patch(): Promise<Patch | undefined> {
    try {
      return await this.#ledger?.finish();
    } catch (error) {
      this.#notes.note('patch-failed', `no patch could be made: ${messageOf(error)}`);
      return undefined;
    }
  }

  #changes(): WorkspaceChanges {
    return this.#ledger?.changes() ?? { state: 'unavailable', reason: this.#error === undefined ? 'the agent has no sandbox' : 'the sandbox was not opened' };
  }

  #fileEvidence(): FileEvidence {
    return { changes: this.#changes(), content: (sha256) => this.#ledger?.content(sha256) ?? Promise.resolve(undefined) };
  }

  /** What the agent's own code is given. */
  get #contexts(): AgentContexts {
    return createAgentContexts({
      attempt: this.#attempt, log: this.#log, sink: this.#world.sink, scope: this.#scope, notes: this.#notes, endpoint: this.#model?.endpoint, sandbox: this.#sandbox,
    });
  }

  /** The first failure is the Attempt's; later ones, and those of teardown, are remarks. */
  #fail(phase: AttemptPhase, thrown: unknown): void {
    const error = attemptErrorOf(phase, thrown, {
      interrupted: this.#world.signal.aborted, signal: this.#deadline.signal, attempt: this.#attempt,
    });
    if (this.#error === undefined && phase !== 'teardown') this.#error = error;
    else this.#notes.note(error.code, `${error.phase}: ${error.message}`);
  }

  /** Runs one part, unless an earlier one failed. */
  async #in(phase: AttemptPhase, work: () => Promise<void>): Promise<void> {
    if (this.#error !== undefined && phase !== 'teardown') return;
    try {
      if (phase !== 'teardown') this.#deadline.signal.throwIfAborted();
      await work();
    } catch (thrown) {
      if (thrown instanceof ClaimStop) return;
      if (thrown instanceof SkipSignal) {
        this.#skipped = thrown.reason;
        return;
      }
      this.#fail(phase, thrown);
    }
  }
}
