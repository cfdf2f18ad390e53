export { defineAgent, defineSandboxAgent } from './agents/define-agent.js';
export { AgentSendError } from './agents/errors.js';
export type { Claim, ClaimState, Nearest } from './assert/claim.js';
export type { NotInDiffOptions } from './assert/diff-claims.js';
export type { EventSelector } from './assert/event-claims.js';
export type { FileChangedOptions } from './assert/file-claims.js';
export type {
  ClaimHandle, FileClaimHandle, HandleSet, MeasurementHandle, NamedHandle, PassHandles, ScoreClaimHandle, ScoreFileClaimHandle, ScoreHandles, ScoreMeasurementHandle,
} from './assert/handle.js';
export type { MaxTokensOptions } from './assert/limits.js';
export type { CountOptions } from './assert/selection.js';
export type { ToolSelector } from './assert/tool-claims.js';
export { defineConfig, type ConfigDefinition, type ConfigInput, type ProfileInput } from './define/config.js';
export { EvalFatalError, ExperimentFatalError, type AttemptFailureClassifier, type AttemptFailureInfo, type FailureClass, type FailureScope } from './define/failure-class.js';
export type { Limits } from './define/limits.js';
export type { FailureKind } from './evidence/failure-kind.js';
export type { ModelPrice, Pricing } from './evidence/cost.js';
export type {
  AnyTestContext, DiagnosticInput, ProgressInput, SandboxTools, ScopedClaims, ScoreTestContext, SendInput, SessionHandle, TestContext, TurnHandle,
} from './define/context.js';
export { defineEval, defineScoreEval, type EvalDefinition, type EvalInput, type ScoreEvalInput } from './define/eval.js';
export {
  defineExperiment, type EvalDescriptor, type ExperimentDefinition, type ExperimentHook, type ExperimentHookContext, type ExperimentInput,
} from './define/experiment.js';
export { script, type FailureExtras, type LaneBuilder, type ScriptBuilder, type TurnExtras, type TurnsBuilder, type WrittenScript } from './define/script-builder.js';
export type { Fault, FaultCondition, FaultKind, FaultPlan, FaultRule, RequestRange, StreamPlace } from './gateway/faults/fault-plan.js';
export type { Lane, LaneCondition, Turn as ScriptTurn, TurnExpectation } from './gateway/script.js';
export {
  forward, scripted, type ForwardGateway, type ForwardInput, type GatewayInput, type KeySource, type SamplingInput, type ScriptedGateway, type ScriptedOptions, type ServiceInput,
} from './define/gateway.js';
export type { BoundJudge, RootJudge, RubricOptions } from './define/judging.js';
export type { JudgeConfig } from './judge/config.js';
export type { JudgeMaterial } from './judge/material.js';
export { completeEvidenceCoverage, type EvidenceChannel, type EvidenceCoverage, type EvidenceCoverageEntry } from './evidence/coverage.js';
export type { EventFacts, InputRequest, SourceLoc, StreamEvent, SubagentOperation, ToolOperation } from './evidence/events.js';
export type { ChangeStatus, ChangeSummary, ChangeWindow, FileChange, FileSide, NetChange, WindowFlag, WorkspaceChanges } from './evidence/file-changes.js';
export type { GitFact, GitFacts, GitHead, GitPlace, GitRefMove } from './evidence/git-facts.js';
export type { ActivitySummary, ShellActivity } from './evidence/activity.js';
export type { JsonValue } from './evidence/json.js';
export type { OccurrenceStatus, ToolOccurrence } from './evidence/occurrence.js';
export type { ToolName } from './evidence/tool-name.js';
export type { ContextFill, Turn, TurnStatus } from './evidence/turn.js';
export type { Usage } from './evidence/usage.js';
export { stripComments } from './expect/strip-comments.js';
export type { Judgement, Score, Verdict, VerdictCause } from './verdict/verdict.js';
