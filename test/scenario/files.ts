import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AuthoringError } from '../../src/plan/errors.js';
import { readScenarios, type ScenarioLine } from '../../src/scenario/read-scenarios.js';

/** What is in a file of scenarios, or what is wrong with it. */
export async function read(content: string | Uint8Array): Promise<{ readonly lines: readonly ScenarioLine[]; readonly problems: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'niceeval-scenarios-'));
  try {
    await writeFile(join(folder, 's.jsonl'), content);
    return { lines: await readScenarios(join(folder, 's.jsonl')), problems: [] };
  } catch (error) {
    if (error instanceof AuthoringError) return { lines: [], problems: error.problems };
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
