import { defineAgent } from '../../src/agents/define-agent.js';
import { ClaimLedger } from '../../src/assert/ledger.js';
import type { ProgressInput, ScoreTestContext, TestContext } from '../../src/define/context.js';
import { defineEval, defineScoreEval, type EvalDefinition } from '../../src/define/eval.js';
import { completeEvidenceCoverage, type EvidenceCoverage } from '../../src/evidence/coverage.js';
import type { CostEstimate } from '../../src/evidence/cost.js';
import type { Turn } from '../../src/evidence/turn.js';
import type { Usage } from '../../src/evidence/usage.js';
import type { PlannedAttempt } from '../../src/plan/plan.js';
import { AttemptNotes } from '../../src/run/attempt-notes.js';
import { EvidenceLog } from '../../src/run/evidence-log.js';
import { createGroups } from '../../src/run/groups.js';
import { createJudging } from '../../src/run/judging.js';
import { beginTest } from '../../src/run/test-context.js';

/** What an agent makes of the words that it is sent. */
export type Answers = Readonly<Record<string, Partial<Turn>>>;

/** What a scripted Attempt is like. */
export interface TestSetting {
  /** By the word that is sent. Default: nothing happens and the turn completes. */
  readonly answers?: Answers;
  /** Default: complete. */
  readonly coverage?: EvidenceCoverage;
  readonly estimate?: (usage: Usage) => CostEstimate;
  /** What happens between the beginning of a send and its end. */
  readonly meanwhile?: () => void;
}

/** The parts of an Attempt that a test can look at afterwards. */
export interface OpenTest<T> {
  readonly t: T;
  readonly claims: ClaimLedger;
  readonly log: EvidenceLog;
  readonly notes: AttemptNotes;
  readonly progress: readonly ProgressInput[];
}

const agent = defineAgent({ name: 'echo', evidenceCoverage: completeEvidenceCoverage, send: () => Promise.resolve({ events: [], status: 'completed' }) });

/** The `t` of an eval that passes or fails, with an agent that is scripted. */
export function openPassTest(setting: TestSetting = {}): OpenTest<TestContext> {
  return openWith<TestContext>((test) => defineEval({ test }), setting);
}

/** The `t` of an eval that gives points. */
export function openScoreTest(setting: TestSetting = {}): OpenTest<ScoreTestContext> {
  return openWith<ScoreTestContext>((test) => defineScoreEval({ test }), setting);
}

function openWith<T>(define: (test: (t: T) => void) => EvalDefinition, { answers = {}, coverage = completeEvidenceCoverage, estimate, meanwhile }: TestSetting): OpenTest<T> {
  let given: T | undefined;
  const definition = define((t) => { given = t; });
  const groups = createGroups();
  const claims = new ClaimLedger({ evaluation: definition.evaluationKind, groups: () => groups.current() });
  const log = new EvidenceLog(coverage, estimate);
  const notes = new AttemptNotes();
  const progress: ProgressInput[] = [];
  void beginTest(definition, {
    attempt: { experiment: { agent, model: 'big', flags: { on: true } }, evalFile: '/evals/sum.eval.ts' } as unknown as PlannedAttempt,
    log,
    claims,
    group: (title, body) => groups.open(title, body),
    judging: createJudging({ judge: undefined, claims, pricing: {} }),
    signal: new AbortController().signal,
    send: (input, session) => {
      session.capture(`backend ${session.ordinal}`);
      const turn: Turn = { events: [], status: 'completed', usage: { outputTokens: 1 }, ...answers[input.text] };
      const begun = log.begin(session.ordinal);
      meanwhile?.();
      return Promise.resolve(log.end(begun, { turn, prompt: input.text, startedAt: '2025-03-01T10:00:00.000Z', durationMs: 1 }));
    },
    note: (message) => notes.log(message),
    remark: (diagnostic) => notes.remark(diagnostic),
    progress: (told) => progress.push(told),
  });
  if (given === undefined) throw new Error('The test did not begin.');
  return { t: given, claims, log, notes, progress };
}
