export { docker, docker as dockerSandbox, type DockerOptions } from './docker/spec.js';
export {
  CommandTimeoutError, EngineCallError, EngineSilentError, EngineUnavailableError, ImageError, SandboxCleanupError, SandboxCommandExitError, SandboxDiskError,
  SandboxGoneError, SandboxInputError, SandboxPathError, UnsafeArchiveError,
} from './errors.js';
export type { CommandEnding, CommandOptions, CommandResult, ResourceLimits, Sandbox, SandboxSpec, UploadDirectoryOptions } from './sandbox.js';
