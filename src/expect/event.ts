import type { InputRequest, StreamEvent } from '../evidence/events.js';
import type { EventOccurrence } from '../evidence/occurrence.js';
import { comparePattern, describePattern, patternOf, type JsonPattern } from './json-match.js';
import { allConditions, createMatch, isMatch, MATCHED, show, unavailable, type Condition, type EventMatch, type MatchOutcome, type PendingOutcome, type ToolMatch } from './match.js';
import { toolMatch } from './tool.js';

/** A kind of event. */
export type EventKind = StreamEvent['type'];

/** What can be asked of each kind of event, by the names of its fields. A RegExp looks at a text, a text must be equal. */
export interface EventConditions {
  readonly 'message': { readonly role?: JsonPattern; readonly text?: JsonPattern };
  readonly 'operation.started': OperationConditions & { readonly input?: JsonPattern; readonly remoteUrl?: JsonPattern };
  readonly 'operation.finished': OperationConditions & { readonly status?: JsonPattern; readonly output?: JsonPattern; readonly exitCode?: JsonPattern };
  readonly 'skill.loaded': { readonly skill?: JsonPattern; readonly operationId?: JsonPattern };
  readonly 'input.requested': {
    readonly id?: JsonPattern; readonly action?: JsonPattern; readonly input?: JsonPattern; readonly prompt?: JsonPattern; readonly options?: JsonPattern;
    /** Exactly these ids, in any order. */
    readonly optionIds?: readonly string[];
  };
  readonly 'thinking': { readonly text?: JsonPattern };
  readonly 'context.injected': { readonly text?: JsonPattern; readonly source?: JsonPattern };
  readonly 'compaction': { readonly reason?: JsonPattern; readonly tokensBefore?: JsonPattern; readonly tokensAfter?: JsonPattern };
  readonly 'error': { readonly message?: JsonPattern; readonly recovered?: JsonPattern };
}

/** Of tool calls, unless `subagent` is asked for. Not both. */
interface OperationConditions {
  /** The call: by the name of the tool, or a match of the whole call. */
  readonly tool?: string | ToolMatch;
  /** A delegation, by the name of the subagent; `true` stands for every one. */
  readonly subagent?: JsonPattern;
}

const FIELDS: { readonly [K in EventKind]: readonly (keyof EventConditions[K])[] } = {
  'message': ['role', 'text'],
  'operation.started': ['tool', 'subagent', 'input', 'remoteUrl'],
  'operation.finished': ['tool', 'subagent', 'status', 'output', 'exitCode'],
  'skill.loaded': ['skill', 'operationId'],
  'input.requested': ['id', 'action', 'input', 'prompt', 'options', 'optionIds'],
  'thinking': ['text'],
  'context.injected': ['text', 'source'],
  'compaction': ['reason', 'tokensBefore', 'tokensAfter'],
  'error': ['message', 'recovered'],
};

/** All kinds of events. */
export const EVENT_KINDS = Object.keys(FIELDS) as readonly EventKind[];

/**
 * One event of a kind. The operation kinds see tool calls, or with `subagent` delegations. A condition on a field that the
 * event leaves out is unavailable.
 *
 * @throws TypeError for an unknown kind or condition.
 */
export function eventMatch<K extends EventKind>(kind: K, conditions: EventConditions[K] = {}): EventMatch {
  if (!EVENT_KINDS.includes(kind)) throw new TypeError(`eventMatch does not know the kind ${show(kind)}. It knows ${EVENT_KINDS.join(', ')}.`);
  if (typeof conditions !== 'object' || conditions === null) throw new TypeError(`eventMatch(${show(kind)}, ...) needs an object of conditions, not ${show(conditions)}.`);
  const wanted = Object.entries(conditions as Readonly<Record<string, unknown>>).filter(([, condition]) => condition !== undefined);
  const known = FIELDS[kind] as readonly string[];
  const unknown = wanted.find(([field]) => !known.includes(field));
  if (unknown !== undefined) throw new TypeError(`eventMatch(${show(kind)}) does not know the condition "${unknown[0]}". It knows ${known.join(', ')}.`);
  const { tool, optionIds, ...patterns } = Object.fromEntries(wanted) as { tool?: unknown; optionIds?: unknown; [field: string]: unknown };
  const call = tool === undefined ? undefined : toolOf(tool);
  const ids = optionIds === undefined ? undefined : idsOf(optionIds);
  const ofSubagents = patterns['subagent'] !== undefined;
  if (ofSubagents && (call !== undefined || patterns['input'] !== undefined || patterns['exitCode'] !== undefined)) {
    throw new TypeError('eventMatch cannot ask for a tool call and for a subagent at once. Leave one out.');
  }
  if (!ofSubagents && patterns['remoteUrl'] !== undefined) throw new TypeError('eventMatch: only subagents have a `remoteUrl`. Ask for `subagent` as well, or leave it out.');
  const description = wordsOf(kind, wanted);
  const checks: readonly Condition<EventOccurrence>[] = [
    ...(call === undefined ? [] : [(occurrence: EventOccurrence) => callOutcome(call, occurrence)]),
    ...(ids === undefined ? [] : [(occurrence: EventOccurrence) => idsOutcome(ids, occurrence.event)]),
    ...Object.entries(patterns).map(([field, given]) => {
      const pattern = patternOf(given, `/${field}`);
      return (occurrence: EventOccurrence) => fieldOutcome(field, pattern, occurrence);
    }),
  ];
  return createMatch({
    domain: 'event',
    description,
    kinds: [kind],
    concerns: ({ event }) => event.type === kind,
    evaluate: (occurrence) => {
      const { event } = occurrence;
      if (event.type !== kind || isOfSubagent(event) !== ofSubagents) return { status: 'mismatched', expected: description, received: kindOf(event) };
      return allConditions(checks, occurrence);
    },
  });
}

