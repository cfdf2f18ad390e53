import type { FileChange, Rename } from '../evidence/file-changes.js';

/** Alike enough to be the same file under another name. */
const LEAST_SIMILARITY = 0.5;
/** More pairs than this are not compared line by line: a reading aid must not take minutes. */
const MOST_COMPARISONS = 20_000;

/**
 * Pairs deletions and additions that look like renames: equal bytes first, then the most alike texts. Empty files do not
 * pair. A reading aid: the changes themselves stay as they are.
 */
export async function renamesOf(changes: readonly FileChange[], content: (sha256: string) => Promise<Uint8Array | undefined>): Promise<readonly Rename[]> {
  const gone = new Set(changes.filter(({ status, before }) => status === 'deleted' && hasBytes(before)));
  const come = new Set(changes.filter(({ status, after }) => status === 'added' && hasBytes(after)));
  const renames: Rename[] = [];
  const pair = (from: FileChange, to: FileChange, similarity: number): void => {
    renames.push({ from: from.path, to: to.path, similarity });
    gone.delete(from);
    come.delete(to);
  };
  for (const to of come) {
    const equal = [...gone].filter((from) => from.before?.sha256 !== undefined && from.before.sha256 === to.after?.sha256);
    const [first] = equal.sort((a, b) => Number(nameOf(b.path) === nameOf(to.path)) - Number(nameOf(a.path) === nameOf(to.path)));
    if (first !== undefined) pair(first, to, 1);
  }
  if (gone.size * come.size <= MOST_COMPARISONS) {
    for (const { from, to, similarity } of await likely([...gone], [...come], content)) {
      if (gone.has(from) && come.has(to)) pair(from, to, similarity);
    }
  }
  return renames.sort((a, b) => (a.to < b.to ? -1 : 1));
}

function hasBytes(side: FileChange['before']): boolean {
  return side?.kind === 'file' && (side.sizeBytes ?? 0) > 0;
}

async function likely(gone: readonly FileChange[], come: readonly FileChange[], content: (sha256: string) => Promise<Uint8Array | undefined>): Promise<readonly { readonly from: FileChange; readonly to: FileChange; readonly similarity: number }[]> {
  const linesOf = async (side: FileChange['before']): Promise<Lines | undefined> => {
    if (side?.sha256 === undefined || side.binary === true || side.contentGap !== undefined) return undefined;
    const bytes = await content(side.sha256);
    return bytes === undefined ? undefined : countedLines(Buffer.from(bytes).toString('utf8'));
  };
  const old = await Promise.all(gone.map(async (from) => ({ from, lines: await linesOf(from.before) })));
  const now = await Promise.all(come.map(async (to) => ({ to, lines: await linesOf(to.after) })));
  return old.flatMap(({ from, lines }) => now.flatMap(({ to, lines: others }) => {
    if (lines === undefined || others === undefined) return [];
    const similarity = alike(lines, others);
    return similarity >= LEAST_SIMILARITY ? [{ from, to, similarity }] : [];
  })).sort((a, b) => b.similarity - a.similarity);
}

interface Lines { readonly counts: ReadonlyMap<string, number>; readonly length: number }

function countedLines(text: string): Lines {
  const counts = new Map<string, number>();
  for (const line of text.split(/(?<=\n)/)) counts.set(line, (counts.get(line) ?? 0) + 1);
  return { counts, length: text.length };
}

/** The share of the longer text that stands in lines of both. */
function alike(a: Lines, b: Lines): number {
  let shared = 0;
  for (const [line, count] of a.counts) shared += line.length * Math.min(count, b.counts.get(line) ?? 0);
  return shared / Math.max(a.length, b.length);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
