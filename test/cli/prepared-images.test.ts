import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptFileSchema, changesFileSchema } from '../../src/record/schema.js';
import { shellAgent } from '../support/agents.js';
import { busyboxFiles, containersOf, importImage, removeImage, type TestImage } from '../support/images.js';
import { openProject, type TestProject } from '../support/project.js';
import { gitIn, openRepository } from '../support/repositories.js';

const APPLETS = ['sh', 'sleep', 'cat', 'ls', 'echo', 'rm', 'true'];
const PASSWD = 'root:x:0:0:root:/root:/bin/sh\nworker:x:1234:2345::/home/worker:/bin/sh\n';

const evalFile = (fields: string, body: string): string => `
import { defineEval } from 'niceeval';
import { equals } from 'niceeval/expect';
import { command, docker, fromGit, fromTar, sandboxLayer, shell, upload } from 'niceeval/sandbox';
export default defineEval({ ${fields} async test(t) { ${body} } });
`;

async function attemptsOf(project: TestProject): Promise<ReadonlyMap<string, ReturnType<typeof attemptFileSchema.parse>>> {
  const folder = join(await project.runFolder(), 'attempts');
  const read = async (id: string) => attemptFileSchema.parse(JSON.parse(await readFile(join(folder, id, 'attempt.json'), 'utf8')));
  return new Map((await Promise.all((await readdir(folder)).map(read))).map((attempt) => [attempt.evalId, attempt]));
}

describe('prepared images of a run', () => {
  let base: TestImage;
  const made = new Set<string>();
  beforeAll(async () => { base = await importImage({ ...await busyboxFiles(APPLETS), 'etc/passwd': { bytes: PASSWD }, 'work': { folder: true, uid: 1234, gid: 2345 } }, ['USER worker', 'WORKDIR /work']); });
  afterAll(async () => {
    for (const reference of made) await removeImage(reference);
    await base[Symbol.asyncDispose]();
  });
  const remember = async (project: TestProject): Promise<ReadonlyMap<string, ReturnType<typeof attemptFileSchema.parse>>> => {
    const attempts = await attemptsOf(project);
    for (const { image } of attempts.values()) if (image?.reference.startsWith('niceeval/prepared:') === true) made.add(image.reference);
    return attempts;
  };

  it('are what Attempts start from: the workspace, the steps of the experiment, those of the eval; nobody changed them', async () => {
    await using repo = await openRepository();
    await repo.commit('task', { 'src/a.txt': 'task\n' });
    const task = await repo.git('rev-parse', 'HEAD');
    await repo.commit('solution', { 'src/a.txt': 'solved\n' });
    await using project = await openProject({
      'evals/folder.eval.ts': evalFile("workspace: '../files', sandbox: sandboxLayer().prepare(shell('cat seed.txt order > late; echo eval >> order')),", `
        await t.check(await t.sandbox.readText('order'), equals('experiment\\neval\\n')).orStop();
        (await t.send('go')).succeeded();
        t.check(await t.sandbox.readText('late'), equals('seedexperiment\\n'));
        t.sandbox.changedPaths(['new.txt', 'seed.txt']);`),
      'evals/git.eval.ts': evalFile(`workspace: fromGit({ repo: ${JSON.stringify(repo.folder)}, ref: 'trunk~1' }),`, `
        t.check(await t.sandbox.readText('src/a.txt'), equals('task\\n'));
        await t.sandbox.downloadDirectory('.git', '../copied/.git');
        (await t.send('go')).succeeded();
        t.sandbox.changedPaths(['new.txt', 'seed.txt']);`),
      'evals/tar.eval.ts': evalFile("workspace: fromTar('../files.tar.gz'),", `
        t.check(await t.sandbox.readText('seed.txt'), equals('seed'));
        await t.sandbox.uploadFile('../files/seed.txt', 'hidden.txt');
        (await t.send('go')).succeeded();
        t.sandbox.changedPaths(['new.txt', 'seed.txt']);`),
      'files/seed.txt': 'seed',
      'experiments/x.ts': `import { docker, shell } from 'niceeval/sandbox';\n${shellAgent('echo new > new.txt; echo more >> seed.txt', `sandbox: docker({ image: '${base.reference}' }).prepare(shell('echo experiment > order')),`)}`,
    });
    await execa('tar', ['--create', '--gzip', `--file=${join(project.root, 'files.tar.gz')}`, `--directory=${join(project.root, 'files')}`, '.']);
    const { stdout, exitCode } = await project.niceeval(['run']);
    const attempts = await remember(project);
    expect([exitCode, stdout.includes('3 passed, 0 failed, 0 errored, 0 skipped')], stdout).toEqual([0, true]);
    expect(attempts.get('git')?.image?.sources).toEqual([{ repo: repo.folder, ref: 'trunk~1', commit: task }]);
    expect(attempts.get('folder')?.image?.sources).toBeUndefined();
    // What the agent was given, looked at with git's own eyes.
    expect(await gitIn(join(project.root, 'copied'), 'log', '--all', '--format=%s')).toBe('task');
    expect(await gitIn(join(project.root, 'copied'), 'fsck', '--unreachable', '--no-reflogs')).toBe('');
    const changes = changesFileSchema.parse(await project.attemptFile('changes.json', 'folder')).changes;
    expect(changes.state === 'available' ? changes.net.map(({ path, status }) => `${status} ${path}`) : changes.reason).toEqual(['added new.txt', 'modified seed.txt']);
  });

  it('that cannot be made hurt only the Attempts that need them, and nobody waits for an image that is not his', async () => {
    await using project = await openProject({
      // The step of one image waits until an Attempt of the other one has ended.
      'evals/waits.eval.ts': evalFile(`sandbox: docker({ image: '${base.reference}' }).prepare(upload('../go'), shell('until [ -e go ] && [ "$(cat go)" ]; do sleep 0.2; done', { timeoutMs: 60_000 })),`, 't.log("ran");'),
      'evals/broken.eval.ts': evalFile(`sandbox: docker({ image: '${base.reference}' }).prepare(shell('echo no such thing; exit 9')),`, 't.log("ran");'),
      'evals/ready.eval.ts': evalFile(`sandbox: docker({ image: '${base.reference}' }),`, '(await t.send("go")).succeeded();'),
      'evals/missing.eval.ts': evalFile("sandbox: docker({ image: 'niceeval-test/nowhere:1' }),", 't.log("ran");'),
      'experiments/x.ts': shellAgent('echo new > new.txt'),
      'go': '',
    });
    const run = project.niceeval(['run', '--json', '--concurrency', '1']);
    const order: string[] = [];
    for await (const line of run.iterable()) {
      const event = JSON.parse(String(line)) as { type: string; line?: string; evalId?: string; result?: { evalId: string } };
      if (event.type !== 'attempt.finished') continue;
      order.push(event.result?.evalId ?? event.evalId ?? '');
      if (order.length === 3) await releaseBuild();
    }
    const { exitCode } = await run;
    const attempts = await remember(project);
    expect(exitCode).toBe(1);
    expect(order.at(-1)).toBe('waits');
    expect([...attempts].map(([id, { verdict, error }]) => [id, verdict, error?.code]).sort()).toEqual([
      ['broken', 'errored', 'image'], ['missing', 'errored', 'image'], ['ready', 'passed', undefined], ['waits', 'passed', undefined],
    ]);
    expect(attempts.get('broken')?.error).toEqual({ phase: 'sandbox', code: 'image', message: 'The step shell "echo no such thing; exit 9" failed: it ended with exit code 9. The end of what it printed: no such thing' });
  });

  /** A run that gets a signal in the middle of its only step, which takes ten minutes. */
  const stopped = async (project: TestProject, signal: NodeJS.Signals): Promise<{ readonly runId: string; readonly exitCode: number | undefined }> => {
    const run = project.niceeval(['run', '--json']);
    let runId = '';
    for await (const line of run.iterable()) {
      const event = JSON.parse(String(line)) as { type: string; runId?: string; line?: string };
      runId = event.runId ?? runId;
      if (event.line?.includes('step 1/1') === true) run.kill(signal);
    }
    return { runId, exitCode: (await run).exitCode };
  };
  const slow = (): Promise<TestProject> => openProject({
    'evals/a.eval.ts': evalFile(`sandbox: docker({ image: '${base.reference}' }).prepare(shell('sleep 600')),`, 't.log("ran");'),
    'experiments/x.ts': shellAgent('true'),
  });

  it('leave nothing behind when the run is killed in the middle of a step, but what the next run removes', async () => {
    await using project = await slow();
    const { runId } = await stopped(project, 'SIGKILL');
    expect(await containersOf(runId)).toHaveLength(1);
    const { exitCode } = await project.niceeval(['clean']);
    expect([exitCode, await containersOf(runId)]).toEqual([0, []]);
  });

  it('end with the run when it is interrupted', async () => {
    await using project = await slow();
    const { runId, exitCode } = await stopped(project, 'SIGINT');
    expect([exitCode, await containersOf(runId)]).toEqual([130, []]);
  });
});

