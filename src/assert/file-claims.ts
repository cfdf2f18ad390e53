import { CHANGE_STATUSES, type ChangeStatus, type ChangeSummary, type ChangeWindow, type FileChange, type FileSide } from '../evidence/file-changes.js';
import { allOf, isValueMatch, MATCHED, show, unavailable, type MatchOutcome, type ValueMatch } from '../expect/match.js';
import { changesClaim } from './changes-claim.js';
import type { ClaimOutcome, Nearest } from './claim.js';
import type { ClaimSpec } from './entry.js';
import { ClaimAuthoringError } from './errors.js';
import { contentOf, listed, pathsOf, type FileEvidence, type ReadFiles } from './file-evidence.js';
import { pathSelector, type PathSelector } from './file-paths.js';

/** Further conditions of a changed file. All must hold in one send. */
export interface FileChangedOptions {
  readonly status?: ChangeStatus;
  /** On the text before. */
  readonly before?: ValueMatch<string>;
  /** On the text after. */
  readonly after?: ValueMatch<string>;
}

/** The agent changed this path, or one that the glob fits. */
export function fileChanged(read: ReadFiles, path: string, options: FileChangedOptions = {}): ClaimSpec {
  const wanted = pathSelector(path);
  checkOptions(options);
  const description = `the agent changed ${wanted.text}${options.status === undefined ? '' : ` (${options.status})`}`;
  const conditions = { ...options };
  return changesClaim(read, description, ({ windows }, content) => judgeChanged(windows, content, wanted, { conditions, expected: description }));
}

/** The agent deleted this path, or one that the glob fits, and it was gone at the end of that send. */
export function fileDeleted(read: ReadFiles, path: string): ClaimSpec {
  const wanted = pathSelector(path);
  const description = `the agent deleted ${wanted.text}`;
  return changesClaim(read, description, ({ windows }, content) => judgeChanged(windows, content, wanted, { conditions: { status: 'deleted' }, expected: description }));
}

/** The agent changed exactly these paths, over all sends. Internals of git repositories do not count. */
export function changedPaths(read: ReadFiles, paths: readonly string[]): ClaimSpec {
  const wanted = checkedList('changedPaths', paths).map(pathSelector);
  const glob = wanted.find((selector) => selector.isGlob);
  if (glob !== undefined) throw new ClaimAuthoringError(`changedPaths needs every single path; ${show(glob.text)} is a glob. Use onlyChanged([...]) or fileChanged(...) for globs.`);
  const texts = [...new Set(wanted.map(({ text }) => text))].sort();
  return exactly(read, wanted, `the agent changed exactly ${texts.length === 0 ? 'nothing' : texts.join(', ')}`);
}

/** The agent changed nothing. */
export function noChanges(read: ReadFiles): ClaimSpec {
  return exactly(read, [], 'the agent changed nothing');
}

/** Whatever the agent changed, over all sends, fits one of these paths or globs. It may have changed nothing. */
export function onlyChanged(read: ReadFiles, paths: readonly string[]): ClaimSpec {
  const allowed = checkedList('onlyChanged', paths).map(pathSelector);
  if (allowed.length === 0) throw new ClaimAuthoringError('onlyChanged needs at least one path or glob. For nothing at all use noChanges().');
  const description = `the agent changed only ${allowed.map(({ text }) => text).join(', ')}`;
  return changesClaim(read, description, ({ windows }) => {
    const others = [...new Set(windows.flatMap(pathsOf))].filter((path) => !allowed.some(({ fits }) => fits(path))).sort();
    return others.length === 0 ? MATCHED : { status: 'mismatched', expected: description, received: `also changed: ${listed(others)}` };
  });
}

/**
 * Nothing that the agent did changed a path that fits one of these paths or globs, in any send; what was changed back by a
 * later send was changed. Internals of git repositories count only where a path or glob names `.git`.
 */
export function untouched(read: ReadFiles, paths: readonly string[]): ClaimSpec {
  const kept = checkedList('untouched', paths).map(pathSelector);
  if (kept.length === 0) throw new ClaimAuthoringError('untouched needs at least one path or glob. For everything use noChanges().');
  const description = `the agent left ${kept.map(({ text }) => text).join(', ')} untouched`;
  return changesClaim(read, description, ({ windows }) => {
    const summaries = windows.flatMap((window) => window.summaries);
    const meant = (selector: PathSelector): readonly ChangeSummary[] => summaries.filter(({ reason }) => reason !== 'git-internals' || selector.text.split('/').includes('.git'));
    const seen = windows.flatMap((window) => window.changes.map(({ path }) => path)).filter((path) => kept.some(({ fits }) => fits(path)));
    const whole = kept.flatMap((selector) => meant(selector).map(({ path }) => path).filter((path) => holdsAllOf(selector, path)));
    const changed = [...new Set([...seen, ...whole])].sort();
    if (changed.length > 0) return { status: 'mismatched', expected: description, received: `changed: ${listed(changed)}` };
    const hidden = kept.flatMap((selector) => meant(selector).filter(({ path }) => selector.mayBeIn(path)))[0];
    return hidden === undefined ? MATCHED : unavailable('path-counted-only', `${hidden.path} is counted, not listed (${hidden.reason})`);
  });
}

/** Whether whatever is in a folder fits: a glob that ends with `/**` and fits a folder fits all below it. */
function holdsAllOf(selector: PathSelector, folder: string): boolean {
  return selector.isGlob && (selector.text === '**' || selector.text.endsWith('/**')) && selector.fits(folder);
}

