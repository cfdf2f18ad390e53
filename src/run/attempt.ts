import type { AgentSession, ModelEndpoint, TurnInput } from '../agents/agent.js';
import type { Claim } from '../assert/claim.js';
import { ClaimStop } from '../assert/errors.js';
import { ClaimLedger } from '../assert/ledger.js';
import type { Turn } from '../evidence/turn.js';
import type { FileEvidence } from '../assert/file-evidence.js';
import type { WorkspaceChanges } from '../evidence/file-changes.js';
import { startDeadline, type Deadline } from '../lifetime/deadline.js';
import { messageOf } from '../lifetime/error.js';
import { Scope } from '../lifetime/scope.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import type { DiagnosticInput } from '../define/context.js';
import { verdictOf, type Judgement } from '../verdict/verdict.js';
import { createContentStore } from '../workspace/content-store.js';
import { WorkspaceLedger } from '../workspace/ledger.js';
import type { Patch } from '../workspace/patch.js';
import { createAgentContexts, type AgentContexts } from './agent-contexts.js';
import { answeredTurn } from './answered-turn.js';
import { attemptErrorOf, NotAwaitedError, StrayExceptionError } from './attempt-error.js';
import { imageFactsOf } from './attempt-facts.js';
import { AttemptNotes } from './attempt-notes.js';
import { attemptResultOf } from './attempt-result.js';
import { spentOf } from './attempt-cost.js';
import { BudgetExceededError } from './budgets.js';
import { estimateCost } from './estimate-cost.js';
import { GradingBegunError, openGradingSandbox, type GradingSandbox } from './grading-sandbox.js';
import { failureOf } from './failure.js';
import { closeModel } from './close-model.js';
import { createGroups } from './groups.js';
import { keptSandbox } from './kept-sandbox.js';
import { createJudging, type Judging } from './judging.js';
import { EvidenceLog } from './evidence-log.js';
import { AttemptIntegrity } from './attempt-integrity.js';
import { networkFactsOf, openAttemptNetwork, type OpenedNetwork } from './attempt-network.js';
import type { AttemptWorld } from './attempt-world.js';
import type { AttemptError, AttemptPhase, AttemptResult, GatewayCount, ImageFacts, TurnRecord } from './result.js';
import { sandboxLifetimeMs } from './sandbox-lifetime.js';
import { createSandboxTools } from './sandbox-tools.js';
import { ModelTroubleError } from './model-trouble.js';
import { patchOrNote } from './patch-or-note.js';
import { abortionOf, withinPatience } from './patience.js';
import { sealed } from './sealed.js';
import { spansOf } from './spans.js';
import { withWireCounts } from './wire-differences.js';
import type { StrayFailure } from './stray-failures.js';
import { beginTest, SkipSignal } from './test-context.js';
import { createTurnTaking } from './turn-taking.js';

/** What was begun may take this long to end after the Attempt's time is up: CLIs are ended, output is read back. */
const WORK_END_LIMIT_MS = 30_000;
/** A test whose own work has ended may take this long to end itself; then it is left behind. */
const TEST_END_LIMIT_MS = 1_000;
const TEARDOWN_LIMIT_MS = 30_000;

/** Runs one Attempt from an empty container to a sealed record. Never rejects because the agent or the world failed. */
export async function runAttempt(attempt: PlannedAttempt, world: AttemptWorld): Promise<AttemptResult> {
  const story = new AttemptStory(attempt, world);
  await story.prepare();
  await story.test();
  return story.settle();
}

/** What the frozen evidence came to. */
interface Conclusion {
  readonly patch: Patch | undefined;
  readonly claims: readonly Claim[];
  readonly judgement: Judgement;
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
  #integrity: AttemptIntegrity | undefined;
  #grading: Promise<GradingSandbox> | undefined;
  #network: OpenedNetwork | undefined;
  #onWire: GatewayCount | undefined;
  #image: ImageFacts | undefined;
  #error: AttemptError | undefined;
  #skipped: string | undefined;
  #conclusion: Promise<Conclusion> | undefined;
  #unwatch: () => void = () => undefined;

