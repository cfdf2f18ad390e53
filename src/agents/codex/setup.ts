import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { isJsonObject, parseJson } from '../../evidence/json.js';
import type { AgentSettings, SandboxAgentContext } from '../agent.js';
import { copyHostFile, hostPathOf, hostPathProblem } from '../host-path.js';
import { skillsProblem, uploadSkills } from '../skill.js';
import { unsupportedEffort } from '../unsupported.js';
import { rulesOf, type CodexConditions } from './conditions.js';
import type { CodexOptions } from './options.js';

// codex 0.171.0, model_reasoning_effort.
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];
/** Keys of config.toml that the experiment decides, as they stand at the beginning of a line or in a table's head. */
const RESERVED = ['model', 'model_provider', 'model_providers', 'model_reasoning_effort', 'approval_policy', 'sandbox_mode'];

/** Why Codex cannot work with these options and settings, or `undefined` when it can. */
export function codexProblem(options: CodexOptions, { reasoningEffort, experimentFolder }: AgentSettings): string | undefined {
  const { configFile, hooksFile, instructionsFile, skills = [] } = options;
  return unsupportedEffort('Codex', EFFORTS, reasoningEffort)
    ?? (configFile === undefined ? undefined : configProblem(configFile, experimentFolder))
    ?? (hooksFile === undefined ? undefined : hooksProblem(hooksFile, experimentFolder))
    ?? (instructionsFile === undefined ? undefined : hostPathProblem('instructionsFile', instructionsFile, 'file', experimentFolder))
    ?? skillsProblem(skills, experimentFolder);
}

/** Paths in the sandbox of what was put there for the CLI. */
export function placesOf(home: string): { readonly config: string; readonly hooks: string; readonly instructions: string; readonly systemPrompt: string; readonly rules: string; readonly skills: string } {
  const own = posix.join(home, '.codex');
  return {
    config: posix.join(own, 'config.toml'),
    hooks: posix.join(own, 'hooks.json'),
    instructions: posix.join(own, 'AGENTS.md'),
    systemPrompt: posix.join(own, 'niceeval-system-prompt.md'),
    rules: posix.join(own, 'rules/niceeval.rules'),
    skills: posix.join(own, 'skills'),
  };
}

/** Puts into the agent's home what the options name. */
export async function setUpCodex(options: CodexOptions, ctx: SandboxAgentContext, under: CodexConditions | undefined): Promise<void> {
  const places = placesOf(ctx.sandbox.home);
  const { configFile, hooksFile, instructionsFile, systemPrompt, skills = [] } = options;
  await copyHostFile(ctx, configFile, places.config);
  await copyHostFile(ctx, hooksFile, places.hooks);
  await copyHostFile(ctx, instructionsFile, places.instructions);
  if (systemPrompt !== undefined) await ctx.sandbox.writeText(places.systemPrompt, systemPrompt);
  if (under !== undefined) await ctx.sandbox.writeText(places.rules, rulesOf(under.conditions));
  await uploadSkills(ctx, skills, places.skills);
}

/** The CLI goes on without a word when it cannot read its hooks. */
function hooksProblem(path: string, experimentFolder: string | undefined): string | undefined {
  const problem = hostPathProblem('hooksFile', path, 'file', experimentFolder);
  if (problem !== undefined || experimentFolder === undefined) return problem;
  return isJsonObject(parseJson(readFileSync(hostPathOf(path, experimentFolder), 'utf8'))) ? undefined : `\`hooksFile\`: "${path}" is no JSON object.`;
}

function configProblem(path: string, experimentFolder: string | undefined): string | undefined {
  const problem = hostPathProblem('configFile', path, 'file', experimentFolder);
  if (problem !== undefined || experimentFolder === undefined) return problem;
  const lines = readFileSync(hostPathOf(path, experimentFolder), 'utf8').split('\n');
  const reserved = RESERVED.find((key) => lines.some((line) => new RegExp(`^\\s*\\[?\\s*"?${key}"?\\s*[=.\\]]`).test(line)));
  return reserved === undefined ? undefined : `\`configFile\`: "${path}" sets "${reserved}", which the experiment decides. Take it out.`;
}
