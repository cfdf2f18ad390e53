import { z } from 'zod';
import type { Claim } from '../assert/claim.js';

/** What one Attempt came to. */
export type Verdict = 'errored' | 'failed' | 'skipped' | 'passed';

export const verdictSchema = z.enum(['errored', 'failed', 'skipped', 'passed']);

/** Everything that decides a verdict. */
export interface VerdictInput {
  readonly claims: readonly Claim[];
  /** Why the Attempt itself broke. Absent: it ran to its end. */
  readonly error?: { readonly message: string };
  /** Why the author skipped it. */
  readonly skipped?: string;
}

/** A verdict and, for everything but `passed`, one line per cause. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
}

/** Folds claims and failures to one word: errored, then failed, then skipped, then passed. */
export function verdictOf(input: VerdictInput): Judgement {
  const broken = input.claims.filter((claim) => claim.state === 'errored' || (claim.state === 'unavailable' && !claim.optional));
  const mismatched = input.claims.filter((claim) => claim.state === 'mismatched');
  const reasons = [
    ...(input.error === undefined ? [] : [input.error.message]),
    ...broken.map(reasonOf),
    ...mismatched.map(reasonOf),
  ];
  if (input.error !== undefined || broken.length > 0) return { verdict: 'errored', reasons };
  if (mismatched.length > 0) return { verdict: 'failed', reasons };
  if (input.skipped !== undefined) return { verdict: 'skipped', reasons: [input.skipped] };
  return { verdict: 'passed', reasons: [] };
}

function reasonOf(claim: Claim): string {
  const name = claim.label === undefined ? claim.description : `${claim.label} (${claim.description})`;
  switch (claim.state) {
    case 'mismatched': return `${name}: expected ${claim.expected}, received ${claim.received}`;
    case 'unavailable': return `${name}: cannot be told: ${claim.reason}`;
    case 'errored': return `${name}: its condition broke: ${claim.reason}`;
    case 'matched': return name;
  }
}
