import type { EvidenceCoverage } from '../evidence/coverage.js';
import type { InputRequest } from '../evidence/events.js';
import type { TurnStatus } from '../evidence/turn.js';
import { jsonMatch, type JsonPattern } from '../expect/json-match.js';
import { MATCHED, show, unavailable, type MatchOutcome } from '../expect/match.js';
import { ClaimAuthoringError } from './errors.js';

/** Which request is meant. Every field that is given must fit; a request that leaves the field out does not. */
export interface InputRequestFilter {
  readonly id?: string | RegExp;
  readonly prompt?: string | RegExp;
  readonly action?: string | RegExp;
  /** As for `jsonMatch`. */
  readonly input?: JsonPattern;
  /** Exactly these ids, in any order. */
  readonly optionIds?: readonly string[];
}

/** What a session was waiting for when it was asked. */
export interface PendingInput {
  readonly session: string;
  readonly status: TurnStatus | undefined;
  readonly coverage: EvidenceCoverage;
  readonly requests: readonly InputRequest[];
}

const FIELDS = ['id', 'prompt', 'action', 'input', 'optionIds'];

/**
 * Exactly one request that fits is waiting. @returns it, with how the claim came out.
 *
 * @throws ClaimAuthoringError for a filter that asks for something unknown.
 */
export function judgeInputRequest(pending: PendingInput, filter: InputRequestFilter = {}): { readonly description: string; readonly outcome: MatchOutcome; readonly request?: InputRequest } {
  checkFilter(filter);
  const description = `${pending.session} asked for input${Object.keys(filter).length === 0 ? '' : ` that fits ${show(wordsOf(filter))}`}`;
  const fitting = pending.requests.filter((request) => fits(request, filter));
  const [request] = fitting;
  // Another request may not have been seen; of two that were seen there are two.
  if (pending.status === 'waiting' && pending.coverage.events.status !== 'complete' && fitting.length <= 1) {
    return { description, outcome: unavailable(`events-coverage-${pending.coverage.events.status}`, `events coverage is ${pending.coverage.events.status}: ${pending.coverage.events.reason}`) };
  }
  if (request !== undefined && fitting.length === 1) return { description, outcome: MATCHED, request };
  if (pending.status !== 'waiting' && pending.coverage.status.status !== 'complete') {
    return { description, outcome: unavailable(`status-coverage-${pending.coverage.status.status}`, `status coverage is ${pending.coverage.status.status}: ${pending.coverage.status.reason}`) };
  }
  const asked = pending.requests.length === 0 ? 'nothing was asked' : `${fitting.length} of ${pending.requests.length} requests fit: ${pending.requests.map((open) => show(open)).join(', ')}`;
  return { description, outcome: { status: 'mismatched', expected: 'exactly one request', received: pending.status === undefined ? 'nothing was sent' : asked } };
}

function fits(request: InputRequest, filter: InputRequestFilter): boolean {
  const text = (wanted: string | RegExp | undefined, value: string | undefined): boolean => {
    if (wanted === undefined) return true;
    if (value === undefined) return false;
    return typeof wanted === 'string' ? wanted === value : new RegExp(wanted.source, wanted.flags).test(value);
  };
  if (!text(filter.id, request.id) || !text(filter.prompt, request.prompt) || !text(filter.action, request.action)) return false;
  if (filter.optionIds !== undefined) {
    const ids = (request.options ?? []).map(({ id }) => id).sort();
    if (JSON.stringify(ids) !== JSON.stringify([...filter.optionIds].sort())) return false;
  }
  if (filter.input === undefined) return true;
  if (request.input === undefined) return false;
  const outcome = jsonMatch(filter.input).evaluate(request.input);
  if (outcome instanceof Promise) throw new ClaimAuthoringError('The `input` of a request filter holds a match that answers later. Use one that answers at once.');
  return outcome.status === 'matched';
}

function checkFilter(filter: InputRequestFilter): void {
  const unknown = Object.keys(filter).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) throw new ClaimAuthoringError(`A request filter does not know the field "${unknown}". It knows ${FIELDS.join(', ')}.`);
  for (const field of ['id', 'prompt', 'action'] as const) {
    const value: unknown = filter[field];
    if (value !== undefined && typeof value !== 'string' && !(value instanceof RegExp)) throw new ClaimAuthoringError(`The \`${field}\` of a request filter is a text or a RegExp, not ${show(value)}.`);
  }
  if (filter.optionIds !== undefined && !Array.isArray(filter.optionIds)) throw new ClaimAuthoringError('The `optionIds` of a request filter are a list of ids.');
}

function wordsOf(filter: InputRequestFilter): unknown {
  return Object.fromEntries(Object.entries(filter).map(([key, value]) => [key, value instanceof RegExp ? String(value) : value as unknown]));
}