  constructor(attempt: PlannedAttempt, world: AttemptWorld) {
    this.#attempt = attempt;
    this.#world = world;
    const pricing = world.pricing ?? {};
    this.#log = new EvidenceLog(attempt.experiment.agent.evidenceCoverage, (usage) => estimateCost(usage, attempt.experiment.model, { pricing }));
    this.#claims = new ClaimLedger({ evaluation: attempt.evalDefinition.evaluationKind, groups: () => this.#groups.current() });
    this.#judging = createJudging({ judge: world.judges.of(attempt.judge), claims: this.#claims, pricing, secrets: attempt.experiment.agent.sensitiveValues ?? [] });
    this.#deadline = startDeadline(attempt.timeout?.limitMs, { budget: `attempt timeout (set by ${attempt.timeout?.source ?? 'nobody'})`, parent: world.signal });
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
    await this.#in('gateway', async () => { this.#network = await openAttemptNetwork(this.#attempt, { ...this.#world, onWire: (spent) => this.#tellSpent(spent) }, this.#scope); });
    if (agent.kind === 'sandbox') await this.#in('sandbox', () => this.#openSandbox());
    this.#clock.sandbox = performance.now();
    this.#world.onOpened?.();
    await this.#in('setup', async () => {
      if (agent.setup === undefined) return;
      this.#ledger?.touched(); // What the adapter sets up is not the agent's doing.
      await this.#network?.phases?.enter('prepare');
      const { signal } = this.#deadline;
      if (agent.kind === 'sandbox') await agent.setup(this.#contexts.ofSandbox(1, { signal }));
      else await agent.setup(this.#contexts.of(1, { signal }));
    });
  }

