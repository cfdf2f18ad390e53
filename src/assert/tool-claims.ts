import type { StreamEvent } from '../evidence/events.js';
import type { ToolOccurrence } from '../evidence/occurrence.js';
import { wordsOfRange, type CountRange } from '../expect/count-range.js';
import { MATCHED, isMatch, unavailable, type ToolMatch } from '../expect/match.js';
import { toolMatch } from '../expect/tool.js';
import type { ClaimOutcome, Nearest } from './claim.js';
import { find, judgeCount, type Found } from './count.js';
import type { ClaimSpec } from './entry.js';
import { ClaimAuthoringError } from './errors.js';
import { checkedLimit } from './limit.js';
import { judgeOrder } from './order-claims.js';
import { gapOf, occurrencesIn, occurrencesOf, orphanGapOf, type Gap, type ScopeEvidence } from './scope.js';
import { countOf, type CountOptions } from './selection.js';

/** A name, or a match made by `toolMatch`, `commandMatch` or `shellMatch`. */
export type ToolSelector = string | ToolMatch;

const ONCE: CountRange = { min: 1, max: Infinity };
const NONE: CountRange = { min: 0, max: 0 };

/** A tool was called. */
export function calledTool(scope: ScopeEvidence, selector: ToolSelector, options: CountOptions = {}): ClaimSpec {
  const match = toolOf(selector, 'calledTool');
  const asked = countOf('calledTool', options, match);
  const count = asked ?? ONCE;
  return {
    description: `${scope.name} called ${match.description}${asked === undefined ? '' : ` ${wordsOfRange(count)}`}`,
    evaluate: () => judgeTools(scope, match, count, wordsOfRange(count)),
  };
}

/** A tool was not called at all. */
export function notCalledTool(scope: ScopeEvidence, selector: ToolSelector): ClaimSpec {
  const match = toolOf(selector, 'notCalledTool');
  countOf('notCalledTool', {}, match, 'it says already: not at all');
  return { description: `${scope.name} did not call ${match.description}`, evaluate: () => judgeTools(scope, match, NONE, 'no such call') };
}

/** No tool was called at all, and nothing was delegated. */
export function usedNoTools(scope: ScopeEvidence): ClaimSpec {
  return { description: `${scope.name} used no tools`, evaluate: () => judgeNumber(scope, NONE, 'no tool call') };
}

/** At most so many tool calls, delegations to subagents among them. */
export function maxToolCalls(scope: ScopeEvidence, most: number): ClaimSpec {
  const max = checkedLimit('maxToolCalls', most, 'whole');
  const expected = `at most ${max} tool call${max === 1 ? '' : 's'}`;
  return { description: `${scope.name} made ${expected}`, evaluate: () => judgeNumber(scope, { min: 0, max }, expected) };
}

/** No tool call and no subagent failed. One that a person refused did not fail; one that never ended did not either. */
export function noFailedActions(scope: ScopeEvidence): ClaimSpec {
  return { description: `${scope.name} had no failed actions`, evaluate: () => judgeFailures(scope) };
}

/** The tools were called in this order, each by a later, different call; others may lie between. On the whole Attempt: within one session. */
export function toolOrder(scope: ScopeEvidence, selectors: readonly ToolSelector[]): ClaimSpec {
  if (!Array.isArray(selectors) || selectors.length < 2) throw new ClaimAuthoringError('toolOrder needs a list of at least two tools.');
  const steps = selectors.map((selector: ToolSelector) => toolOf(selector, 'toolOrder'));
  for (const step of steps) countOf('toolOrder', {}, step, 'name a tool twice for "twice in order"');
  return {
    description: `${scope.name} called in order: ${steps.map((step) => step.description).join(', ')}`,
    evaluate: () => judgeOrder(scope, steps, (session) => occurrencesIn(session).occurrences, toolGap(scope)),
  };
}

function judgeTools(scope: ScopeEvidence, match: ToolMatch, count: CountRange, expected: string): ClaimOutcome | Promise<ClaimOutcome> {
  const { occurrences } = occurrencesOf(scope);
  const judged = (found: Found<ToolOccurrence>): ClaimOutcome => {
    const state = judgeCount(count, { matched: found.matched.length, undecided: found.undecided, ...firstOf(found), gap: toolGap(scope) });
    if (state === 'matched') return found.matched.length === 0 ? MATCHED : { status: 'matched', note: wordsOfCalls(found.matched) };
    if (state !== 'mismatched') return state;
    const seen = found.matched.length > 0 ? `${found.matched.length} found: ${wordsOfCalls(found.matched)}` : `0 found; ${namesOf(occurrences)}`;
    const nearest = found.matched.length === 0 && found.nearest !== undefined ? nearestOf(found.nearest, match) : undefined;
    return { status: 'mismatched', expected, received: seen, ...(nearest === undefined ? {} : { nearest }) };
  };
  const found = find(match, occurrences);
  return found instanceof Promise ? found.then(judged) : judged(found);
}