/** Lets the one build of this project go on: gives the file, on which its step waits, some content. */
async function releaseBuild(): Promise<void> {
  const { stdout } = await execa('docker', ['ps', '-q', '--filter', 'label=niceeval.role=build']);
  for (const id of stdout.split('\n').filter((found) => found !== '')) await execa('docker', ['exec', id, 'sh', '-c', '[ -e go ] && echo now > go'], { reject: false });
}

it('a workspace that is not there is told before anything starts', async () => {
  await using project = await openProject({
    'evals/a.eval.ts': evalFile("workspace: '../nowhere', sandbox: sandboxLayer().prepare(upload('./gone.txt')),", 't.log("x");'),
    'evals/b.eval.ts': evalFile("workspace: '../file', sandbox: docker().prepare(command('true')),", 't.log("x");'),
    'evals/c.eval.ts': evalFile("workspace: fromGit({ repo: '../no-repo', ref: 'main' }),", 't.log("x");'),
    'evals/d.eval.ts': evalFile("workspace: fromTar('../files'),", 't.log("x");'),
    'experiments/x.ts': shellAgent('true'),
    'file': '',
  });
  await mkdir(join(project.root, 'files'));
  await writeFile(join(project.root, 'files/x'), '');
  const { exitCode, stderr } = await project.niceeval(['run']);
  expect(exitCode).toBe(2);
  expect(stderr.trim().split('\n')).toEqual([
    `niceeval: evals/a.eval.ts: the workspace ${project.root}/nowhere is not a folder. The path is relative to this file.`,
    `niceeval: evals/a.eval.ts: ${project.root}/evals/gone.txt cannot be uploaded: it is not there. The path is relative to this file.`,
    `niceeval: evals/b.eval.ts: the workspace ${project.root}/file is not a folder. The path is relative to this file.`,
    `niceeval: evals/c.eval.ts: the repository ${project.root}/no-repo is not there. The path is relative to this file.`,
    `niceeval: evals/d.eval.ts: the archive ${project.root}/files is not a file. The path is relative to this file.`,
  ]);
  await expect(access(join(project.root, '.niceeval'))).rejects.toThrow('ENOENT');
});
