import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A file of the package itself, in the folder above `dist/` or `src/`. */
export function packageFile(name: string): string {
  return fileURLToPath(new URL(`../../../${name}`, import.meta.url));
}

/** The CLI versions that the sandbox image has when nobody says otherwise; known to work together. */
export const CLI_VERSIONS = { CLAUDE_CODE_VERSION: '2.1.197', CODEX_VERSION: '0.171.0' } as const;

/** The official base, and the versions that a local base is made of. */
export const BASE = { official: 'node:22-bookworm-slim', nodeVersion: '22.23.3', npmVersion: '10.9.4', suite: 'bookworm' } as const;

/** The short hash of a recipe: two recipes with the same parts have the same one. */
export function recipeHash(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(String(part.length)).update(':').update(part);
  return hash.digest('hex').slice(0, 12);
}

/** The versions that this build uses: the defaults, or what the environment names. */
export function cliVersions(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(CLI_VERSIONS).map(([name, version]) => [name, env[`NICEEVAL_${name}`] ?? version]),
  );
}

export const readRecipeFile = (name: string): Promise<Buffer> => readFile(packageFile(name));
