import { z } from 'zod';
import { commonOptionShape, type CommonAgentOptions } from '../agent-options.js';

/** Options of {@link claudeCode}. Conditions of a scenario go over `permissionMode`, `allowedTools`, and what `settingsFile` allows. */
export interface ClaudeCodeOptions extends CommonAgentOptions {
  /**
   * What the CLI may do without asking. Default: `bypassPermissions`, everything, since the container is the boundary;
   * then only the agent's own questions wait for an answer. With every other mode, what the CLI would ask a person becomes
   * `input.requested`.
   */
  readonly permissionMode?: 'bypassPermissions' | 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'auto';
  /** Tools that need no permission, for instance `Bash(git *)`. */
  readonly allowedTools?: readonly string[];
  /** Tools that are refused, in every mode. */
  readonly disallowedTools?: readonly string[];
  /** The built-in tools there are. Default: all; an empty list: none. */
  readonly tools?: readonly string[];
  /** The CLI ends a turn after so many model turns; such a turn has failed. */
  readonly maxTurns?: number;
  /** Host file with settings of the CLI (JSON), for instance hooks and rules. Relative to the experiment's file. */
  readonly settingsFile?: string;
  /** Host folders with plugins. Relative to the experiment's file. */
  readonly plugins?: readonly string[];
}

const texts = z.array(z.string().min(1)).readonly();

export const claudeCodeOptionsSchema = z.strictObject({
  ...commonOptionShape,
  permissionMode: z.enum(['bypassPermissions', 'default', 'acceptEdits', 'plan', 'dontAsk', 'auto']).exactOptional(),
  allowedTools: texts.exactOptional(),
  disallowedTools: texts.exactOptional(),
  tools: texts.exactOptional(),
  maxTurns: z.number().int().positive().exactOptional(),
  settingsFile: z.string().min(1).exactOptional(),
  plugins: texts.exactOptional(),
});

/** What other CLIs have and this one does not. */
export const NOT_OF_CLAUDE_CODE = {
  configFile: 'its settings are a JSON file, see `settingsFile`',
  hooksFile: 'hooks are a part of its settings, see `settingsFile`',
  approvalPolicy: 'see `permissionMode`',
  sandboxMode: 'it has no sandbox of its own; the container is one',
  askUser: 'its agent can always ask; take AskUserQuestion away with `disallowedTools`',
  transport: 'it has only one',
} as const;