function exactly(read: ReadFiles, wanted: readonly PathSelector[], description: string): ClaimSpec {
  return changesClaim(read, description, ({ windows }) => {
    const seen = [...new Set(windows.flatMap(pathsOf))].sort();
    const missing = wanted.filter(({ fits }) => !seen.some(fits)).map(({ text }) => text);
    const extra = seen.filter((path) => !wanted.some(({ fits }) => fits(path)));
    if (missing.length === 0 && extra.length === 0) return MATCHED;
    const received = [...(missing.length === 0 ? [] : [`not changed: ${listed(missing)}`]), ...(extra.length === 0 ? [] : [`also changed: ${listed(extra)}`])];
    return { status: 'mismatched', expected: description, received: received.join('; ') };
  });
}

async function judgeChanged(
  windows: readonly ChangeWindow[], read: FileEvidence['content'], wanted: PathSelector, { conditions, expected }: { readonly conditions: FileChangedOptions; readonly expected: string },
): Promise<ClaimOutcome> {
  const found = windows.flatMap((window) => window.changes.filter((change) => wanted.fits(change.path)).map((change) => ({ window, change })));
  const outcomes: MatchOutcome[] = [];
  for (const { change } of found) outcomes.push(await judgeChange(read, change, conditions));
  const match = outcomes.findIndex((outcome) => outcome.status === 'matched');
  if (match >= 0) return { status: 'matched', note: `${found[match]?.change.path} in ${found[match]?.window.label}` };
  const doubt = outcomes.find((outcome) => outcome.status === 'unavailable');
  if (doubt !== undefined) return doubt;
  const hidden = windows.flatMap((window) => window.summaries).find((summary) => (
    wanted.mayBeIn(summary.path) && (found.length === 0 || wanted.isGlob) && !(wanted.isGlob && summary.reason === 'git-internals')
  ));
  if (hidden !== undefined) return unavailable('path-counted-only', `${hidden.path} is counted, not listed (${hidden.reason})`);
  const others = [...new Set(windows.flatMap(pathsOf))];
  const received = others.length === 0 ? 'the agent changed nothing' : `the agent changed ${listed(others)}`;
  const nearest = nearestOf(found.at(-1)?.change, outcomes.at(-1));
  return { status: 'mismatched', expected, received, ...(nearest === undefined ? {} : { nearest }) };
}

function nearestOf(change: FileChange | undefined, outcome: MatchOutcome | undefined): Nearest | undefined {
  if (change === undefined || outcome?.status !== 'mismatched') return undefined;
  return { what: `${change.path} (${change.status})`, expected: outcome.expected, received: outcome.received, ...(outcome.path === undefined ? {} : { path: outcome.path }) };
}

async function judgeChange(read: FileEvidence['content'], change: FileChange, options: FileChangedOptions): Promise<MatchOutcome> {
  if (options.status !== undefined && change.status !== options.status) {
    return { status: 'mismatched', expected: `status ${options.status}`, received: `${change.path} was ${change.status}` };
  }
  const outcomes: MatchOutcome[] = [];
  for (const side of ['before', 'after'] as const) {
    const match = options[side];
    if (match !== undefined) outcomes.push(await judgeText(read, change[side], match, `${change.path} ${side}`));
  }
  return allOf(outcomes);
}

async function judgeText(read: FileEvidence['content'], side: FileSide | undefined, match: ValueMatch<string>, where: string): Promise<MatchOutcome> {
  const content = await contentOf(read, side);
  switch (content.state) {
    case 'absent': return { status: 'mismatched', expected: match.description, received: `${where}: there was no file` };
    case 'no-file': return { status: 'mismatched', expected: match.description, received: `${where}: a ${content.kind}` };
    case 'not-kept': return unavailable('content-not-kept', `the content of ${where} was not kept (${content.reason})`);
    case 'binary': return unavailable('content-not-text', `${where} is not text`);
    case 'text': {
      const outcome = await match.evaluate(content.text);
      if (outcome.status !== 'mismatched') return outcome;
      return { status: 'mismatched', expected: outcome.expected, received: `${where}: ${outcome.received}`, ...(outcome.path === undefined ? {} : { path: outcome.path }) };
    }
  }
}

function checkedList(method: string, paths: readonly string[]): readonly string[] {
  const given: unknown = paths;
  if (!Array.isArray(given)) throw new ClaimAuthoringError(`${method} needs a list of paths, for instance ["src/sum.mjs"].`);
  return paths;
}

function checkOptions(options: FileChangedOptions): void {
  const unknown = Object.keys(options).find((key) => !['status', 'before', 'after'].includes(key));
  if (unknown !== undefined) throw new ClaimAuthoringError(`fileChanged does not know the option "${unknown}". It knows status, before and after.`);
  if (options.status !== undefined && !CHANGE_STATUSES.includes(options.status)) {
    throw new ClaimAuthoringError(`fileChanged does not know the status ${show(options.status)}. It knows ${CHANGE_STATUSES.slice(0, -1).join(', ')} and ${CHANGE_STATUSES.at(-1)}.`);
  }
  for (const side of ['before', 'after'] as const) {
    if (options[side] !== undefined && !isValueMatch(options[side])) throw new ClaimAuthoringError(`fileChanged needs a value match as \`${side}\`, for instance includes("...").`);
  }
}
