import { z } from 'zod';
import type { Claim } from '../assert/claim.js';

/** What one Attempt came to. */
export type Verdict = 'errored' | 'failed' | 'skipped' | 'passed';

export const verdictSchema = z.enum(['errored', 'failed', 'skipped', 'passed']);

/** Everything that decides a verdict. */
export interface VerdictInput {
  readonly claims: readonly Claim[];
  /** Why the Attempt itself broke. Absent: it ran to its end. */
  readonly error?: { readonly code: string; readonly message: string };
  /** Why the author skipped it. */
  readonly skipped?: string;
}

/** One reason for a verdict, for machines: a stable code, and the claim that it comes from. */
export interface VerdictCause {
  /** The code of the error, `claim-mismatched`, `skipped`, or for a claim that cannot be told its own reason code. */
  readonly code: string;
  /** Absent: not a claim. */
  readonly claim?: number;
}

export const verdictCauseSchema = z.object({ code: z.string(), claim: z.number().int().exactOptional() });

/** A verdict and, for everything but `passed`, one line per cause. */
export interface Judgement {
  readonly verdict: Verdict;
  readonly reasons: readonly string[];
  /** One for each of `reasons`, in the same order. */
  readonly causes: readonly VerdictCause[];
}

/** Folds claims and failures to one word: errored, then failed, then skipped, then passed. */
export function verdictOf(input: VerdictInput): Judgement {
  const broken = input.claims.filter((claim) => claim.state === 'errored' || (claim.state === 'unavailable' && !claim.optional));
  const mismatched = input.claims.filter((claim) => claim.state === 'mismatched' && claim.gates);
  const verdict = input.error !== undefined || broken.length > 0 ? 'errored' : mismatched.length > 0 ? 'failed' : input.skipped !== undefined ? 'skipped' : 'passed';
  const all = [
    ...(input.error === undefined ? [] : [{ reason: input.error.message, cause: { code: input.error.code } }]),
    ...[...broken, ...mismatched].map((claim) => ({ reason: reasonOf(claim), cause: { code: codeOf(claim), claim: claim.ordinal } })),
    ...(verdict === 'skipped' && input.skipped !== undefined ? [{ reason: input.skipped, cause: { code: 'skipped' } }] : []),
  ];
  return { verdict, reasons: all.map(({ reason }) => reason), causes: all.map(({ cause }) => cause) };
}

/** What an eval that gives points came to. */
export interface Score {
  readonly earned: number;
  readonly possible: number;
}

export const scoreSchema = z.object({ earned: z.number(), possible: z.number() });

/** Adds the points up. `undefined`: those of some claim cannot be told. */
export function scoreOf(claims: readonly Claim[]): Score | undefined {
  const points = claims.flatMap((claim) => (claim.points === undefined ? [] : [claim.points]));
  if (points.some(({ earned }) => earned === undefined)) return undefined;
  return {
    earned: points.reduce((sum, { earned = 0 }) => sum + earned, 0),
    possible: points.reduce((sum, { possible }) => sum + possible, 0),
  };
}

/** One claim as one line: what was claimed, and how it came out. */
function reasonOf(claim: Claim): string {
  const name = claim.label === undefined ? claim.description : `${claim.label} (${claim.description})`;
  const at = claim.path === undefined ? '' : ` at ${claim.path}`;
  switch (claim.state) {
    case 'mismatched': return `${name}: expected ${claim.expected}, received ${claim.received}${at}${nearestOf(claim)}`;
    case 'unavailable': return `${name}: cannot be told: ${claim.reason}`;
    case 'errored': return `${name}: its condition broke: ${claim.reason}`;
    case 'matched':
    case 'measured': return name;
  }
}

function nearestOf({ nearest }: Claim): string {
  if (nearest === undefined) return '';
  return `; nearest: ${nearest.what}${nearest.path === undefined ? '' : ` at ${nearest.path}`}: ${nearest.received}, not ${nearest.expected}`;
}

function codeOf(claim: Claim): string {
  return claim.state === 'mismatched' ? 'claim-mismatched' : claim.code ?? 'evidence-unavailable';
}
