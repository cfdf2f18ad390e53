export type {
  Agent, AgentContext, AgentSandbox, AgentSession, AgentSettings, DirectAgent, ModelEndpoint, RawSink, SandboxAgent, SandboxAgentContext, TurnInput,
} from './agent.js';
export { claudeCode, claudeCode as claudeCodeAgent, type ClaudeCodeOptions } from './claude-code/agent.js';
export { codex, codex as codexAgent, type CodexOptions } from './codex/agent.js';
export { defineAgent, defineSandboxAgent, type AgentInput, type SandboxAgentInput } from './define-agent.js';
export { AgentSendError, type SendFailureKind } from './errors.js';
export {
  commandProjection, LOGICAL_COMMAND_NORMALIZER, normalizeLogicalCommand, notCommandProjection, opaqueCommandProjection,
  type CommandProjection, type LogicalCommand, type OriginalCommand, type ShellSource,
} from '../evidence/command-projection.js';
export { completeEvidenceCoverage, type EvidenceChannel, type EvidenceCoverage, type EvidenceCoverageEntry } from '../evidence/coverage.js';
export { evidenceCoverageSchema } from '../evidence/coverage.js';
export { inputRequestSchema, streamEventSchema, type StreamEvent } from '../evidence/events.js';
export { turnSchema, type Turn, type TurnStatus } from '../evidence/turn.js';
export { usageSchema, type Usage } from '../evidence/usage.js';
export {
  createClaudeCodeParser, parseClaudeCode,
  type ClaudeCodeParseOptions, type ClaudeCodeParser, type ClaudeCodeSessionMemory, type ParsedClaudeCodeTurn,
} from './claude-code/parse.js';
export {
  createCodexExecParser, parseCodexAppServer, parseCodexExec,
  type CodexParseOptions, type CodexParser, type CodexThreadMemory, type ParsedCodexTurn,
} from './codex/parse.js';
export {
  parseTranscript, TRANSCRIPT_FORMATS,
  type ParsedTranscript, type ParseTranscriptOptions, type TranscriptFile, type TranscriptFormat, type TranscriptOutcome,
} from './parse-transcript.js';
export type { ParsedTurn, ProcessEnd, TranscriptEnding, Unrecognised, Witness } from './transcript.js';
