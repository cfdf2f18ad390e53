import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { isJsonObject, parseJson, type JsonObject } from '../../evidence/json.js';
import type { AgentSettings, SandboxAgentContext } from '../agent.js';
import type { AgentConditions } from '../conditions.js';
import { copyHostFile, hostPathOf, hostPathProblem } from '../host-path.js';
import type { McpServer } from '../mcp-server.js';
import { skillsProblem, uploadSkills } from '../skill.js';
import { unsupportedEffort } from '../unsupported.js';
import { conditionedSettings, serversNamedIn } from './conditions.js';
import type { ClaudeCodeOptions } from './options.js';

// claude 2.1.197 --help, --effort.
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
/** Keys of a settings file that the experiment decides. */
const RESERVED = ['model', 'env', 'apiKeyHelper'];

/** Why Claude Code cannot work with these options and settings, or `undefined` when it can. */
export function claudeCodeProblem(options: ClaudeCodeOptions, { reasoningEffort, experimentFolder }: AgentSettings): string | undefined {
  const { settingsFile, instructionsFile, plugins = [], skills = [] } = options;
  return unsupportedEffort('Claude Code', EFFORTS, reasoningEffort)
    ?? (settingsFile === undefined ? undefined : settingsProblem(settingsFile, experimentFolder))
    ?? (instructionsFile === undefined ? undefined : hostPathProblem('instructionsFile', instructionsFile, 'file', experimentFolder))
    ?? plugins.map((plugin) => hostPathProblem('plugins', plugin, 'folder', experimentFolder)).find((problem) => problem !== undefined)
    ?? skillsProblem(skills, experimentFolder);
}

/** In print mode the CLI leaves a settings file that it cannot read out without a word. */
function settingsProblem(path: string, experimentFolder: string | undefined): string | undefined {
  const problem = hostPathProblem('settingsFile', path, 'file', experimentFolder);
  if (problem !== undefined || experimentFolder === undefined) return problem;
  const settings = parseJson(readFileSync(hostPathOf(path, experimentFolder), 'utf8'));
  if (!isJsonObject(settings)) return `\`settingsFile\`: "${path}" is no JSON object.`;
  const reserved = RESERVED.find((key) => Object.hasOwn(settings, key));
  return reserved === undefined ? undefined : `\`settingsFile\`: "${path}" sets "${reserved}", which the experiment decides. Take it out.`;
}

/** Paths in the sandbox of what was put there for the CLI. */
export function placesOf(home: string): { readonly own: string; readonly mcp: string; readonly settings: string; readonly instructions: string; readonly skills: string; plugin(index: number): string } {
  const own = posix.join(home, '.claude');
  return {
    own,
    mcp: posix.join(own, 'niceeval-mcp.json'),
    settings: posix.join(own, 'niceeval-settings.json'),
    instructions: posix.join(own, 'CLAUDE.md'),
    skills: posix.join(own, 'skills'),
    plugin: (index) => posix.join(own, `niceeval-plugins/${index + 1}`),
  };
}

/** Puts into the agent's home what the options name. */
export async function setUpClaudeCode(options: ClaudeCodeOptions, ctx: SandboxAgentContext, conditions: AgentConditions | undefined): Promise<void> {
  const places = placesOf(ctx.sandbox.home);
  const { settingsFile, instructionsFile, mcpServers = [], plugins = [], skills = [] } = options;
  if (conditions === undefined) await copyHostFile(ctx, settingsFile, places.settings);
  else {
    const servers = conditions.mcp && await ctx.sandbox.pathExists('.mcp.json') ? serversNamedIn(await ctx.sandbox.readText('.mcp.json')) : [];
    await ctx.sandbox.writeText(places.settings, JSON.stringify(conditionedSettings(settingsIn(settingsFile, ctx.experimentFolder), conditions, { workdir: ctx.sandbox.workdir, servers })));
  }
  await copyHostFile(ctx, instructionsFile, places.instructions);
  if (mcpServers.length > 0) await ctx.sandbox.writeText(places.mcp, JSON.stringify({ mcpServers: Object.fromEntries(mcpServers.map(serverEntry)) }));
  for (const [index, plugin] of plugins.entries()) await ctx.sandbox.uploadDirectory(hostPathOf(plugin, ctx.experimentFolder), places.plugin(index));
  await uploadSkills(ctx, skills, places.skills);
}

/** The author's own settings. They were looked at when the experiment was planned. */
function settingsIn(path: string | undefined, experimentFolder: string): JsonObject {
  const settings = path === undefined ? undefined : parseJson(readFileSync(hostPathOf(path, experimentFolder), 'utf8'));
  return isJsonObject(settings) ? settings : {};
}

function serverEntry(server: McpServer): readonly [string, object] {
  return [server.name, 'url' in server
    ? { type: 'http', url: server.url, ...(server.headers === undefined ? {} : { headers: server.headers }) }
    : { type: 'stdio', command: server.command, args: server.args ?? [], env: server.env ?? {} }];
}
