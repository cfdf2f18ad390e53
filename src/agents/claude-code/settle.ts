import { fieldsOf, listOf, nameOf, type Fields } from '../fields.js';
import { boundedJson } from '../json-line.js';
import { isFinished } from './operations.js';
import { isInterruptText, isRefusalText } from './rejection.js';
import type { RecordContext, Teller } from './teller.js';

export function takeDenials(teller: Teller, result: Fields): void {
  for (const denial of listOf(result['permission_denials'])) {
    const id = nameOf(fieldsOf(denial)?.['tool_use_id']);
    if (id !== undefined) teller.operations.denied.add(id);
  }
}

/**
 * Turns failed calls that were refused into rejected ones. A refused delegation never started a subagent, so it is told
 * as a tool call.
 *
 * @param denialsAreKnown A result line with its `permission_denials` was read.
 */
export function settleRefusals(teller: Teller, denialsAreKnown: boolean): void {
  const { events, operations } = teller;
  for (const { operationId, call, finishedIndex, errorText } of operations.failed) {
    const named = operations.denied.has(operationId);
    // What an MCP server answers is its own text; once the denials are known it cannot pass for a refusal.
    const foreign = call?.name.startsWith('mcp__') === true && denialsAreKnown;
    if (!named && (foreign || isInterruptText(errorText) || !isRefusalText(errorText))) continue;
    const event = events[finishedIndex];
    if (!isFinished(event)) continue;
    if (event.kind === 'tool') {
      events[finishedIndex] = { ...event, status: 'rejected' };
      continue;
    }
    const started = call === undefined ? undefined : events[call.startedIndex];
    if (started?.type !== 'operation.started' || call === undefined) continue;
    events[call.startedIndex] = {
      ...started,
      operation: { kind: 'tool', name: call.name, input: boundedJson(call.input), tool: 'agent_task', command: { classification: 'not-command' } },
    };
    const { kind: _kind, ...rest } = event;
    events[finishedIndex] = { ...rest, kind: 'tool', status: 'rejected' };
  }
}

/**
 * What only the result line says: errors of its own, and the answer when nothing else was printed.
 *
 * @param alone `--output-format json`: the result is all there is.
 */
export function tellResult(teller: Teller, result: Fields, context: RecordContext, alone: boolean): void {
  for (const error of listOf(result['errors'])) {
    // claude-code 2.1.197: an interrupted turn carries a note for the CLI's own developers here.
    if (typeof error === 'string' && !error.startsWith('[ede_diagnostic]')) teller.emit({ type: 'error', message: error }, context);
  }
  const answer = nameOf(result['result']);
  if (!alone || answer === undefined) return;
  teller.emit(result['is_error'] === true ? { type: 'error', message: answer } : { type: 'message', role: 'assistant', text: answer }, context);
}
