import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A project on disk; it is gone when its scope ends. */
export interface ProjectFolder extends AsyncDisposable {
  readonly root: string;
}

/** Writes a project: relative path to text. */
export async function writeProject(files: Readonly<Record<string, string>>): Promise<ProjectFolder> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'niceeval-project-')));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

/** The text of an eval file. @param fields More fields of the definition, for instance `tags: ['smoke'],`. */
export function evalFile(fields = ''): string {
  return `import { defineEval } from 'niceeval';\nexport default defineEval({ ${fields} async test(t) { await t.send('Hello.'); } });\n`;
}

/** The text of an experiment file with an agent that answers nothing. */
export function experimentFile(fields = ''): string {
  return [
    "import { completeEvidenceCoverage, defineAgent, defineExperiment, scripted } from 'niceeval';",
    "const agent = defineAgent({ name: 'silent', evidenceCoverage: completeEvidenceCoverage, send: async () => ({ events: [], status: 'completed' }) });",
    `export default defineExperiment({ agent, ${fields} });`,
  ].join('\n');
}
