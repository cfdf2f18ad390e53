import { existsSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { z } from 'zod';
import type { SandboxAgentContext } from './agent.js';
import { hostPathOf, hostPathProblem } from './host-path.js';

/** A skill that an agent is given: a host folder with a SKILL.md. */
export interface SkillSpec {
  readonly kind: 'local';
  /** Relative to the experiment's file. */
  readonly path: string;
  /** The folder's name in the sandbox. Default: the name of the host folder. */
  readonly name?: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const skillsSchema = z.array(z.strictObject({
  kind: z.literal('local', 'only { kind: "local", path } is known; check a repository out first'),
  path: z.string().min(1),
  name: z.string().regex(NAME, 'a name has letters, digits, ".", "_" or "-"').exactOptional(),
})).readonly();

/** Why the skills cannot be used, or `undefined` when they can. */
export function skillsProblem(skills: readonly SkillSpec[], experimentFolder: string | undefined): string | undefined {
  const names = skills.map(nameOf);
  const bad = names.find((name) => !NAME.test(name));
  if (bad !== undefined) return `\`skills\`: "${bad}" cannot be the name of a skill. Give one with \`name\`.`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return `\`skills\`: two skills have the name "${twice}".`;
  for (const { path } of skills) {
    const problem = hostPathProblem('skills', path, 'folder', experimentFolder);
    if (problem !== undefined) return problem;
    if (experimentFolder !== undefined && !existsSync(join(hostPathOf(path, experimentFolder), 'SKILL.md'))) return `\`skills\`: the folder "${path}" has no SKILL.md.`;
  }
  return undefined;
}

/** Copies the skills into the folder of the sandbox where the CLI looks for them. */
export async function uploadSkills(ctx: SandboxAgentContext, skills: readonly SkillSpec[], folder: string): Promise<void> {
  for (const skill of skills) await ctx.sandbox.uploadDirectory(hostPathOf(skill.path, ctx.experimentFolder), posix.join(folder, nameOf(skill)));
}

function nameOf({ path, name }: SkillSpec): string {
  return name ?? basename(path);
}
