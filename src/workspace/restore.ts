import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import type { ChangeWindow, FileChange, FileSide } from '../evidence/file-changes.js';
import { unescapePath } from '../evidence/path-text.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';

/**
 * Why a window cannot be carried out a second time: contents that were not kept, or folders that were counted and not listed.
 * `undefined`: it can.
 */
export function whyNotRestorable({ label, changes, summaries }: ChangeWindow): string | undefined {
  const counted = summaries[0];
  if (counted !== undefined) return `${label}: what changed in ${counted.path} was counted and not recorded`;
  const gap = changes.find(({ after }) => after?.kind === 'file' && (after.sha256 === undefined || after.contentGap !== undefined));
  if (gap !== undefined) return `${label}: the contents of ${gap.path} were not recorded`;
  const odd = changes.find(({ after }) => after !== undefined && !['file', 'directory', 'symlink'].includes(after.kind));
  return odd === undefined ? undefined : `${label}: ${odd.path} is a ${odd.after?.kind ?? ''}, which cannot be made again`;
}

/**
 * Does to a working directory what a recorded window did to one that was the same before.
 *
 * @param content The recorded bytes of a file.
 * @returns why it could not be done. `undefined`: it was.
 */
export async function restoreWindow(sandbox: OwnedSandbox, window: ChangeWindow, content: (sha256: string) => Promise<Uint8Array | undefined>): Promise<string | undefined> {
  const problem = whyNotRestorable(window);
  if (problem !== undefined) return problem;
  if (sandbox.unpack === undefined) return 'the backend cannot lay files into a sandbox';
  await removeAll(sandbox, window.changes.filter(isInTheWay).map(({ path }) => textOf(path)));
  const archive = pack();
  for (const { path, after } of window.changes) {
    if (after === undefined) continue;
    const bytes = after.kind === 'file' ? await content(after.sha256 ?? '') : undefined;
    if (after.kind === 'file' && bytes === undefined) return `${window.label}: the contents of ${path} are not in the record any more`;
    add(archive, textOf(path), after, bytes);
  }
  archive.finalize();
  await sandbox.unpack(Readable.from(archive as AsyncIterable<Uint8Array>, { objectMode: false }), sandbox.workdir);
  return undefined;
}

/** Gone, or to be of another kind. */
function isInTheWay({ before, after }: FileChange): boolean {
  return before !== undefined && before.kind !== after?.kind;
}

/** Root has no power over folders of the agent, and the agent none over those of root: what one leaves the other removes. */
async function removeAll(sandbox: OwnedSandbox, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  for (const user of [sandbox.agentUser, 'root']) {
    const { exitCode } = await sandbox.runCommand('xargs', ['-0', 'rm', '-rf', '--'], { user, cwd: sandbox.workdir, stdin: paths.map((path) => `./${path}\0`).join('') });
    if (exitCode === 0) return;
  }
}

function add(archive: ReturnType<typeof pack>, name: string, { kind, mode, uid, gid, linkTarget }: FileSide, bytes: Uint8Array | undefined): void {
  const facts = { name, mode, uid, gid };
  if (kind === 'directory') archive.entry({ ...facts, type: 'directory' });
  else if (kind === 'symlink') archive.entry({ ...facts, type: 'symlink', linkname: textOf(linkTarget ?? '') });
  else archive.entry(facts, Buffer.from(bytes ?? []));
}

/** Names that are not UTF-8 cannot be handed over in an archive. */
function textOf(path: string): string {
  return Buffer.from(unescapePath(path)).toString('utf8');
}
