import { z } from 'zod';
import type { JsonValue } from '../evidence/json.js';
import { mcpServersSchema, type McpServer } from './mcp-server.js';
import { skillsSchema, type SkillSpec } from './skill.js';

/** The flags of an experiment. */
export type Flags = { readonly [flag: string]: JsonValue };

/** Options that every CLI's factory takes. */
export interface CommonAgentOptions {
  /** Shown in tables. Default: the CLI's name. */
  readonly name?: string;
  /** Further arguments of the CLI, after ours; as a function of the experiment's flags when they depend on them. */
  readonly args?: readonly string[] | ((flags: Flags) => readonly string[]);
  /** Further environment of the CLI; as a function of the experiment's flags when it depends on them. */
  readonly env?: Readonly<Record<string, string>> | ((flags: Flags) => Readonly<Record<string, string>>);
  /** Values of at least 6 characters that are replaced by `[redacted]` in all that the CLI prints and keeps, before it is stored. Default: none. */
  readonly sensitiveValues?: readonly string[];
  /** Takes the place of the CLI's own system prompt. */
  readonly systemPrompt?: string;
  /** Is added to the CLI's own system prompt. */
  readonly appendSystemPrompt?: string;
  /** Host file that becomes the user's own instructions (CLAUDE.md, AGENTS.md) in the agent's home. Relative to the experiment's file. */
  readonly instructionsFile?: string;
  /** Tool servers. One that does not start ends the Attempt as errored. */
  readonly mcpServers?: readonly McpServer[];
  /** Skills for the agent's home. */
  readonly skills?: readonly SkillSpec[];
}

/** A single argument of a command may have 128 KiB. */
const prompt = z.string().min(1).refine((text) => Buffer.byteLength(text) <= 100_000, 'it has more than 100,000 bytes; put what is long into `instructionsFile`');
const texts = z.array(z.string()).readonly();
const fromFlags = z.custom<(flags: Flags) => never>((value) => typeof value === 'function');

/** The shape of {@link CommonAgentOptions}, to be extended by each CLI. */
export const commonOptionShape = {
  name: z.string().min(1).exactOptional(),
  args: z.union([texts, fromFlags], 'a list of texts, or a function of the flags').exactOptional(),
  env: z.union([z.record(z.string(), z.string()), fromFlags], 'an object of texts, or a function of the flags').exactOptional(),
  sensitiveValues: z.array(z.string().min(6, 'a value of fewer than 6 characters would tear the record')).readonly().exactOptional(),
  systemPrompt: prompt.exactOptional(),
  appendSystemPrompt: prompt.exactOptional(),
  instructionsFile: z.string().min(1).exactOptional(),
  mcpServers: mcpServersSchema.exactOptional(),
  skills: skillsSchema.exactOptional(),
};

/**
 * Refuses options that a CLI does not have.
 *
 * @param shape What it has, strictly.
 * @param unsupported Options of other CLIs, each with why this one has no such thing.
 * @throws TypeError naming the factory, the option and what to do.
 */
export function checkOptions(factory: string, options: unknown, shape: z.ZodType & { readonly shape: object }, unsupported: Readonly<Record<string, string>>): void {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${factory}() takes an object of options.`);
  const known = Object.keys(shape.shape);
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    throw new TypeError(`${factory}() does not know the option "${key}"${unsupported[key] === undefined ? '' : `: ${unsupported[key]}`}. It knows ${known.join(', ')}.`);
  }
  const read = shape.safeParse(options);
  if (read.success) return;
  const issue = read.error.issues[0];
  throw new TypeError(`${factory}(): \`${issue?.path.join('.') ?? ''}\` does not fit: ${issue?.message ?? 'wrong kind'}.`);
}

/** Host files that options of every CLI name. */
export function inputFilesOf({ instructionsFile, skills = [] }: CommonAgentOptions): readonly string[] {
  return [...(instructionsFile === undefined ? [] : [instructionsFile]), ...skills.map(({ path }) => path)];
}

/** The author's own arguments. @throws TypeError when their function gave something else. */
export function argsOf({ args = [] }: CommonAgentOptions, flags: Flags): readonly string[] {
  const given: unknown = typeof args === 'function' ? args(flags) : args;
  const read = texts.safeParse(given);
  if (!read.success) throw new TypeError('The `args` function of an agent must give a list of texts.');
  return read.data;
}

/** The author's own environment. @throws TypeError when their function gave something else. */
export function envOf({ env = {} }: CommonAgentOptions, flags: Flags): Readonly<Record<string, string>> {
  const given: unknown = typeof env === 'function' ? env(flags) : env;
  const read = z.record(z.string(), z.string()).safeParse(given);
  if (!read.success) throw new TypeError('The `env` function of an agent must give an object of texts.');
  return read.data;
}
