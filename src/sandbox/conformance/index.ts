export type { ConformanceCheck } from './check.js';
export { SandboxConformanceError, type ConformanceFacts } from './errors.js';
export { sandboxConformance, type SandboxCheck } from './sandbox-conformance.js';
export type { SandboxSubject } from './sandbox-subject.js';
