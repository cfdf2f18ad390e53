import type { ChangeWindow, FileSide, WorkspaceChanges } from '../evidence/file-changes.js';
import type { IntegrityReport } from '../evidence/integrity.js';

/** The frozen end of an Attempt, as claims about files need it. */
export interface FileEvidence {
  readonly changes: WorkspaceChanges;
  /** The kept bytes behind a hash. `undefined`: they were not kept. */
  readonly content: (sha256: string) => Promise<Uint8Array | undefined>;
  /** What was found of tampering. Absent: the eval does not ask for it. */
  readonly integrity?: () => IntegrityReport;
}

/** Asked when a claim is evaluated, at the end of the Attempt. */
export type ReadFiles = () => FileEvidence;

/** What stands on one side of a change. */
export type SideContent =
  | { readonly state: 'absent' }
  | { readonly state: 'text'; readonly text: string }
  | { readonly state: 'binary'; readonly bytes: Uint8Array }
  /** A folder, a link and so on; a link has a text of its own. */
  | { readonly state: 'no-file'; readonly kind: string; readonly linkTarget?: string }
  | { readonly state: 'not-kept'; readonly reason: string };

/** Reads one side of a change as far as it was kept. */
export async function contentOf(read: FileEvidence['content'], side: FileSide | undefined): Promise<SideContent> {
  if (side === undefined) return { state: 'absent' };
  if (side.kind !== 'file') return { state: 'no-file', kind: side.kind, ...(side.linkTarget === undefined ? {} : { linkTarget: side.linkTarget }) };
  const bytes = side.sha256 === undefined || side.contentGap !== undefined ? undefined : await read(side.sha256);
  if (bytes === undefined) return { state: 'not-kept', reason: side.contentGap ?? 'not-read' };
  return side.binary === true ? { state: 'binary', bytes } : { state: 'text', text: Buffer.from(bytes).toString('utf8') };
}

/** Everything that one send changed; a folder that is counted stands for what is in it. Internals of git repositories do not count. */
export function pathsOf(window: ChangeWindow): readonly string[] {
  return [...window.changes.map((change) => change.path), ...window.summaries.filter((summary) => summary.reason !== 'git-internals').map((summary) => summary.path)];
}

/** The first eight paths. */
export function listed(paths: readonly string[]): string {
  return paths.length <= 8 ? paths.join(', ') : `${paths.slice(0, 8).join(', ')} and ${paths.length - 8} more`;
}
