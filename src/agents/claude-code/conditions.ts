import { isJsonObject, type JsonObject } from '../../evidence/json.js';
import type { AgentConditions } from '../conditions.js';
import type { ClaudeCodeOptions } from './options.js';

/** What the CLI may do without changing a file by a tool of its own. What a command changes is for the sandbox to see to. */
const HARMLESS = ['Bash', 'BashOutput', 'KillShell', 'Read', 'Glob', 'Grep', 'LS', 'LSP', 'NotebookRead', 'WebFetch', 'WebSearch', 'TodoWrite', 'Task', 'Agent', 'Skill', 'SlashCommand', 'ListMcpResourcesTool', 'ReadMcpResourceTool'];
const EDITING = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'];

/** The options as conditions leave them. */
export function conditionedOptions(options: ClaudeCodeOptions, { approvals, writes, mcp, systemInstructions }: AgentConditions): ClaudeCodeOptions {
  const { allowedTools: _overridden, mcpServers: _maybe, appendSystemPrompt, ...rest } = options;
  const asksForAll = approvals === 'always';
  const isFree = writes === 'anywhere' && !asksForAll;
  const appended = [appendSystemPrompt, systemInstructions].filter((text) => text !== undefined).join('\n\n');
  return {
    ...rest,
    permissionMode: isFree ? 'bypassPermissions' : asksForAll ? 'default' : approvals === 'never' ? 'dontAsk' : writes === 'workspace' ? 'acceptEdits' : 'default',
    ...(isFree || asksForAll ? {} : { allowedTools: [...HARMLESS, ...(mcp ? (options.mcpServers ?? []).map(({ name }) => `mcp__${name}`) : [])] }),
    // Nobody is there to be asked.
    disallowedTools: [...options.disallowedTools ?? [], 'AskUserQuestion'],
    ...(mcp && options.mcpServers !== undefined ? { mcpServers: options.mcpServers } : {}),
    ...(appended === '' ? {} : { appendSystemPrompt: appended }),
  };
}

/** Settings of the CLI that conditions decide, over those of the author. @param workdir Absolute. */
export function conditionedSettings(given: JsonObject, { approvals, writes, mcp, hooks }: AgentConditions, workdir: string): JsonObject {
  const { permissions, ...rest } = given;
  const deny = isJsonObject(permissions) ? permissions['deny'] : undefined;
  return {
    ...rest,
    permissions: {
      ...(deny === undefined ? {} : { deny }),
      ...(approvals === 'always' ? { ask: [...HARMLESS, ...EDITING] } : {}),
      // A path with two slashes is one of the machine; with one it would start at the settings file.
      ...(approvals === 'never' && writes === 'workspace' ? { allow: EDITING.map((tool) => `${tool}(/${workdir}/**)`) } : {}),
    },
    ...(hooks ? {} : { disableAllHooks: true }),
    ...(mcp ? { enableAllProjectMcpServers: true } : {}),
  };
}

/** The largest that the CLI takes. */
const LARGEST_WINDOW = '1000000';

/** Environment that conditions decide. @param configFolder Where the CLI keeps its own files. */
export function conditionedEnvironment({ writes, compactAt }: AgentConditions, configFolder: string): Readonly<Record<string, string>> {
  return {
    // Else the CLI keeps a file beside its folder, where a home that cannot be written has no place for it.
    ...(writes === 'anywhere' ? {} : { CLAUDE_CONFIG_DIR: configFolder }),
    // claude 2.1.197 looks at the part only where a window is named; it takes the model's own where that is smaller.
    ...(compactAt === undefined ? {} : { CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: String(compactAt * 100), CLAUDE_CODE_AUTO_COMPACT_WINDOW: LARGEST_WINDOW }),
  };
}

/** Why the CLI cannot work under conditions. `undefined`: it can. */
export function conditionsProblem({ syntheticPairs }: AgentConditions): string | undefined {
  return syntheticPairs === undefined || syntheticPairs === 0 ? undefined : 'Claude Code keeps its own history and cannot be given a made-up one (--seed-synthetic-pairs)';
}
