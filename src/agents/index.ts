export type {
  Agent, AgentContext, AgentSandbox, AgentSession, AgentSettings, DirectAgent, InputFile, InputResponse, ModelEndpoint, RawSink, SandboxAgent, SandboxAgentContext, TurnInput,
} from './agent.js';
export type { CommonAgentOptions, Flags } from './agent-options.js';
export type { AgentConditions } from './conditions.js';
export { claudeCode, claudeCode as claudeCodeAgent } from './claude-code/agent.js';
export type { ClaudeCodeOptions } from './claude-code/options.js';
export { codex, codex as codexAgent } from './codex/agent.js';
export type { CodexOptions } from './codex/options.js';
export { defineAgent, defineSandboxAgent, type AgentInput, type SandboxAgentInput } from './define-agent.js';
export { AgentInputError, AgentSendError, type SendFailureKind } from './errors.js';
export type { HttpMcpServer, McpServer, StdioMcpServer } from './mcp-server.js';
export { createSessionSlot, type SessionSlot } from './session-slot.js';
export type { SkillSpec } from './skill.js';
export {
  commandProjection, LOGICAL_COMMAND_NORMALIZER, normalizeLogicalCommand, notCommandProjection, opaqueCommandProjection,
  type CommandProjection, type LogicalCommand, type OriginalCommand, type ShellSource,
} from '../evidence/command-projection.js';
export { completeEvidenceCoverage, type EvidenceChannel, type EvidenceCoverage, type EvidenceCoverageEntry } from '../evidence/coverage.js';
export { evidenceCoverageSchema } from '../evidence/coverage.js';
export { inputRequestSchema, streamEventSchema, type InputRequest, type StreamEvent } from '../evidence/events.js';
export { turnSchema, type Turn, type TurnStatus } from '../evidence/turn.js';
export { usageSchema, type Usage } from '../evidence/usage.js';
export {
  createClaudeCodeParser, parseClaudeCode,
  type ClaudeCodeParseOptions, type ClaudeCodeParser, type ClaudeCodeSessionMemory, type ParsedClaudeCodeTurn,
} from './claude-code/parse.js';
export {
  createCodexAppServerParser, createCodexExecParser, parseCodexAppServer, parseCodexExec,
  type CodexParseOptions, type CodexParser, type CodexThreadMemory, type ParsedCodexTurn,
} from './codex/parse.js';
export {
  parseTranscript, TRANSCRIPT_FORMATS,
  type ParsedTranscript, type ParseTranscriptOptions, type TranscriptFile, type TranscriptFormat, type TranscriptOutcome,
} from './parse-transcript.js';
export type { ParsedTurn, ProcessEnd, TranscriptEnding, Unrecognised, Witness } from './transcript.js';
