import { wordsOfThrown } from './errors.js';
import type { Claim, ClaimOutcome } from './claim.js';
import type { ClaimSpec, Entry, EvaluationKind, MeasuredOutcome } from './entry.js';

const CONDITION_LIMIT_MS = 60_000;

type Facts = Pick<Claim, 'ordinal' | 'kind' | 'description' | 'label' | 'key' | 'groups' | 'gates' | 'optional'>;

/** Evaluates one claim. Never rejects: what the author's own condition throws makes the claim errored. */
export async function decide(entry: Entry, evaluation: EvaluationKind): Promise<Claim> {
  const { spec } = entry;
  const facts = factsOf(entry, evaluation);
  try {
    switch (spec.kind) {
      case 'points': return { ...facts, state: 'measured', points: { possible: spec.given, earned: spec.given } };
      case 'measurement': return measured(entry, facts, evaluation, await inTime(spec, spec.measure));
      default: return judged(entry, facts, await inTime(spec, spec.evaluate));
    }
  } catch (error) {
    return { ...facts, state: 'errored', code: 'condition-threw', reason: wordsOfThrown(error), ...worth(entry, undefined) };
  }
}

function factsOf({ spec, kind, ordinal, groups, settings }: Entry, evaluation: EvaluationKind): Facts {
  const all = [...groups, ...(settings.group === undefined ? [] : [settings.group])];
  return {
    ordinal,
    kind,
    description: spec.description,
    ...(settings.label === undefined ? {} : { label: settings.label }),
    ...(settings.key === undefined ? {} : { key: settings.key }),
    ...(all.length === 0 ? {} : { groups: all }),
    // What ends the test decides: nobody knows what the rest of it would have found.
    gates: settings.gate !== undefined || settings.orStop === true || (kind === 'boolean' && evaluation === 'pass' && settings.soft !== true),
    optional: settings.optional === true || settings.soft === true,
  };
}

function judged(entry: Entry, facts: Facts, outcome: ClaimOutcome): Claim {
  switch (outcome.status) {
    case 'matched': return { ...facts, state: 'matched', ...(outcome.note === undefined ? {} : { note: outcome.note }), ...worth(entry, 1) };
    case 'mismatched': return {
      ...facts,
      state: 'mismatched',
      expected: outcome.expected,
      received: outcome.received,
      ...(outcome.path === undefined ? {} : { path: outcome.path }),
      ...(outcome.nearest === undefined ? {} : { nearest: { ...outcome.nearest } }),
      ...worth(entry, 0),
    };
    case 'unavailable': return { ...facts, ...lacking(outcome), ...worth(entry, undefined) };
  }
}

function measured(entry: Entry, facts: Facts, evaluation: EvaluationKind, outcome: MeasuredOutcome): Claim {
  const { gate, atLeast } = entry.settings;
  const evidence = outcome.evidence === undefined ? {} : { evidence: outcome.evidence };
  if (outcome.status === 'unavailable') return { ...facts, ...lacking(outcome), ...evidence, ...worth(entry, undefined) };
  const { score } = outcome;
  const seen = { ...facts, score, ...evidence, ...(outcome.note === undefined ? {} : { note: outcome.note }), ...worth(entry, score) };
  const threshold = typeof gate === 'number' ? gate : atLeast;
  if (threshold === undefined) {
    if (evaluation === 'score') return { ...seen, state: 'measured' };
    return {
      ...seen,
      state: 'errored',
      code: 'pass-measurement-threshold-missing',
      reason: `it measured ${score}, but nothing says from what on that is good. Add .gate(n), or .atLeast(n) to record it only`,
    };
  }
  if (score >= threshold) return { ...seen, threshold, state: 'matched' };
  return { ...seen, threshold, state: 'mismatched', expected: `at least ${threshold}`, received: String(score) };
}

function lacking(outcome: { readonly reason: string; readonly code?: string }): Pick<Claim, 'state' | 'reason' | 'code'> {
  return { state: 'unavailable', code: outcome.code ?? 'evidence-unavailable', reason: outcome.reason };
}

/** What a share of its points comes to. `undefined`: not known. */
function worth({ settings }: Entry, share: number | undefined): Pick<Claim, 'points'> {
  if (settings.score === undefined) return {};
  return { points: { possible: settings.score, ...(share === undefined ? {} : { earned: settings.score * share }) } };
}

/** An author's own condition may never answer; the others are judged all the same. */
async function inTime<T>({ limitMs = CONDITION_LIMIT_MS }: ClaimSpec, condition: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`there was no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([condition(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
