import { diffArrays } from 'diff';
import type { ChangeWindow, FileChange, KnownChanges } from '../evidence/file-changes.js';
import { MATCHED, show, unavailable } from '../expect/match.js';
import { changesClaim } from './changes-claim.js';
import type { ClaimOutcome } from './claim.js';
import type { ClaimSpec } from './entry.js';
import { ClaimAuthoringError } from './errors.js';
import { contentOf, listed, type FileEvidence, type ReadFiles, type SideContent } from './file-evidence.js';
import { plainOf } from './file-paths.js';
import { checkedLimit } from './limit.js';

/** Which lines are looked at. */
export interface NotInDiffOptions {
  /** Default: `added`. */
  readonly content?: 'added' | 'removed' | 'both';
}

/**
 * Lines that stand on both sides are compared until so many of them differ; beyond that nobody knows which belong together.
 * The time grows by the square of it, and nothing else is done meanwhile: 4,000 take about a second.
 */
const MOST_EDITS = 4_000;

/**
 * Nothing that the agent added (or removed) fits the expression: names of changed paths, and each run of added or removed
 * lines, in every send. Bytes that are not text are searched as bytes. Installed dependencies are counted, not searched.
 */
export function notInDiff(read: ReadFiles, expression: RegExp, options: NotInDiffOptions = {}): ClaimSpec {
  if (!(expression instanceof RegExp)) throw new ClaimAuthoringError(`notInDiff needs a regular expression, for instance /console\\.log/, not ${show(expression)}.`);
  const unknown = Object.keys(options).find((key) => key !== 'content');
  if (unknown !== undefined) throw new ClaimAuthoringError(`notInDiff does not know the option "${unknown}". It knows content.`);
  const { content = 'added' } = options;
  if (!['added', 'removed', 'both'].includes(content)) throw new ClaimAuthoringError(`notInDiff does not know the content ${show(content)}. It knows added, removed and both.`);
  const { source, flags } = expression;
  const finds = (text: string): boolean => new RegExp(source, flags).test(text);
  const sides = content === 'both' ? ['added', 'removed'] as const : [content];
  const words = content === 'both' ? 'added or removed' : content;
  const description = `the agent ${words} nothing that fits /${source}/${flags}`;
  return changesClaim(read, description, ({ windows }, bytes) => judgeDiff(windows, bytes, finds, { sides, expected: description }));
}

/**
 * At most so many lines differ between what the agent was given and what it left: added and removed ones together.
 * Installed dependencies are left out.
 */
export function maxChangedLines(read: ReadFiles, most: number): ClaimSpec {
  const max = checkedLimit('maxChangedLines', most, 'whole');
  const expected = `at most ${max} changed line${max === 1 ? '' : 's'}`;
  return changesClaim(read, `the agent made ${expected}`, (changes, bytes) => judgeLines(changes, bytes, max, expected));
}

async function judgeDiff(
  windows: readonly ChangeWindow[], read: FileEvidence['content'], finds: (text: string) => boolean, { sides, expected }: { readonly sides: readonly ('added' | 'removed')[]; readonly expected: string },
): Promise<ClaimOutcome> {
  let doubt: ClaimOutcome | undefined;
  for (const { label, changes: all, summaries } of windows) {
    const folder = summaries.find(({ path, reason }) => reason === 'dependencies' && finds(plainOf(path)));
    if (folder !== undefined) return { status: 'mismatched', expected, received: `the path ${folder.path} in ${label}` };
    for (const change of all) {
      if (finds(plainOf(change.path))) return { status: 'mismatched', expected, received: `the path ${change.path} in ${label}` };
      const runs = await runsOf(read, change);
      for (const side of sides) {
        const hit = runs[side].find(finds);
        if (hit !== undefined) return { status: 'mismatched', expected, received: `${side} in ${change.path} (${label}): ${show(lineOf(hit, finds))}` };
      }
      const { gap, suspects } = runs;
      const isOpen = gap !== undefined && (suspects === undefined || sides.some((side) => suspects[side].some(finds)));
      if (isOpen) doubt ??= unavailable(gap.code, `${change.path} (${label}): ${gap.reason}`);
    }
  }
  return doubt ?? leftOut(windows);
}

/** The line of a run that fits by itself, else the beginning of the run. */
function lineOf(run: string, finds: (text: string) => boolean): string {
  return run.split('\n').find(finds) ?? run.slice(0, 200);
}

interface Runs {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Why there may be more. */
  readonly gap?: { readonly code: string; readonly reason: string };
  /** Where more could only be. Absent: nobody knows where. */
  readonly suspects?: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** How many lines differ at the least, where nobody knows which. */
  readonly atLeast?: number;
}

