import type { SendFailureKind } from '../agents/errors.js';
import type { Claim } from '../assert/claim.js';
import type { EvidenceCoverage } from '../evidence/coverage.js';
import type { StreamEvent } from '../evidence/events.js';
import type { WorkspaceChanges } from '../evidence/file-changes.js';
import type { IntegrityReport } from '../evidence/integrity.js';
import type { JsonValue } from '../evidence/json.js';
import type { ContextFill, TurnStatus } from '../evidence/turn.js';
import type { Span } from '../evidence/span.js';
import type { Usage } from '../evidence/usage.js';
import type { ImageSource, KeptSandbox, ResourceUse } from '../sandbox/sandbox.js';
import type { Patch } from '../workspace/patch.js';
import type { NetworkFacts } from './attempt-network.js';
import type { FailureKind } from '../evidence/failure-kind.js';
import type { AttemptFailure } from './failure.js';
import type { Score, Verdict, VerdictCause } from '../verdict/verdict.js';

/** Where an Attempt broke. */
export type AttemptPhase = 'experiment.setup' | 'sandbox' | 'gateway' | 'setup' | 'test' | 'send' | 'claims' | 'teardown' | 'record';

/** Why an Attempt broke. */
export interface AttemptError {
  readonly phase: AttemptPhase;
  /** The stable code of the error's class, or `test-threw` for an error of the author's. */
  readonly code: string;
  readonly message: string;
  /** Present when time ran out: which budget, and who set it. */
  readonly timeout?: { readonly limitMs: number; readonly source: string };
  /** Present when a send came to no turn: how, and what the model service answered with where that is known. */
  readonly send?: { readonly kind: SendFailureKind; readonly httpStatus?: number };
}

/** One send, as it is recorded. */
export interface TurnRecord {
  /** From 1; the main session is 1. */
  readonly session: number;
  /** From 1, within its session. */
  readonly turn: number;
  readonly label: string;
  readonly status: TurnStatus;
  readonly events: readonly StreamEvent[];
  readonly coverage: EvidenceCoverage;
  readonly usage?: Usage;
  /** Absent: nobody says. */
  readonly context?: ContextFill;
  readonly data?: JsonValue;
  readonly startedAt: string;
  readonly durationMs: number;
  /** Why there was no whole turn. */
  readonly failure?: { readonly kind: string; readonly message: string };
}

/** Something worth knowing that changes no verdict. */
export interface Diagnostic {
  readonly code: string;
  /** Only of remarks that the test made. */
  readonly level?: 'warning' | 'error';
  readonly message: string;
  readonly data?: JsonValue;
}

/** The image that a sandbox was started from. */
export interface ImageFacts {
  readonly id: string;
  readonly reference: string;
  /** Commits of which files are in it. Absent: none. */
  readonly sources?: readonly ImageSource[];
}

/** A try of an Attempt that the infrastructure broke, so that the Attempt was begun again. */
export interface RetryRecord {
  /** Its own id in the record, where everything about it is kept. */
  readonly id: string;
  readonly kind: FailureKind;
  /** Why it was tried again. */
  readonly reason: string;
  readonly message: string;
  readonly durationMs: number;
  /** What it spent; not part of the Attempt's own usage. */
  readonly usage: Usage;
  readonly estimatedCostUSD?: number;
}

/** How long the parts of an Attempt took, in milliseconds. */
export interface AttemptTimings {
  readonly queuedMs: number;
  readonly sandboxMs: number;
  readonly testMs: number;
  readonly teardownMs: number;
  readonly totalMs: number;
}

/** Which Attempt it is, and whose. */
export interface AttemptName {
  readonly id: string;
  readonly evalId: string;
  readonly experimentId: string;
  /** From 1, within its eval and experiment. */
  readonly index: number;
  readonly agent: string;
  readonly model?: string;
}

/** What passed the gateway. */
export interface GatewayCount {
  /** To a model. */
  readonly requests: number;
  readonly usage: Usage;
  /** By the label of the window that the requests belonged to; those of no window are left out. Absent: only the sum is known. */
  readonly windows?: readonly GatewayWindow[];
}

