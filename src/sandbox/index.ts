export { docker, docker as dockerSandbox, type DockerOptions } from './docker/spec.js';
export {
  CommandTimeoutError, EngineCallError, EngineSilentError, EngineUnavailableError, ImageError, NoShellError, SandboxCleanupError, SandboxCommandExitError, SandboxDiskError,
  SandboxGoneError, SandboxInputError, SandboxPathError, SandboxProcessError, UnsafeArchiveError,
} from './errors.js';
export { sandboxLayer, type SandboxLayer, type SandboxTemplate } from './prepare/preparable.js';
export type { PrepareStep, RunStepOptions, WorkspaceSource } from './prepare/step.js';
export { command, shell, upload } from './prepare/steps.js';
export { fromFolder, fromGit, fromTar, type GitSourceOptions } from './prepare/workspace-sources.js';
export type {
  AgentProcess, ClosedNetwork, CommandEnding, CommandOptions, CommandResult, ExecOptions, NetworkPlan, OpenSandboxOptions, OpenServiceOptions, OwnedSandbox, PreparedImage,
  ReapReport, ResourceLimits, ResourceUse, Sandbox, SandboxProvider, SandboxSpec, Service, SparedProcesses, UploadDirectoryOptions, UploadReport,
} from './sandbox.js';
