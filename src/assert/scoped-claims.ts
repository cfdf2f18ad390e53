import type { ToolOccurrence } from '../evidence/occurrence.js';
import { MATCHED, isMatch, type MatchOutcome, type ToolMatch } from '../expect/match.js';
import { toolMatch } from '../expect/tool.js';
import { judgeCount, type CountClaim } from './count.js';
import { ClaimAuthoringError } from './errors.js';
import type { ClaimSpec } from './ledger.js';
import { gapOf, occurrencesOf, type ScopeEvidence } from './scope.js';

/** A name, or a match made by `toolMatch` or `commandMatch`. */
export type ToolSelector = string | ToolMatch;

/** How often: exactly `count`, or at least. Default: at least once. */
export interface CalledToolOptions {
  readonly count?: number | { readonly atLeast: number };
}

/** No turn failed, and the last turn of each session completed. */
export function succeeded(scope: ScopeEvidence): ClaimSpec {
  return { description: `${scope.name} succeeded`, evaluate: () => judgeSuccess(scope) };
}

function judgeSuccess(scope: ScopeEvidence): MatchOutcome {
  const expected = 'completed';
  const statuses = scope.sessions.flatMap((session) => session.statuses);
  if (statuses.includes('failed')) return { status: 'mismatched', expected, received: failureOf(scope) };
  if (statuses.length === 0) {
    return scope.running ? { status: 'unavailable', reason: gapOf(scope, 'status') ?? '' } : { status: 'mismatched', expected, received: 'nothing was sent' };
  }
  // A send that is under way may be the answer.
  if (!scope.running && scope.sessions.some((session) => session.statuses.at(-1) === 'waiting')) return { status: 'mismatched', expected, received: 'waiting for a person' };
  const gap = gapOf(scope, 'status');
  return gap === undefined ? MATCHED : { status: 'unavailable', reason: gap };
}

function failureOf(scope: ScopeEvidence): string {
  const messages = scope.sessions.flatMap((session) => session.events).flatMap((event) => (
    event.type === 'error' && event.recovered !== true ? [event.message] : []
  ));
  return messages.length === 0 ? 'failed' : `failed: ${messages.at(-1)}`;
}

/** A tool was called. */
export function calledTool(scope: ScopeEvidence, selector: ToolSelector, options: CalledToolOptions = {}): ClaimSpec {
  const match = selectorOf(selector, 'calledTool');
  const unknown = Object.keys(options).find((key) => key !== 'count');
  if (unknown !== undefined) throw new ClaimAuthoringError(`calledTool does not know the option "${unknown}". It knows count.`);
  const count = countOf(options);
  const description = `${scope.name} called ${match.description}${options.count === undefined ? '' : ` ${timesOf(count)}`}`;
  return { description, evaluate: () => judgeTools(scope, match, count, timesOf(count)) };
}

/** A tool was not called at all. */
export function notCalledTool(scope: ScopeEvidence, selector: ToolSelector): ClaimSpec {
  const match = selectorOf(selector, 'notCalledTool');
  return { description: `${scope.name} did not call ${match.description}`, evaluate: () => judgeTools(scope, match, { exactly: 0 }, 'no such call') };
}

async function judgeTools(scope: ScopeEvidence, match: ToolMatch, count: CountClaim, expected: string): Promise<MatchOutcome> {
  const { occurrences, orphanEnds } = occurrencesOf(scope);
  const outcomes = await Promise.all(occurrences.map((call) => match.evaluate(call)));
  const orphan = orphanEnds === 0 ? undefined : `${orphanEnds} tool calls ended that were not seen to start`;
  return judgeCount(count, {
    matched: outcomes.filter((outcome) => outcome.status === 'matched').length,
    undecided: outcomes.flatMap((outcome) => (outcome.status === 'unavailable' ? [outcome.reason] : [])),
    gap: gapOf(scope, 'actions') ?? orphan,
    ...nearestOf(occurrences, outcomes),
  }, expected);
}

/** The call that fits best: one whose name fits says where it differs; else the names that were called. */
function nearestOf(occurrences: readonly ToolOccurrence[], outcomes: readonly MatchOutcome[]): { nearest?: string } {
  const near = outcomes.findIndex((outcome) => outcome.status === 'mismatched' && !outcome.expected.startsWith('tool ') && !outcome.expected.startsWith('command '));
  const outcome = outcomes[near];
  if (outcome?.status === 'mismatched') {
    return { nearest: `${occurrences[near]?.operation.name} with ${outcome.received}${outcome.path === undefined ? '' : ` at ${outcome.path}`}, not ${outcome.expected}` };
  }
  const names = [...new Set(occurrences.map((call) => call.operation.name))];
  return names.length === 0 ? {} : { nearest: `calls of ${names.slice(0, 8).join(', ')}` };
}

function selectorOf(selector: ToolSelector, method: string): ToolMatch {
  if (typeof selector === 'string' && selector !== '') return toolMatch(selector);
  if (isMatch(selector) && selector.domain === 'tool') return selector;
  throw new ClaimAuthoringError(`${method} needs a tool name, toolMatch(...) or commandMatch(...).`);
}

function countOf({ count }: CalledToolOptions): CountClaim {
  if (count === undefined) return { atLeast: 1 };
  const number = typeof count === 'number' ? count : count.atLeast;
  if (!Number.isInteger(number) || number < 1) throw new ClaimAuthoringError(`A count is a whole number from 1, not ${number}. For none use notCalledTool.`);
  return typeof count === 'number' ? { exactly: number } : { atLeast: number };
}

function timesOf(count: CountClaim): string {
  const times = (number: number): string => (number === 1 ? 'once' : `${number} times`);
  return 'atLeast' in count ? `at least ${times(count.atLeast)}` : `exactly ${times(count.exactly)}`;
}
