import { CHANGE_STATUSES, type ChangeStatus, type ChangeWindow, type FileChange, type FileSide, type WorkspaceChanges } from '../evidence/file-changes.js';
import { escapePathText } from '../evidence/path-text.js';
import { MATCHED, isMatch, show, type MatchOutcome, type ValueMatch } from '../expect/match.js';
import { ClaimAuthoringError } from './errors.js';
import type { ClaimSpec } from './ledger.js';

/** The frozen end of an Attempt, as claims about files need it. */
export interface FileEvidence {
  readonly changes: WorkspaceChanges;
  /** The kept bytes behind a hash. `undefined`: they were not kept. */
  readonly content: (sha256: string) => Promise<Uint8Array | undefined>;
}

/** Further conditions of a changed file. All must hold in one send. */
export interface FileChangedOptions {
  readonly status?: ChangeStatus;
  /** On the text before. */
  readonly before?: ValueMatch;
  /** On the text after. */
  readonly after?: ValueMatch;
}

type Read = () => FileEvidence;

/** The agent changed this path. */
export function fileChanged(read: Read, path: string, options: FileChangedOptions = {}): ClaimSpec {
  const wanted = checkedPath(path);
  checkOptions(options);
  const description = `the agent changed ${wanted}${options.status === undefined ? '' : ` (${options.status})`}`;
  return { description, atEnd: true, evaluate: () => judgeChanged(read(), wanted, options, description) };
}

/** The agent deleted this path, and it was gone at the end of that send. */
export function fileDeleted(read: Read, path: string): ClaimSpec {
  const wanted = checkedPath(path);
  const description = `the agent deleted ${wanted}`;
  return { description, atEnd: true, evaluate: () => judgeChanged(read(), wanted, { status: 'deleted' }, description) };
}

/** The agent changed exactly these paths, over all sends. Internals of git repositories do not count. */
export function changedPaths(read: Read, paths: readonly string[]): ClaimSpec {
  const wanted = [...new Set(paths.map(checkedPath))].sort();
  const description = `the agent changed exactly ${wanted.length === 0 ? 'nothing' : wanted.join(', ')}`;
  return {
    description,
    atEnd: true,
    evaluate: () => {
      const { changes } = read();
      if (changes.state === 'unavailable') return unavailable(changes.reason);
      const seen = [...new Set(changes.windows.flatMap(pathsOf))].sort();
      const missing = wanted.filter((path) => !seen.includes(path));
      const extra = seen.filter((path) => !wanted.includes(path));
      if (missing.length === 0 && extra.length === 0) return MATCHED;
      const received = [...(missing.length === 0 ? [] : [`not changed: ${list(missing)}`]), ...(extra.length === 0 ? [] : [`also changed: ${list(extra)}`])];
      return { status: 'mismatched', expected: description, received: received.join('; ') };
    },
  };
}

/** The agent changed nothing. */
export function noChanges(read: Read): ClaimSpec {
  return { ...changedPaths(read, []), description: 'the agent changed nothing' };
}

async function judgeChanged(evidence: FileEvidence, path: string, options: FileChangedOptions, expected: string): Promise<MatchOutcome> {
  const { changes } = evidence;
  if (changes.state === 'unavailable') return unavailable(changes.reason);
  const found = changes.windows.flatMap((window) => window.changes.filter((change) => change.path === path));
  const outcomes = await Promise.all(found.map((change) => judgeChange(evidence, change, options)));
  const decisive = outcomes.find((outcome) => outcome.status === 'matched') ?? outcomes.find((outcome) => outcome.status === 'unavailable');
  if (decisive !== undefined) return decisive;
  const inside = changes.windows.flatMap((window) => window.summaries).find((summary) => path === summary.path || path.startsWith(`${summary.path}/`));
  if (found.length === 0 && inside !== undefined) return unavailable(`${inside.path} is counted, not listed (${inside.reason})`);
  if (outcomes[0] !== undefined) return outcomes[0];
  const others = changes.windows.flatMap(pathsOf);
  return { status: 'mismatched', expected, received: others.length === 0 ? 'the agent changed nothing' : `the agent changed ${list([...new Set(others)])}` };
}

async function judgeChange(evidence: FileEvidence, change: FileChange, options: FileChangedOptions): Promise<MatchOutcome> {
  if (options.status !== undefined && change.status !== options.status) {
    return { status: 'mismatched', expected: `status ${options.status}`, received: `${change.path} was ${change.status}` };
  }
  const outcomes: MatchOutcome[] = [];
  for (const side of ['before', 'after'] as const) {
    const match = options[side];
    if (match !== undefined) outcomes.push(await judgeText(evidence, change[side], match, `${change.path} ${side}`));
  }
  return outcomes.find((o) => o.status === 'mismatched') ?? outcomes.find((o) => o.status === 'unavailable') ?? MATCHED;
}

async function judgeText(evidence: FileEvidence, side: FileSide | undefined, match: ValueMatch, where: string): Promise<MatchOutcome> {
  if (side === undefined) return { status: 'mismatched', expected: match.description, received: `${where}: there was no file` };
  if (side.kind !== 'file') return { status: 'mismatched', expected: match.description, received: `${where}: a ${side.kind}` };
  const bytes = side.sha256 === undefined || side.contentGap !== undefined ? undefined : await evidence.content(side.sha256);
  if (bytes === undefined) return unavailable(`the content of ${where} was not kept (${side.contentGap ?? 'not-read'})`);
  if (side.binary === true) return unavailable(`${where} is not text`);
  const outcome = await match.evaluate(Buffer.from(bytes).toString('utf8'));
  return outcome.status === 'mismatched' ? { ...outcome, received: `${where}: ${outcome.received}` } : outcome;
}

function pathsOf(window: ChangeWindow): readonly string[] {
  return [...window.changes.map((change) => change.path), ...window.summaries.filter((summary) => summary.reason !== 'git-internals').map((summary) => summary.path)];
}

function list(paths: readonly string[]): string {
  return paths.length <= 8 ? paths.join(', ') : `${paths.slice(0, 8).join(', ')} and ${paths.length - 8} more`;
}

function unavailable(reason: string): MatchOutcome {
  return { status: 'unavailable', reason };
}

/** The text form of a path that an author wrote: relative to the working directory, in its shortest form. */
function checkedPath(path: string): string {
  const parts = typeof path === 'string' ? path.split('/') : [];
  const isCanonical = parts.length > 0 && parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isCanonical) throw new ClaimAuthoringError(`${show(path)} is not a path inside the working directory. Write it like "src/sum.mjs".`);
  return escapePathText(path);
}

function checkOptions(options: FileChangedOptions): void {
  const unknown = Object.keys(options).find((key) => !['status', 'before', 'after'].includes(key));
  if (unknown !== undefined) throw new ClaimAuthoringError(`fileChanged does not know the option "${unknown}". It knows status, before and after.`);
  if (options.status !== undefined && !CHANGE_STATUSES.includes(options.status)) {
    throw new ClaimAuthoringError(`fileChanged does not know the status ${show(options.status)}. It knows ${CHANGE_STATUSES.slice(0, -1).join(', ')} and ${CHANGE_STATUSES.at(-1)}.`);
  }
  for (const side of ['before', 'after'] as const) {
    const match = options[side];
    if (match !== undefined && (!isMatch(match) || match.domain !== 'value')) throw new ClaimAuthoringError(`fileChanged needs a value match as \`${side}\`, for instance includes("...").`);
  }
}
