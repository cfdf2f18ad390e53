import type { ToolOperation } from '../evidence/events.js';
import type { ToolOccurrence } from '../evidence/occurrence.js';
import { isToolName } from '../evidence/tool-name.js';
import type { JsonValue } from '../evidence/json.js';
import { allConditions, createMatch, isValueMatch, MATCHED, show, unavailable, type Condition, type MatchOutcome, type PendingOutcome, type ToolMatch, type ValueMatch } from './match.js';

const STATUSES = ['pending', 'completed', 'failed', 'rejected'] as const;

/** How a tool call must stand. */
export type ToolStatus = (typeof STATUSES)[number];

/** Further conditions of {@link toolMatch}. */
export interface ToolConditions {
  readonly input?: ValueMatch<JsonValue>;
  readonly output?: ValueMatch<JsonValue>;
  readonly status?: ToolStatus;
}

/**
 * One tool call, by its original or its canonical name.
 *
 * @param name For instance `Edit` or `file_edit`. Absent: every tool.
 * @throws TypeError for conditions that are not known.
 */
export function toolMatch(name?: string, conditions: ToolConditions = {}): ToolMatch {
  const unknown = Object.keys(conditions).find((key) => !['input', 'output', 'status'].includes(key));
  if (unknown !== undefined) throw new TypeError(`toolMatch does not know the condition "${unknown}". It knows input, output and status.`);
  for (const key of ['input', 'output'] as const) {
    if (conditions[key] !== undefined && !isValueMatch(conditions[key])) throw new TypeError(`toolMatch needs a value match as \`${key}\`, for instance jsonMatch({...}).`);
  }
  checkStatus('toolMatch', conditions.status);
  if (name !== undefined && (typeof name !== 'string' || name === '')) throw new TypeError(`toolMatch needs the name of a tool, not ${show(name)}. Leave it out for every tool.`);
  const description = describe(name, conditions);
  const checks = conditionsOf(name, { ...conditions }, description);
  return createMatch({
    domain: 'tool',
    description,
    concerns: ({ operation }) => name === undefined || name === operation.name || name === operation.tool || operation.tool === undefined,
    evaluate: (call) => allConditions(checks, call),
  });
}

/** @throws TypeError for a status that no tool call has. */
export function checkStatus(factory: string, status: ToolStatus | undefined): void {
  if (status !== undefined && !STATUSES.includes(status)) throw new TypeError(`${factory} does not know the status ${show(status)}. It knows pending, completed, failed and rejected.`);
}

function conditionsOf(name: string | undefined, { status, input, output }: ToolConditions, description: string): readonly Condition<ToolOccurrence>[] {
  return [
    ...(name === undefined ? [] : [(call: ToolOccurrence) => nameOutcome(name, call, description)]),
    ...(status === undefined ? [] : [(call: ToolOccurrence) => statusOutcome(status, call)]),
    ...(input === undefined ? [] : [(call: ToolOccurrence) => input.evaluate(call.operation.input)]),
    ...(output === undefined ? [] : [(call: ToolOccurrence): PendingOutcome => (call.output === undefined
      ? unavailable('output-unknown', `the output of ${call.operation.name} (${call.operationId}) is not known`)
      : output.evaluate(call.output))]),
  ];
}

function nameOutcome(name: string, { operation, operationId }: ToolOccurrence, description: string): MatchOutcome {
  if (name === operation.name || (name === operation.tool && name !== 'unknown')) return MATCHED;
  if (mayBe(name, operation)) return unavailable('tool-unclassified', `${operation.name} (${operationId}) was not classified, so it may be a ${name}`);
  return { status: 'mismatched', expected: description, received: operation.name };
}

/** Whether a call that its adapter did not classify may belong to a canonical class. */
function mayBe(name: string, operation: ToolOperation): boolean {
  if (operation.tool !== undefined || !isToolName(name) || name === 'unknown') return false;
  return !(name === 'shell' && operation.command?.classification === 'not-command');
}

function statusOutcome(expected: ToolStatus, call: ToolOccurrence): MatchOutcome {
  if (call.status === 'undecidable') {
    return unavailable('status-undecidable', `the id ${call.operationId} was used by calls that overlap, so the status of ${call.operation.name} is not known`);
  }
  return call.status === expected ? MATCHED : { status: 'mismatched', expected: `status ${expected}`, received: call.status };
}

function describe(name: string | undefined, conditions: ToolConditions): string {
  const parts = [
    ...(conditions.status === undefined ? [] : [`status ${conditions.status}`]),
    ...(conditions.input === undefined ? [] : [`input ${conditions.input.description}`]),
    ...(conditions.output === undefined ? [] : [`output ${conditions.output.description}`]),
  ];
  return `${name === undefined ? 'any tool' : `tool ${show(name)}`}${parts.length === 0 ? '' : ` with ${parts.join(' and ')}`}`;
}
