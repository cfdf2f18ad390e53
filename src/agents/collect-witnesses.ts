import { messageOf } from '../lifetime/error.js';
import { redactedBytes } from '../sandbox/redactor.js';
import type { SandboxAgentContext } from './agent.js';
import type { Witness } from './transcript.js';

/** Which files of the agent's home are witnesses. */
export interface WitnessFiles {
  readonly kind: Witness['kind'];
  /** Absolute. */
  readonly folder: string;
  readonly suffixes: readonly string[];
  /** Values that are replaced by `[redacted]` before anything is stored or read. */
  readonly sensitiveValues: readonly string[];
}

/** Files below a folder of the sandbox as witnesses, kept in the record; none when there is no such folder. */
export async function collectWitnesses(ctx: SandboxAgentContext, { kind, folder, suffixes, sensitiveValues }: WitnessFiles): Promise<readonly Witness[]> {
  const { extract } = await import('tar-stream');
  const witnesses: Witness[] = [];
  try {
    const archive = await ctx.sandbox.archive(folder);
    for await (const entry of archive.pipe(extract())) {
      if (entry.header.type !== 'file' || !suffixes.some((suffix) => entry.header.name.endsWith(suffix))) {
        entry.resume();
        continue;
      }
      const parts: Buffer[] = [];
      for await (const part of entry as AsyncIterable<Buffer>) parts.push(part);
      const bytes = redactedBytes(sensitiveValues, Buffer.concat(parts));
      await ctx.keepFile(entry.header.name, bytes);
      witnesses.push({ kind, path: entry.header.name, bytes });
    }
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'sandbox-path') ctx.diagnostic(`${kind}-files-missing`, `${folder} could not be read: ${messageOf(error)}`);
  }
  return witnesses;
}
