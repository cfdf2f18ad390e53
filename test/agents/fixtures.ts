import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessEnd, Witness } from '../../src/agents/transcript.js';

const ROOT = new URL('../../fixtures/agents/', import.meta.url).pathname;

/** One recorded run. */
export interface Fixture {
  readonly name: string;
  readonly folder: string;
  readonly stdout: Uint8Array;
  readonly end: ProcessEnd;
  readonly witnesses: readonly Witness[];
}

export function fixturesOf(cli: 'claude-code' | 'codex', version: string): readonly Fixture[] {
  const folder = join(ROOT, cli, version);
  return readdirSync(folder).sort().map((name) => fixture(cli, version, name));
}

export function fixture(cli: 'claude-code' | 'codex', version: string, name: string): Fixture {
  const folder = join(ROOT, cli, version, name);
  const printed = join(folder, 'input.jsonl');
  const stdout = existsSync(printed) ? readFileSync(printed) : new Uint8Array(0);
  const stderr = join(folder, 'stderr.txt');
  const kind = cli === 'claude-code' ? 'session' : 'rollout';
  const files = join(folder, cli === 'claude-code' ? 'sessions' : 'rollouts');
  return {
    name,
    folder,
    stdout,
    end: JSON.parse(readFileSync(join(folder, 'exit.json'), 'utf8')) as ProcessEnd,
    witnesses: [
      ...(existsSync(printed) ? [{ kind: 'stdout' as const, bytes: stdout }] : []),
      ...(existsSync(stderr) ? [{ kind: 'stderr' as const, bytes: readFileSync(stderr) }] : []),
      ...tree(files).map((path) => ({ kind, path: path.slice(files.length + 1), bytes: readFileSync(path) }) as const),
    ],
  };
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Lines of a record from their values. */
export function linesOf(...values: readonly unknown[]): Uint8Array {
  return bytesOf(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
}

function tree(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? tree(path) : [path];
  }).sort();
}