/** What passed the gateway in one window. */
export interface GatewayWindow {
  readonly label: string;
  /** To a model. */
  readonly requests: number;
  /** Of them, those that the client says it had tried before. Absent: no client said. */
  readonly retries?: number;
  /** Of them, those whose answer was spoilt on purpose. Absent: none. */
  readonly faulted?: number;
  readonly usage: Usage;
  /** Of the requests that were answered: milliseconds to the first byte, and to the last. */
  readonly firstByteMs?: { readonly median: number; readonly most: number };
  readonly durationMs?: { readonly median: number; readonly most: number };
  /** By the agent that asked, where the CLI tells. Absent: it does not. */
  readonly agents?: readonly { readonly agent: string; readonly requests: number; readonly usage: Usage }[];
  /** What was decided for the client. Absent: nothing. */
  readonly applied?: readonly string[];
}

/** Everything an Attempt came to. */
export interface AttemptResult extends AttemptName {
  readonly reasoningEffort?: string;
  /** Equal for Attempts that cannot come out otherwise but by chance. Absent: it could not be told. */
  readonly identity?: string;
  /** What the experiment hands to agent and test. */
  readonly flags: { readonly [flag: string]: JsonValue };
  /** Coordinates of the experiment, seen by nobody but readers of the record. */
  readonly labels: { readonly [label: string]: string | number };
  /** What the eval says of itself. */
  readonly metadata: { readonly [key: string]: JsonValue };
  readonly evaluationKind: 'pass' | 'score';
  /** Absent: no sandbox was to be opened, or its image could not be made. */
  readonly image?: ImageFacts;
  readonly verdict: Verdict;
  /** One line per cause; empty for `passed`. */
  readonly reasons: readonly string[];
  /** The same for machines, in the same order. */
  readonly causes: readonly VerdictCause[];
  /** Only of an eval that gives points, and only where all of them can be told. */
  readonly score?: Score;
  /** True when the run was interrupted while it was under way. */
  readonly interrupted: boolean;
  readonly error?: AttemptError;
  /** Only where it is errored: what broke it. */
  readonly failure?: AttemptFailure;
  readonly skipped?: string;
  /** Its agent was refused its model for want of money, and what it did without was judged. Absent: it was not. */
  readonly stopped?: { readonly reason: 'budget-exceeded'; readonly detail: string };
  /** Earlier tries that the infrastructure broke, in order. Absent: it is the first. */
  readonly retries?: readonly RetryRecord[];
  readonly claims: readonly Claim[];
  readonly turns: readonly TurnRecord[];
  readonly usage: Usage;
  /** Tokens by a price table, whatever `usage.costUSD` says. Absent: `unpriced` says why. */
  readonly estimatedCostUSD?: number;
  /** What makes the bill more or less than the estimate. */
  readonly estimateNotes?: readonly string[];
  /** Why nothing is estimated, and the models that have no price. */
  readonly unpriced?: { readonly models: readonly string[]; readonly reason: string };
  /** What the judge consumed. Absent: it was not asked. Not part of `usage`. */
  readonly judge?: { readonly usage: Usage; readonly estimatedCostUSD?: number };
  readonly changes: WorkspaceChanges;
  /** The net changes for `git apply`, and what cannot be in it. Absent: the changes are not known, or nothing was recorded of them. */
  readonly patch?: Patch;
  /** What the gateway counted on the wire. Absent without a gateway. */
  readonly gateway?: GatewayCount;
  /** The Attempt, its turns and its requests to a model in time. Absent: it asked none, or the spans were not read with it. */
  readonly spans?: readonly Span[];
  /** The backend of its sandbox, for instance `docker`. Absent: its agent has none. */
  readonly sandbox?: string;
  /** What its sandbox used, read when the agent had been torn down. Absent: there was none, or it could not be asked. */
  readonly resources?: ResourceUse;
  /** Where it could talk to, and what it was denied. Absent: it had no network with the gateway in it. */
  readonly network?: NetworkFacts;
  /** What was found of tampering. Absent: the eval does not ask for it, or there was no sandbox. */
  readonly integrity?: IntegrityReport;
  /** Its sandbox lives on for people to look inside. Absent: it is gone. */
  readonly kept?: KeptSandbox;
  readonly diagnostics: readonly Diagnostic[];
  readonly logs: readonly string[];
  readonly startedAt: string;
  readonly timings: AttemptTimings;
}
