import type { OutlinePart, RequestOutline } from './outline.js';
import { cut, oneLine, shown } from './excerpt.js';

/** The whole text of a part by its place; `undefined` where only the excerpt is known. */
export type PartText = (where: string) => string | undefined;

const MOST_LINES = 16;
const MOST_DIFFERING = 3;
const MOST_ALONE = 2;
/** Code units that are shown before the first that differs, and from there on. */
const BEFORE = 30;
const AFTER = 80;

/**
 * Tells in at most 16 lines where two requests differ. Texts are hostile: what would control a terminal is escaped.
 *
 * @param texts Whole texts; without them a difference behind an excerpt can only be named.
 */
export function differenceOf(recorded: RequestOutline, now: RequestOutline, texts: { readonly recorded?: PartText; readonly now?: PartText } = {}): readonly string[] {
  const before = new Map(recorded.parts.map((part) => [part.where, part]));
  const after = new Map(now.parts.map((part) => [part.where, part]));
  const differing = now.parts.flatMap((part) => {
    const other = before.get(part.where);
    return other === undefined || other.sha256 === part.sha256 ? [] : [{ other, part }];
  });
  const target = recorded.method === now.method && recorded.path === now.path ? [] : [`  recorded: ${targetOf(recorded)}`, `  now:      ${targetOf(now)}`];
  const lines = [
    ...target,
    ...differing.slice(0, MOST_DIFFERING).flatMap(({ other, part }) => partLines(other, part, texts.recorded?.(part.where), texts.now?.(part.where))),
    ...(differing.length > MOST_DIFFERING ? [`  ... and ${differing.length - MOST_DIFFERING} further parts that differ`] : []),
    ...alone('only now', now.parts.filter(({ where }) => !before.has(where))),
    ...alone('only recorded', recorded.parts.filter(({ where }) => !after.has(where))),
  ];
  return lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES - 1), '  ... and more'];
}

/** The method and the path, for a person. */
export function targetOf({ method, path }: RequestOutline): string {
  return cut(shown(`${method} ${path}`), 200);
}

function partLines(recorded: OutlinePart, now: OutlinePart, recordedText: string | undefined, nowText: string | undefined): readonly string[] {
  const whole = recordedText !== undefined && nowText !== undefined;
  const [a, b] = whole ? [recordedText, nowText] : [recorded.excerpt, now.excerpt];
  const at = firstDifference(a, b);
  const place = cut(shown(now.where), 120);
  if (at === -1) return [`  ${place}: differs behind its first ${a.length} characters (${JSON.stringify(cut(shown(b), 60))}...)`];
  return [`  ${place}, at character ${at + 1}${whole ? '' : ' of its excerpt'}:`, `    recorded: ${around(a, at)}`, `    now:      ${around(b, at)}`];
}

function firstDifference(a: string, b: string): number {
  if (a === b) return -1;
  const shorter = Math.min(a.length, b.length);
  let at = 0;
  while (at < shorter && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}

function around(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE);
  const piece = oneLine(text.slice(from, at + AFTER));
  return cut(`${from > 0 ? '...' : ''}${shown(piece)}${at + AFTER < text.length ? '...' : ''}`, 4 * (BEFORE + AFTER));
}

function alone(label: string, parts: readonly OutlinePart[]): readonly string[] {
  const lines = parts.slice(0, MOST_ALONE).map(({ where, excerpt }) => `  ${label}: ${cut(shown(where), 120)}: ${cut(shown(excerpt), 120)}`);
  return parts.length > MOST_ALONE ? [...lines, `  ... and ${parts.length - MOST_ALONE} further parts ${label}`] : lines;
}
