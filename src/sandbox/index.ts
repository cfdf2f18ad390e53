export { docker, docker as dockerSandbox, type DockerOptions } from './docker/spec.js';
export {
  CommandTimeoutError, EngineCallError, EngineSilentError, EngineUnavailableError, ImageError, SandboxCleanupError, SandboxCommandExitError, SandboxDiskError,
  SandboxGoneError, SandboxInputError, SandboxPathError, SandboxProcessError, UnsafeArchiveError,
} from './errors.js';
export type {
  AgentProcess, ClosedNetwork, CommandEnding, CommandOptions, CommandResult, ExecOptions, NetworkPlan, OpenSandboxOptions, OpenServiceOptions, OwnedSandbox, PreparedImage,
  ReapReport, ResourceLimits, ResourceUse, Sandbox, SandboxProvider, SandboxSpec, Service, SparedProcesses, UploadDirectoryOptions,
} from './sandbox.js';