async function runsOf(read: FileEvidence['content'], change: FileChange): Promise<Runs> {
  const before = await contentOf(read, change.before);
  const after = await contentOf(read, change.after);
  const lost = [before, after].find((side) => side.state === 'not-kept');
  const old = searchableOf(before);
  const now = searchableOf(after);
  if (lost !== undefined) {
    // What is there on one side may stand on the other side as well; only a whole new or gone file is sure.
    return { added: before.state === 'absent' ? now : [], removed: after.state === 'absent' ? old : [], gap: { code: 'content-not-kept', reason: `its content was not kept (${lost.reason})` } };
  }
  if (before.state === 'text' && after.state === 'text') return runsBetween(before.text, after.text);
  if (before.state === 'binary' && after.state === 'binary') {
    return { added: [], removed: [], gap: { code: 'content-not-text', reason: 'which of its bytes are new cannot be told' }, suspects: { added: now, removed: old } };
  }
  return { added: now, removed: old };
}

/** A side as texts to search: bytes that are no text are read in every way that may make one. */
function searchableOf(content: SideContent): readonly string[] {
  switch (content.state) {
    case 'text': return [content.text];
    case 'binary': {
      const bytes = Buffer.from(content.bytes);
      // UTF-16 of either order, begun at either byte.
      const pairs = [bytes, bytes.subarray(1)].flatMap((from) => {
        const even = from.subarray(0, from.length - (from.length % 2));
        return [even.toString('utf16le'), Buffer.from(even).swap16().toString('utf16le')];
      });
      return [bytes.toString('utf8'), bytes.toString('latin1'), ...pairs];
    }
    case 'no-file': return content.linkTarget === undefined ? [] : [plainOf(content.linkTarget)];
    default: return [];
  }
}

function runsBetween(before: string, after: string): Runs {
  const [old, now] = [linesOf(before), linesOf(after)];
  // A line that stands on one side only differs for certain. Left out, a text that was written anew costs nothing.
  const [inOld, inNow] = [new Set(old), new Set(now)];
  const shared = [placesOf(old, inNow), placesOf(now, inOld)] as const;
  const parts = diffArrays(shared[0].map((place) => old[place]), shared[1].map((place) => now[place]), { maxEditLength: MOST_EDITS });
  if (parts === undefined) {
    return {
      added: [], removed: [], gap: { code: 'diff-too-large', reason: `more than ${MOST_EDITS} lines differ` }, suspects: { added: [after], removed: [before] },
      atLeast: old.length - shared[0].length + now.length - shared[1].length + MOST_EDITS + 1,
    };
  }
  const kept = [new Set<number | undefined>(), new Set<number | undefined>()] as const;
  const at = [0, 0];
  for (const { added, removed, count } of parts) {
    for (const [side, isThere] of [[0, !added], [1, !removed]] as const) {
      if (!added && !removed) for (let step = 0; step < count; step += 1) kept[side].add(shared[side][(at[side] ?? 0) + step]);
      if (isThere) at[side] = (at[side] ?? 0) + count;
    }
  }
  return { added: runsIn(now, kept[1]), removed: runsIn(old, kept[0]) };
}

/** Lines with their ends. */
function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function placesOf(lines: readonly string[], among: ReadonlySet<string>): readonly number[] {
  return lines.flatMap((line, place) => (among.has(line) ? [place] : []));
}

/** Neighbouring lines that were not kept, each run as one text. */
function runsIn(lines: readonly string[], kept: ReadonlySet<number | undefined>): readonly string[] {
  const runs: string[] = [];
  let run = '';
  for (const [place, line] of lines.entries()) {
    if (!kept.has(place)) run += line;
    else if (run !== '') {
      runs.push(run);
      run = '';
    }
  }
  return run === '' ? runs : [...runs, run];
}

async function judgeLines(changes: KnownChanges, read: FileEvidence['content'], max: number, expected: string): Promise<ClaimOutcome> {
  let lines = 0;
  let doubt: ClaimOutcome | undefined;
  for (const change of changes.net) {
    if (change.mixed === true) {
      doubt ??= unavailable('change-mixed', `${change.path} was changed by the eval in between, so its lines are not the agent's alone`);
      continue;
    }
    const runs = await runsOf(read, change);
    const isBinary = [change.before, change.after].some((side) => side?.binary === true);
    const gap = isBinary ? { code: 'content-not-text', reason: 'it is not text' } : runs.gap;
    if (gap !== undefined) {
      doubt ??= unavailable(gap.code, `${change.path}: ${gap.reason}`);
      lines += runs.atLeast ?? 0;
    } else lines += [...runs.added, ...runs.removed].reduce((sum, run) => sum + linesIn(run), 0);
    if (lines > max) return { status: 'mismatched', expected, received: `${lines}${doubt === undefined ? '' : ' or more'}` };
  }
  return doubt ?? leftOut(changes.windows);
}

function linesIn(run: string): number {
  return run === '' ? 0 : run.split('\n').length - (run.endsWith('\n') ? 1 : 0);
}

function leftOut(windows: readonly ChangeWindow[]): ClaimOutcome {
  const folders = windows.flatMap(({ summaries }) => summaries.filter(({ reason }) => reason === 'dependencies').map(({ path }) => path));
  return folders.length === 0 ? MATCHED : { status: 'matched', note: `left out: ${listed([...new Set(folders)])}` };
}
