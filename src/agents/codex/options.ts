import { z } from 'zod';
import { commonOptionShape, type CommonAgentOptions } from '../agent-options.js';

/** Options of {@link codex}. Conditions of a scenario go over `transport`, `askUser`, `approvalPolicy` and `sandboxMode`. */
export interface CodexOptions extends CommonAgentOptions {
  /**
   * How the CLI is driven: `exec`, which asks nobody, or `app-server`, which can. Default: `app-server` when something may be
   * asked (`askUser`, `approvalPolicy: 'on-request'`), else `exec`.
   */
  readonly transport?: 'exec' | 'app-server';
  /** The agent may ask a person questions (request_user_input). Default: false. */
  readonly askUser?: boolean;
  /** Whether the CLI asks before it does what its sandbox forbids. Default: `never`. */
  readonly approvalPolicy?: 'never' | 'on-request';
  /** The CLI's own sandbox, inside the container. Default: `danger-full-access`, none, since the container is the boundary. */
  readonly sandboxMode?: 'danger-full-access' | 'workspace-write' | 'read-only';
  /** Host file that becomes `config.toml`. Relative to the experiment's file. */
  readonly configFile?: string;
  /** Host file that becomes `hooks.json`. Its hooks are run without anybody's trust, by `exec` only. Relative to the experiment's file. */
  readonly hooksFile?: string;
}

export const codexOptionsSchema = z.strictObject({
  ...commonOptionShape,
  transport: z.enum(['exec', 'app-server']).exactOptional(),
  askUser: z.boolean().exactOptional(),
  approvalPolicy: z.enum(['never', 'on-request']).exactOptional(),
  sandboxMode: z.enum(['danger-full-access', 'workspace-write', 'read-only']).exactOptional(),
  configFile: z.string().min(1).exactOptional(),
  hooksFile: z.string().min(1).exactOptional(),
});

/** What other CLIs have and this one does not. */
export const NOT_OF_CODEX = {
  maxTurns: 'it has no limit of turns; use `timeoutMs` of the experiment',
  permissionMode: 'see `approvalPolicy` and `sandboxMode`',
  allowedTools: 'it has no list of allowed tools; see rules in `configFile`',
  disallowedTools: 'it has no list of refused tools; turn features off in `configFile`',
  tools: 'it has no list of built-in tools; turn features off in `configFile`',
  settingsFile: 'its settings are config.toml, see `configFile`',
  plugins: 'niceeval cannot install its plugins; use `skills`, `mcpServers` or `configFile`',
} as const;

/** Whether the options make the CLI able to ask a person. */
export function mayAsk({ askUser = false, approvalPolicy = 'never' }: CodexOptions): boolean {
  return askUser || approvalPolicy !== 'never';
}

/** The transport that the options come to. @throws TypeError for `exec` with something to ask, or `app-server` with hooks. */
export function transportOf(options: CodexOptions): 'exec' | 'app-server' {
  if (options.transport === 'exec' && mayAsk(options)) {
    throw new TypeError('codex(): `transport: "exec"` asks nobody, so `askUser` and `approvalPolicy: "on-request"` cannot work with it. Leave `transport` out.');
  }
  const transport = options.transport ?? (mayAsk(options) ? 'app-server' : 'exec');
  if (transport === 'app-server' && options.hooksFile !== undefined) {
    throw new TypeError('codex(): `hooksFile` cannot work with `codex app-server`, which runs only hooks that a person has trusted. Leave it, or `transport`, `askUser` and `approvalPolicy`, out.');
  }
  return transport;
}
