export { defineAgent, defineSandboxAgent } from './agents/define-agent.js';
export { AgentSendError } from './agents/errors.js';
export type { ClaimHandle, FileClaimHandle } from './assert/claim.js';
export type { FileChangedOptions } from './assert/file-claims.js';
export type { CalledToolOptions, ToolSelector } from './assert/scoped-claims.js';
export { defineConfig, type ConfigDefinition, type ConfigInput } from './define/config.js';
export type { ModelPrice, Pricing } from './evidence/cost.js';
export type { SandboxTools, SendInput, SessionHandle, TestContext, TurnHandle } from './define/context.js';
export { defineEval, type EvalDefinition, type EvalInput } from './define/eval.js';
export {
  defineExperiment, scripted, type EvalDescriptor, type ExperimentDefinition, type ExperimentInput, type ScriptedGateway,
} from './define/experiment.js';
export { completeEvidenceCoverage, type EvidenceChannel, type EvidenceCoverage, type EvidenceCoverageEntry } from './evidence/coverage.js';
export type { EventFacts, InputRequest, SourceLoc, StreamEvent, SubagentOperation, ToolOperation } from './evidence/events.js';
export type { ChangeStatus, ChangeSummary, ChangeWindow, FileChange, FileSide, NetChange, WindowFlag, WorkspaceChanges } from './evidence/file-changes.js';
export type { JsonValue } from './evidence/json.js';
export type { OccurrenceStatus, ToolOccurrence } from './evidence/occurrence.js';
export type { ToolName } from './evidence/tool-name.js';
export type { Turn, TurnStatus } from './evidence/turn.js';
export type { Usage } from './evidence/usage.js';
export type { Judgement, Verdict } from './verdict/verdict.js';
