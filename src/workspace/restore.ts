import { posix } from 'node:path';
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
  await forAll(sandbox, ['rm', '-rf', '--'], window.changes.filter(isInTheWay).map(({ path }) => textOf(path)));
  const emptied = await firstEmptied(sandbox, window);
  if (emptied !== undefined) return `${window.label}: whether the folder ${emptied} was still there was not recorded`;
  // Folders on the way to a file are no change of their own; whoever unpacks would make them for root.
  const folders = new Set(window.changes.filter(({ after }) => after !== undefined).map(({ path }) => posix.dirname(textOf(path))));
  await forAll(sandbox, ['mkdir', '-p', '--'], [...folders].filter((folder) => folder !== '.'));
  const archive = pack();
  for (const { path, after } of window.changes) {
    if (after === undefined) continue;
    const bytes = after.kind === 'file' ? await content(after.sha256 ?? '') : undefined;
    if (after.kind === 'file' && bytes === undefined) return `${window.label}: the contents of ${path} are not in the record any more`;
    add(archive, textOf(path), after, bytes);
  }
  archive.finalize();
  return unpacked(sandbox, Readable.from(archive as AsyncIterable<Uint8Array>, { objectMode: false }), window.label);
}

/** A backend that lays nothing into a sandbox from outside has it unpacked inside. */
async function unpacked(sandbox: OwnedSandbox, archive: Readable, label: string): Promise<string | undefined> {
  if (sandbox.unpack !== undefined) {
    await sandbox.unpack(archive, sandbox.workdir);
    return undefined;
  }
  const { exitCode, stderr } = await sandbox.runCommand('tar', ['-xf', '-', '--no-same-owner'], { cwd: sandbox.workdir, stdin: archive });
  return exitCode === 0 ? undefined : `${label}: tar ended with ${exitCode}: ${stderr.trim().slice(-200)}`;
}

/** A folder from which all was removed: neither that it went too nor that it stayed is told by what was recorded. */
async function firstEmptied(sandbox: OwnedSandbox, { changes }: ChangeWindow): Promise<string | undefined> {
  const told = new Set(changes.filter(({ after }) => after?.kind === 'directory').map(({ path }) => textOf(path)));
  const folders = new Set(changes.filter(({ after }) => after === undefined).flatMap(({ path }) => ancestorsOf(textOf(path))));
  const asked = [...folders].filter((folder) => !told.has(folder));
  if (asked.length === 0) return undefined;
  const { stdout } = await sandbox.runCommand('find', [...asked.map((folder) => `./${folder}`), '-maxdepth', '0', '-empty'], { cwd: sandbox.workdir });
  return stdout.split('\n')[0] === '' ? undefined : stdout.split('\n')[0];
}

function ancestorsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
}

/** Gone, or to be of another kind. */
function isInTheWay({ before, after }: FileChange): boolean {
  return before !== undefined && before.kind !== after?.kind;
}

/** Root has no power over folders of the agent, and the agent none over those of root: what one cannot do the other does. */
async function forAll(sandbox: OwnedSandbox, command: readonly string[], paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const users = sandbox.agentUser === 'root' ? ['root'] : [sandbox.agentUser, 'root'];
  for (const user of users) {
    const { exitCode } = await sandbox.runCommand('xargs', ['-0', ...command], {
      cwd: sandbox.workdir, stdin: paths.map((path) => `./${path}\0`).join(''), ...(user === sandbox.agentUser ? {} : { user }),
    });
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