/** @throws TypeError unless it is a match of events or the name of a kind. */
export function eventMatchOf(selector: EventKind | EventMatch): EventMatch {
  if (typeof selector === 'string') return eventMatch(selector);
  if (isMatch(selector) && selector.domain === 'event') return selector;
  throw new TypeError(`An event is asked for by eventMatch(...) or by the name of a kind, not by ${show(selector)}.`);
}

function toolOf(tool: unknown): ToolMatch {
  const match = typeof tool === 'string' ? toolMatch(tool) : tool;
  if (!isMatch(match) || match.domain !== 'tool') throw new TypeError('eventMatch needs the name of a tool or a match of tool calls as `tool`, for instance toolMatch("shell").');
  if (match.count !== undefined) throw new TypeError('eventMatch looks at one event, so the match in `tool` cannot say how often. Put the number on the whole: eventMatch(...).atLeast(2).');
  return match;
}

function idsOf(ids: unknown): readonly string[] {
  if (Array.isArray(ids) && ids.every((id) => typeof id === 'string')) return [...ids].sort();
  throw new TypeError('eventMatch needs a list of ids as `optionIds`, for instance ["approve", "deny"].');
}

function isOfSubagent(event: StreamEvent): boolean {
  if (event.type === 'operation.started') return event.operation.kind === 'subagent';
  return event.type === 'operation.finished' && event.kind === 'subagent';
}

function callOutcome(match: ToolMatch, { event, call }: EventOccurrence): PendingOutcome {
  return call === undefined ? unavailable('end-undecidable', `which call ended under the id ${idOf(event)} is not known`) : match.evaluate(call);
}

function idsOutcome(ids: readonly string[], event: StreamEvent): MatchOutcome {
  const request: InputRequest = event.type === 'input.requested' ? event.request : {};
  if (request.options === undefined) return missing('options', 'input.requested');
  const seen = request.options.map(({ id }) => id).sort();
  return JSON.stringify(seen) === JSON.stringify(ids) ? MATCHED : { status: 'mismatched', expected: `the options ${ids.join(', ')}`, received: seen.join(', '), path: '/options' };
}

function fieldOutcome(field: string, pattern: JsonPattern, occurrence: EventOccurrence): PendingOutcome {
  const { event, subagent } = occurrence;
  if (field === 'subagent') {
    if (pattern === true) return MATCHED;
    return subagent === undefined
      ? unavailable('end-undecidable', `which subagent ended under the id ${idOf(event)} is not known`)
      : comparePattern(pattern, subagent.name, '/subagent');
  }
  const value = valueOf(field, occurrence);
  return value === undefined ? missing(field, event.type) : comparePattern(pattern, value, `/${field}`);
}

function valueOf(field: string, { event, subagent }: EventOccurrence): unknown {
  if (event.type === 'input.requested') return event.request[field as keyof InputRequest];
  if (event.type === 'operation.started') {
    if (field === 'remoteUrl') return subagent?.remoteUrl;
    return event.operation.kind === 'tool' ? event.operation.input : undefined;
  }
  // Only told where it is so: absent means that nothing got over it.
  if (event.type === 'error' && field === 'recovered') return event.recovered ?? false;
  return (event as unknown as Readonly<Record<string, unknown>>)[field];
}

function missing(field: string, kind: EventKind): MatchOutcome {
  return unavailable('field-missing', `the ${kind} event does not tell its ${field}`);
}

function idOf(event: StreamEvent): string {
  return 'operationId' in event ? show(event.operationId) : '';
}

function kindOf(event: StreamEvent): string {
  return isOfSubagent(event) ? `${event.type} of a subagent` : event.type;
}

function wordsOf(kind: EventKind, wanted: readonly (readonly [string, unknown])[]): string {
  const conditions = wanted.map(([field, condition]) => {
    if (field === 'tool') return typeof condition === 'string' ? `tool ${show(condition)}` : (condition as ToolMatch).description;
    return `${field} ${show(describePattern(condition as JsonPattern))}`;
  });
  return `event ${kind}${conditions.length === 0 ? '' : ` with ${conditions.join(' and ')}`}`;
}
