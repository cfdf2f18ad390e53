import type { CassetteExchange } from './cassette.js';
import type { RequestOutline } from './outline.js';

/** A recorded request that is like one that was not found. */
export interface Nearest {
  readonly exchange: CassetteExchange;
  /** Parts that both have, by place and content. */
  readonly equalParts: number;
}

/** The recorded request that is most like this one: the same target first, then the longest common beginning, then the most equal parts. */
export function nearestTo(outline: RequestOutline, candidates: Iterable<CassetteExchange>): Nearest | undefined {
  const here = new Map(outline.parts.map(({ where, sha256 }) => [where, sha256]));
  let best: { readonly nearest: Nearest; readonly score: readonly number[] } | undefined;
  for (const exchange of candidates) {
    const { outline: there } = exchange;
    const equalParts = there.parts.reduce((sum, { where, sha256 }) => (here.get(where) === sha256 ? sum + 1 : sum), 0);
    const sameTarget = Number(there.method === outline.method) + Number(there.path === outline.path) + Number(there.protocol === outline.protocol);
    const score = [sameTarget, commonBeginning(outline, there), equalParts, -Math.abs(there.parts.length - outline.parts.length)];
    if (best === undefined || isMore(score, best.score)) best = { nearest: { exchange, equalParts }, score };
  }
  return best?.nearest;
}

function commonBeginning(a: RequestOutline, b: RequestOutline): number {
  const end = a.parts.findIndex(({ where, sha256 }, index) => b.parts[index]?.where !== where || b.parts[index]?.sha256 !== sha256);
  return end === -1 ? a.parts.length : end;
}

function isMore(score: readonly number[], best: readonly number[]): boolean {
  const index = score.findIndex((value, at) => value !== best[at]);
  return index !== -1 && (score[index] ?? 0) > (best[index] ?? 0);
}