function firstOf({ firstUndecided }: Found<ToolOccurrence>): Pick<Found<ToolOccurrence>, 'firstUndecided'> {
  return firstUndecided === undefined ? {} : { firstUndecided };
}

function nearestOf({ subject, outcome }: NonNullable<Found<ToolOccurrence>['nearest']>, match: ToolMatch): Nearest | undefined {
  // A call of another tool is near to nothing.
  if (outcome.expected === match.description && outcome.received === subject.operation.name) return undefined;
  return { what: wordsOfCall(subject), expected: outcome.expected, received: outcome.received, ...(outcome.path === undefined ? {} : { path: outcome.path }) };
}

function judgeNumber(scope: ScopeEvidence, count: CountRange, expected: string): ClaimOutcome {
  const { occurrences } = occurrencesOf(scope);
  const delegations = delegationsIn(scope);
  const seen = occurrences.length + delegations.length;
  const state = judgeCount(count, { matched: seen, undecided: 0, gap: gapOf(scope, 'actions') ?? orphanGapOf(scope, 'all') });
  if (state === 'matched') return MATCHED;
  if (state !== 'mismatched') return state;
  const subagents = delegations.length === 0 ? '' : `${occurrences.length === 0 ? '' : ', '}subagents ${listed(delegations)}`;
  return { status: 'mismatched', expected, received: `${seen}: ${occurrences.length === 0 ? '' : listed(occurrences.map((call) => call.operation.name))}${subagents}` };
}

/** Names of the subagents that a scope delegated to. */
function delegationsIn(scope: ScopeEvidence): readonly string[] {
  const starts = occurrencesOf(scope).byKind.get('operation.started') ?? [];
  return starts.flatMap(({ subagent }) => (subagent === undefined ? [] : [subagent.name]));
}

function judgeFailures(scope: ScopeEvidence): ClaimOutcome {
  const failed = (occurrencesOf(scope).byKind.get('operation.finished') ?? []).filter(({ event }) => event.type === 'operation.finished' && event.status === 'failed');
  const [first] = failed;
  if (first === undefined) {
    const gap = gapOf(scope, 'actions');
    return gap === undefined ? MATCHED : unavailable(gap.code, gap.reason);
  }
  const name = first.call?.operation.name ?? first.subagent?.name ?? 'an action';
  const { operationId } = first.event as StreamEvent & { type: 'operation.finished' };
  return { status: 'mismatched', expected: 'no failed action', received: `${failed.length} failed, first ${name} (${operationId})` };
}

/** Why there may be tool calls that were not seen. */
function toolGap(scope: ScopeEvidence): Gap | undefined {
  return gapOf(scope, 'actions') ?? orphanGapOf(scope, 'tools');
}

function toolOf(selector: ToolSelector, method: string): ToolMatch {
  if (typeof selector === 'string' && selector !== '') return toolMatch(selector);
  if (isMatch(selector) && selector.domain === 'tool') return selector;
  throw new ClaimAuthoringError(`${method} needs a tool name, toolMatch(...), commandMatch(...) or shellMatch(...).`);
}

function wordsOfCalls(calls: readonly ToolOccurrence[]): string {
  const shown = calls.slice(0, 3).map(wordsOfCall).join(', ');
  return calls.length <= 3 ? shown : `${shown} and ${calls.length - 3} more`;
}

function wordsOfCall({ operation, operationId, status }: ToolOccurrence): string {
  return `${operation.name} (${operationId}, ${status})`;
}

const knownNames = new WeakMap<readonly ToolOccurrence[], string>();

/** The same for every claim about the same calls. */
function namesOf(calls: readonly ToolOccurrence[]): string {
  const names = knownNames.get(calls) ?? wordsOfNames(calls);
  knownNames.set(calls, names);
  return names;
}

function wordsOfNames(calls: readonly ToolOccurrence[]): string {
  return calls.length === 0 ? 'no tool was called' : `called: ${listed(calls.map((call) => call.operation.name))}`;
}

/** Names with how often they occur, the first eight. */
function listed(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const all = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`));
  return all.length <= 8 ? all.join(', ') : `${all.slice(0, 8).join(', ')} and ${all.length - 8} more`;
}
