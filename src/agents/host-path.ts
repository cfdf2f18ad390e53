import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import type { SandboxAgentContext } from './agent.js';

/** The absolute host path of a file that an experiment names. Relative paths start in the folder of the experiment's file. */
export function hostPathOf(path: string, experimentFolder: string): string {
  return isAbsolute(path) ? path : resolve(experimentFolder, path);
}

/** Copies a file that an experiment names, if it names one, to a path of the sandbox. */
export async function copyHostFile(ctx: SandboxAgentContext, path: string | undefined, place: string): Promise<void> {
  if (path !== undefined) await ctx.sandbox.writeBytes(place, await readFile(hostPathOf(path, ctx.experimentFolder)));
}

/** Why a host path cannot be used, or `undefined` when it can. Without a folder nothing is looked at. */
export function hostPathProblem(option: string, path: string, want: 'file' | 'folder', experimentFolder: string | undefined): string | undefined {
  if (experimentFolder === undefined) return undefined;
  const absolute = hostPathOf(path, experimentFolder);
  if (!existsSync(absolute)) return `\`${option}\`: there is no ${want} "${path}". The path is relative to the experiment's file.`;
  const isFolder = statSync(absolute).isDirectory();
  return isFolder === (want === 'folder') ? undefined : `\`${option}\`: "${path}" is ${isFolder ? 'a folder' : 'no folder'}, and a ${want} is needed.`;
}
