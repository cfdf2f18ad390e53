export { agentConformance } from './agent-conformance.js';
export type { AgentSubject, Answer, ConformingAgent, OpenedContext } from './agent-subject.js';
export type { ConformanceCheck } from '../../sandbox/conformance/check.js';
export type { ConformanceFacts } from '../../sandbox/conformance/errors.js';
export { ConformanceError } from './errors.js';
export { openMemoryContext, type MemoryContext, type MemoryContextOptions } from './memory-context.js';
export { transcriptConformance } from './transcript-conformance.js';
export type { RecordedTranscript, StreamingParser, TranscriptSubject } from './transcript-subject.js';
