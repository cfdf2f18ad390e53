import { isJsonObject, parseJson, type JsonObject } from '../../evidence/json.js';
import type { AgentConditions } from '../conditions.js';
import type { ClaudeCodeOptions } from './options.js';

/** What the CLI may do without changing a file by a tool of its own. What a command changes is for the sandbox to see to. */
const HARMLESS = ['Bash', 'BashOutput', 'KillShell', 'Read', 'Glob', 'Grep', 'LS', 'LSP', 'NotebookRead', 'WebFetch', 'WebSearch', 'TodoWrite', 'Task', 'Agent', 'Skill', 'SlashCommand', 'ListMcpResourcesTool', 'ReadMcpResourceTool'];
/** For all tools of a server: the CLI takes no `*` there. */
const ruleOfServer = (name: string): string => `mcp__${name}`;
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
    ...(isFree || asksForAll ? {} : { allowedTools: [...HARMLESS, ...(mcp ? (options.mcpServers ?? []).map(({ name }) => ruleOfServer(name)) : [])] }),
    // Nobody is there to be asked, nor to say that a plan is good.
    disallowedTools: [...options.disallowedTools ?? [], 'AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode'],
    ...(mcp && options.mcpServers !== undefined ? { mcpServers: options.mcpServers } : {}),
    ...(appended === '' ? {} : { appendSystemPrompt: appended }),
  };
}

/** Where settings are to hold. */
interface SettingsPlace {
  /** Absolute. */
  readonly workdir: string;
  /** Tool servers that the workspace names. */
  readonly servers: readonly string[];
}

/** Names of the tool servers in a `.mcp.json`; none where it is no such file. What is no plain name is left out: it would be a rule of its own. */
export function serversNamedIn(text: string): readonly string[] {
  const file = parseJson(text);
  const servers = isJsonObject(file) ? file['mcpServers'] : undefined;
  return isJsonObject(servers) ? Object.keys(servers).filter((name) => /^[\w-]{1,64}$/.test(name)) : [];
}

/** Settings of the CLI that conditions decide, over those of the author. */
export function conditionedSettings(given: JsonObject, { approvals, writes, mcp, hooks }: AgentConditions, { workdir, servers }: SettingsPlace): JsonObject {
  const { permissions, ...rest } = given;
  const deny = isJsonObject(permissions) ? permissions['deny'] : undefined;
  // A path with two slashes is one of the machine; with one it would start at the settings file.
  const edits = approvals === 'never' && writes === 'workspace' ? EDITING.map((tool) => `${tool}(/${workdir}/**)`) : [];
  const allow = approvals === 'always' ? [] : [...edits, ...(mcp ? servers.map(ruleOfServer) : [])];
  return {
    ...rest,
    permissions: {
      ...(deny === undefined ? {} : { deny }),
      // claude 2.1.197: every tool, whatever allows it elsewhere.
      ...(approvals === 'always' ? { ask: ['*'] } : {}),
      ...(allow.length === 0 ? {} : { allow }),
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
