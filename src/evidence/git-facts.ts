import { z } from 'zod';

/** Where HEAD of a repository stands. */
export interface GitHead {
  /** The branch it names, for instance `refs/heads/main`, escaped like a path. Absent: it is detached, or cannot be read. */
  readonly ref?: string;
  /** The object that it leads to. Absent: the branch has no commit yet, or it cannot be read. */
  readonly id?: string;
}

/** What git finds at one end of a window where a repository is, was or will be. */
export type GitPlace =
  | { readonly form: 'none' }
  /** A folder `.git` with `HEAD` and `objects`. */
  | { readonly form: 'repository'; readonly head: GitHead }
  /** A file `.git` that names a folder, as worktrees and submodules have it, or a link. Neither is followed. `target` is escaped like a path. */
  | { readonly form: 'gitfile' | 'link'; readonly target: string };

/** A ref that differs. Values: an object id, `ref:` and an escaped name, or `?` where it cannot be read. */
export interface GitRefMove {
  /** The full name, for instance `refs/heads/main`, escaped like a path. */
  readonly name: string;
  /** Absent: the ref was not there. */
  readonly before?: string;
  /** Absent: the ref is gone. */
  readonly after?: string;
}

/** What a send did to one repository, beside its files. */
export interface GitFact {
  /** The folder of the repository in its text form; empty for the working directory itself. */
  readonly path: string;
  readonly before: GitPlace;
  readonly after: GitPlace;
  /** Only refs that differ, by name. Empty where one of the ends is no repository. */
  readonly refs: readonly GitRefMove[];
  /** Commits that the refs lead to now and that were not there before, from the tips down; at most 256, only what is not packed. */
  readonly commits: readonly string[];
  /** Refs that were not compared because there are too many. */
  readonly refsLeftOut: number;
}

/** What a send did to git repositories. A window without it: nothing, or a record of before this was looked for. */
export interface GitFacts {
  readonly repositories: readonly GitFact[];
  /** Repositories that were not compared because there are too many. */
  readonly leftOut: number;
  /** Why nothing can be told. Absent: it can. */
  readonly gap?: string;
}

const placeSchema = z.discriminatedUnion('form', [
  z.object({ form: z.literal('none') }),
  z.object({ form: z.literal('repository'), head: z.object({ ref: z.string().exactOptional(), id: z.string().exactOptional() }) }),
  z.object({ form: z.enum(['gitfile', 'link']), target: z.string() }),
]);

export const gitFactsSchema: z.ZodType<GitFacts> = z.object({
  repositories: z.array(z.object({
    path: z.string(),
    before: placeSchema,
    after: placeSchema,
    refs: z.array(z.object({ name: z.string(), before: z.string().exactOptional(), after: z.string().exactOptional() })).readonly(),
    commits: z.array(z.string()).readonly(),
    refsLeftOut: z.number().int(),
  })).readonly(),
  leftOut: z.number().int(),
  gap: z.string().exactOptional(),
});