  async #openSandbox(): Promise<void> {
    const image = await this.#world.provider.prepareImage(this.#attempt.sandbox);
    this.#image = imageFactsOf(image);
    for (const { code, message } of image.notices ?? []) this.#notes.note(code, message);
    const sandbox = await this.#world.provider.openSandbox(this.#attempt.sandbox, {
      image,
      network: this.#network?.plan ?? { kind: 'none' },
      attemptId: this.#attempt.id,
      lifetimeMs: sandboxLifetimeMs(this.#deadline, this.#world.keep),
      signal: this.#deadline.signal,
    });
    this.#sandbox = this.#scope.use('remove the sandbox', sandbox);
    this.#integrity = AttemptIntegrity.of(this.#attempt, sandbox);
    this.#ledger = await WorkspaceLedger.anchor(sandbox, {
      store: createContentStore(this.#world.sink.blobFolder, this.#attempt.experiment.agent.sensitiveValues), imageId: image.id, watch: this.#attempt.evalDefinition.watch ?? [],
      // Volumes are filled anew for every sandbox; no two look the same.
      states: this.#attempt.sandbox.readOnlyRoot === true ? new Map<string, never>() : this.#world.imageStates,
    });
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
    await withinPatience(Promise.allSettled(this.#open), WORK_END_LIMIT_MS, this.#world.hasten);
  }

  #sandboxTools(sandbox: OwnedSandbox): ReturnType<typeof createSandboxTools> {
    return createSandboxTools({
      workdir: sandbox.workdir,
      current: () => this.#current(sandbox),
      claims: this.#claims,
      take: this.#take,
      touched: () => this.#ledger?.touched(),
      beforeCommand: async () => { if (this.#grading === undefined) await this.#network?.phases?.enter(this.#log.turns.length === 0 ? 'prepare' : 'grade'); },
      fileEvidence: () => this.#fileEvidence(),
      note: (code, message) => this.#notes.note(code, message),
      evalFile: this.#attempt.evalFile,
      signal: this.#deadline.signal,
    });
  }

  /** Where operations of the test go: to the agent's sandbox, or after a send to a fresh one where the eval grades there. */
  async #current(agentSandbox: OwnedSandbox): Promise<OwnedSandbox> {
    if (this.#attempt.evalDefinition.gradeIn !== 'fresh' || this.#log.turns.length === 0) return agentSandbox;
    this.#grading ??= openGradingSandbox(this.#attempt, {
      world: this.#world, scope: this.#scope, agentSandbox, lifetimeMs: sandboxLifetimeMs(this.#deadline, this.#world.keep), signal: this.#deadline.signal,
    });
    return (await this.#grading).sandbox;
  }

  /** Settles some time after the end of the Attempt's time: sends end by themselves then, an author's own wait may not. */
  async #leftBehind(): Promise<void> {
    await abortionOf(this.#deadline.signal);
    await withinPatience(Promise.allSettled(this.#open), WORK_END_LIMIT_MS, this.#world.hasten);
    await new Promise<void>((resolve) => { setTimeout(resolve, TEST_END_LIMIT_MS); });
  }

  /** One window: the state before, the agent's turn, the state after. What was seen is kept however the turn ended. */
  async #send(input: TurnInput, session: AgentSession): Promise<TurnRecord> {
    this.#deadline.signal.throwIfAborted();
    if (this.#grading !== undefined) throw new GradingBegunError();
    const forbidden = this.#world.forbidsSend?.();
    if (forbidden !== undefined) throw new BudgetExceededError(`The send was refused: ${forbidden}.`);
    const { agent } = this.#attempt.experiment;
    const conversation = `session ${session.ordinal}`;
    await this.#network?.phases?.enter('agent', conversation);
    await this.#ledger?.openWindow(conversation);
    const open = this.#log.begin(session.ordinal);
    await this.#integrity?.beforeWindow(this.#ledger, open.label);
    const startedAt = new Date();
    const begun = performance.now();
    const model = this.#network?.model;
    const seen = (turn: Turn, failure?: TurnRecord['failure']): TurnRecord => this.#log.end(open, {
      turn: withWireCounts(turn, model?.countedIn(open.label)), prompt: input.text, startedAt: startedAt.toISOString(), durationMs: Math.round(performance.now() - begun), ...(failure === undefined ? {} : { failure }),
    });
    let waits = false;
    try {
      const contexts = async (): Promise<AgentContexts> => this.#contextsWith(await model?.openWindow(open.label, conversation));
      const record = await answeredTurn({ agent, input, session, contexts, model, label: open.label, conversation, signal: this.#deadline.signal, hasten: this.#world.hasten, seen });
      waits = record.status === 'waiting';
      if (waits) this.#network?.phases?.hold(conversation);
      return record;
    } catch (error) {
      // Whatever the test makes of it: nothing is learnt about the agent.
      if (error instanceof ModelTroubleError) this.#fail('gateway', error);
      throw error;
    } finally {
      await model?.closeWindow(conversation, { waits });
      this.#tellSpent();
      await this.#ledger?.closeWindow(open.label, { flags: this.#deadline.signal.aborted ? ['timed-out'] : [], ...(waits ? { waits: conversation } : {}) });
      await this.#integrity?.afterWindow();
    }
  }

  /** @param onWire What the gateway has counted by now. Default: what it said last. */
  #tellSpent(onWire = this.#onWire): void {
    this.#onWire = onWire;
    this.#world.onSpent?.(spentOf(this.#attempt, this.#log, { pricing: this.#world.pricing, onWire }));
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
      await withinPatience(Promise.resolve(done).catch((error: unknown) => this.#fail('teardown', error)), TEARDOWN_LIMIT_MS, this.#world.hasten);
    });
    const keepCassette = !this.#world.signal.aborted && (this.#error === undefined || !failureOf(this.#error).infrastructure);
    const fail = (trouble: Error): void => this.#fail('gateway', trouble);
    const closing = closeModel(this.#network?.model, { keepCassette, turns: this.#log.turns, notes: this.#notes, fail });
    const [asked, resources] = await Promise.all([closing, this.#sandbox?.resources()]);
    const judgement = async (): Promise<Judgement> => (await this.#conclude()).judgement;
    const kept = await keptSandbox(this.#sandbox, { world: this.#world, judgement, notes: this.#notes, onKept: () => this.#network?.retire() });
    // The network is free again only after the sandbox in it is gone.
    for (const failure of await this.#scope.close()) this.#notes.note('cleanup', `${failure.what}: ${failure.message}`);
    this.#deadline.close();
    const { patch, claims, judgement: found } = await this.#conclude();
    const ended = performance.now();
    const startedAt = this.#startedAt.toISOString();
    const totalMs = Math.round(ended - this.#clock.begun);
    const { exchanges } = this.#network?.model ?? {};
    const result = attemptResultOf(this.#attempt, {
      image: this.#image,
      judgement: found,
      interrupted: this.#world.signal.aborted,
      retries: this.#world.retries,
      error: this.#error,
      skipped: this.#skipped,
      claims,
      turns: this.#log.turns,
      usage: this.#log.usage,
      pricing: this.#world.pricing ?? {},
      spentByJudge: this.#judging.spent(),
      changes: this.#changes(),
      patch,
      gateway: asked?.counted,
      overBudget: asked?.overBudget,
      spans: exchanges === undefined ? undefined : spansOf({ ...this.#attempt, startedAt, totalMs, turns: this.#log.turns, exchanges }),
      sandbox: this.#attempt.experiment.agent.kind === 'sandbox' ? this.#world.provider.name : undefined,
      resources,
      network: networkFactsOf([this.#network?.phases, (await this.#grading?.catch(() => undefined))?.phases]),
      integrity: this.#integrity?.report(this.#changes()),
      kept,
      diagnostics: this.#notes.diagnostics,
      logs: this.#notes.logs,
      startedAt,
      timings: {
        queuedMs: Math.round(this.#world.queuedMs),
        sandboxMs: Math.round((this.#clock.sandbox || settling) - this.#clock.begun),
        testMs: this.#clock.test === 0 ? 0 : Math.round(this.#clock.test - this.#clock.sandbox),
        teardownMs: Math.round(ended - settling),
        totalMs,
      },
    });
    this.#unwatch();
    return sealed(result, this.#world.sink);
  }

  /** Claims on the frozen evidence, and the verdict; once. */
  #conclude(): Promise<Conclusion> {
    this.#conclusion ??= (async () => {
      const patch = await patchOrNote(this.#ledger, this.#notes);
      const claims = await this.#claims.settle();
      const judgement = verdictOf({
        claims,
        ...(this.#error === undefined ? {} : { error: this.#error }),
        ...(this.#skipped === undefined ? {} : { skipped: this.#skipped }),
      });
      return { patch, claims, judgement };
    })();
    return this.#conclusion;
  }

  #changes(): WorkspaceChanges {
    return this.#ledger?.changes() ?? { state: 'unavailable', reason: this.#error === undefined ? 'the agent has no sandbox' : 'the sandbox was not opened' };
  }

  #fileEvidence(): FileEvidence {
    const integrity = this.#integrity;
    return { ...(integrity === undefined ? {} : { integrity: () => integrity.report(this.#changes()) }), changes: this.#changes(), content: (sha256) => this.#ledger?.content(sha256) ?? Promise.resolve(undefined) };
  }

  /** What the agent's own code is given. */
  get #contexts(): AgentContexts {
    return this.#contextsWith(this.#network?.model?.endpoint);
  }

  #contextsWith(endpoint: ModelEndpoint | undefined): AgentContexts {
    return createAgentContexts({ attempt: this.#attempt, log: this.#log, sink: this.#world.sink, scope: this.#scope, notes: this.#notes, endpoint, sandbox: this.#sandbox });
  }

  /** The first failure is the Attempt's; later ones, and those of teardown, are remarks. */
  #fail(phase: AttemptPhase, thrown: unknown): void {
    const error = attemptErrorOf(phase, thrown, { interrupted: this.#world.signal.aborted, signal: this.#deadline.signal, attempt: this.#attempt });
    if (this.#error === undefined && phase !== 'teardown') this.#error = error;
    else if (this.#error?.code !== error.code || this.#error.message !== error.message) this.#notes.note(error.code, `${error.phase}: ${error.message}`);
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
