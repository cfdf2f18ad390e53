import { z } from 'zod';
import { gitFactsSchema, type GitFacts } from './git-facts.js';

const FILE_KINDS = ['file', 'directory', 'symlink', 'fifo', 'socket', 'character-device', 'block-device'] as const;

/** What a path is. */
export type FileKind = (typeof FILE_KINDS)[number];

/** All statuses, in the order in which they are tried. */
export const CHANGE_STATUSES = ['added', 'modified', 'deleted', 'type-changed', 'mode-changed', 'metadata'] as const;

/** How a path changed in a window; the first that fits, in the order of the list of rules. */
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

/** Why the content of a file is not there. */
export type ContentGap = 'too-large' | 'limit-reached' | 'not-read';

/** One end of a change. */
export interface FileSide {
  readonly kind: FileKind;
  /** Permission bits, 0 to 0o7777. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Only for files. */
  readonly sizeBytes?: number;
  /** Only for files whose bytes were read. */
  readonly sha256?: string;
  /** True for a NUL byte anywhere or bytes that are not UTF-8. Only for files whose bytes were read. */
  readonly binary?: boolean;
  /** Why the bytes are not kept. Absent for a file: they are, under `sha256`. */
  readonly contentGap?: ContentGap;
  /** Only for links; the text of the link, escaped like a path. */
  readonly linkTarget?: string;
}

/** One path that differs between the two ends of a window. */
export interface FileChange {
  /** Relative to the root, in the one-to-one text form of a path. */
  readonly path: string;
  readonly status: ChangeStatus;
  /** Absent for `added`. */
  readonly before?: FileSide;
  /** Absent for `deleted`. */
  readonly after?: FileSide;
}

/** A folder that is counted instead of listed. Counts are of entries whose state on disk differs. */
export interface ChangeSummary {
  readonly path: string;
  readonly reason: 'git-internals' | 'dependencies';
  readonly added: number;
  readonly modified: number;
  readonly deleted: number;
  /** Size of what is there now. */
  readonly sizeBytes: number;
}

/** A deletion and an addition that look like one file under another name. A reading aid: both stand among the changes as well. */
export interface Rename {
  readonly from: string;
  readonly to: string;
  /** 1: the same bytes. Else the share of the longer text that stands in lines of both, at least a half. */
  readonly similarity: number;
}

const WINDOW_FLAGS = ['late-writer', 'timed-out', 'sandbox-gone', 'waiting', 'nested-repo', 'repo-removed', 'repo-replaced', 'refs-moved'] as const;

/**
 * What a reader of a window must know about it. Of git: `nested-repo`, a repository below the working directory came, went
 * or had its HEAD or refs moved; `repo-removed`, one is gone; `repo-replaced`, one has a history without a commit of before,
 * said only where that is sure; `refs-moved`, HEAD or a ref of the repository of the working directory itself.
 */
export type WindowFlag = (typeof WINDOW_FLAGS)[number];

/** What the agent changed during one send. */
export interface ChangeWindow {
  /** `turn1`, or `session2/turn1` for a session that is not the main one. */
  readonly label: string;
  readonly changes: readonly FileChange[];
  readonly summaries: readonly ChangeSummary[];
  /** Pairs among `changes` that look like renames. */
  readonly renames: readonly Rename[];
  readonly flags: readonly WindowFlag[];
  /** What happened to git repositories, beside their files. Absent: nothing that HEAD, refs or gitfiles show. */
  readonly git?: GitFacts;
  /** What changed in other roots that are watched: the agent's home, and those that the eval names. Absent: nothing, or nobody could look. */
  readonly elsewhere?: readonly ElsewhereChanges[];
}

/** Changes outside of the working directory. Contents are not read there, so a file that was only touched counts as modified. */
export interface ElsewhereChanges {
  /** Absolute, in the text form of a path. */
  readonly root: string;
  /** Paths are relative to the root. */
  readonly changes: readonly FileChange[];
  /** How many more there were. */
  readonly leftOut: number;
}

/** One path over all windows. `mixed`: the eval changed it in between, so it is not the agent's alone. */
export type NetChange = (FileChange & { readonly mixed?: never }) | { readonly path: string; readonly mixed: true };

/** What the agent changed in all its sends. */
export interface KnownChanges {
  readonly state: 'available';
  readonly root: string;
  readonly windows: readonly ChangeWindow[];
  readonly net: readonly NetChange[];
  /** Pairs among `net` that look like renames. */
  readonly renames: readonly Rename[];
}

/** What the agent changed, or why that cannot be told. */
export type WorkspaceChanges =
  | KnownChanges
  | { readonly state: 'unavailable'; readonly reason: string };

const sideSchema = z.object({
  kind: z.enum(FILE_KINDS),
  mode: z.number().int(),
  uid: z.number().int(),
  gid: z.number().int(),
  sizeBytes: z.number().exactOptional(),
  sha256: z.string().exactOptional(),
  binary: z.boolean().exactOptional(),
  contentGap: z.enum(['too-large', 'limit-reached', 'not-read']).exactOptional(),
  linkTarget: z.string().exactOptional(),
});

const changeSchema = z.object({
  path: z.string(),
  status: z.enum(CHANGE_STATUSES),
  before: sideSchema.exactOptional(),
  after: sideSchema.exactOptional(),
});

const renamesSchema = z.array(z.object({ from: z.string(), to: z.string(), similarity: z.number() })).readonly();

export const workspaceChangesSchema: z.ZodType<WorkspaceChanges> = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('available'),
    root: z.string(),
    windows: z.array(z.object({
      label: z.string(),
      changes: z.array(changeSchema).readonly(),
      summaries: z.array(z.object({
        path: z.string(),
        reason: z.enum(['git-internals', 'dependencies']),
        added: z.number().int(),
        modified: z.number().int(),
        deleted: z.number().int(),
        sizeBytes: z.number(),
      })).readonly(),
      // Records of before renames were looked for lack them.
      renames: renamesSchema.default([]),
      flags: z.array(z.enum(WINDOW_FLAGS)).readonly(),
      git: gitFactsSchema.exactOptional(),
      elsewhere: z.array(z.object({ root: z.string(), changes: z.array(changeSchema).readonly(), leftOut: z.number().int() })).readonly().exactOptional(),
    })).readonly(),
    net: z.array(z.union([z.strictObject({ path: z.string(), mixed: z.literal(true) }), changeSchema])).readonly(),
    renames: renamesSchema.default([]),
  }),
  z.object({ state: z.literal('unavailable'), reason: z.string() }),
]);
