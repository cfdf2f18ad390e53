import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

/** A git repository in a folder of its own. Closing it removes the folder. */
export interface TestRepository extends AsyncDisposable {
  readonly folder: string;
  /** Runs git in it and gives what it printed. */
  git(...args: readonly string[]): Promise<string>;
  /** Writes files, commits all and gives the commit's id. */
  commit(message: string, files: Readonly<Record<string, string>>): Promise<string>;
}

/** Makes an empty one whose branch is `trunk`. */
export async function openRepository(format: 'sha1' | 'sha256' = 'sha1'): Promise<TestRepository> {
  const folder = await mkdtemp(join(tmpdir(), 'niceeval-repo-'));
  const git = (...args: readonly string[]): Promise<string> => gitIn(folder, ...args);
  await git('init', '--quiet', `--object-format=${format}`, '-b', 'trunk', '.');
  return {
    folder,
    git,
    commit: async (message, files) => {
      for (const [name, text] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await writeFile(join(folder, name), text);
      }
      await git('add', '--all');
      await git('commit', '--quiet', '-m', message);
      return git('rev-parse', 'HEAD');
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs git in a folder, with no settings but a name, and gives what it printed. Rejects on a non-zero exit code. */
export async function gitIn(folder: string, ...args: readonly string[]): Promise<string> {
  const env = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  return (await execa('git', [...args], { cwd: folder, env })).stdout;
}
