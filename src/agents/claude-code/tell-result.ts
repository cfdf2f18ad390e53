import { notCommandProjection } from '../../evidence/command-projection.js';
import type { JsonValue } from '../../evidence/json.js';
import type { Draft } from '../draft.js';
import { boundedJson } from '../json-line.js';
import type { FinishedEvent, OpenCall } from './operations.js';
import type { RecordContext, Teller } from './teller.js';
import { countOf, fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';

/** A tool_result block and the client's own account of the result, which only the main thread carries. */
export interface ToolResult {
  readonly block: Fields;
  readonly result: unknown;
}

/** What {@link finishFromContent} reads of the client's account, so that the rest need not be kept. */
export function leanAccountOf(account: Fields): Fields {
  const { agentId, backgroundTaskId, isAsync, status, persistedOutputPath, success, commandName, returnCodeInterpretation, interrupted } = account;
  return {
    agentId, backgroundTaskId, isAsync, status, persistedOutputPath, success, commandName, returnCodeInterpretation, interrupted,
    content: reportOf(account), stdout: typeof account['stdout'] === 'string' ? '' : undefined,
  };
}

export function finishFromContent(teller: Teller, { block, result }: ToolResult, context: RecordContext): void {
  const operationId = nameOf(block['tool_use_id']);
  if (operationId === undefined) return;
  const { operations, seen } = teller;
  if (operations.ended.has(operationId)) return;
  const call = operations.open.get(operationId);
  const account = fieldsOf(result);
  const agentId = nameOf(account?.['agentId']);
  if (agentId !== undefined) seen.agentIds.add(agentId);
  if (call !== undefined && runsOn(account)) {
    operations.open.set(operationId, { ...call, background: true });
    return;
  }
  const failed = block['is_error'] === true;
  const text = textOfContent(block['content']);
  const persisted = nameOf(account?.['persistedOutputPath']) ?? /Full output saved to: (\S+)/.exec(text.slice(0, 2000))?.[1];
  const spill = persisted === undefined ? undefined : baseName(persisted);
  if (spill !== undefined) seen.spilled.add(spill);
  const whole = spill === undefined ? undefined : teller.options.spills.get(spill);
  const content = whole ?? block['content'];
  const kind = call?.kind ?? 'tool';
  const dead = kind === 'subagent' && diedOfApiError(text);
  const end: Draft<FinishedEvent> = { type: 'operation.finished', operationId, kind, status: failed || dead ? 'failed' : 'completed' };
  const output = outputOf(kind === 'subagent' ? reportOf(account) ?? content : content);
  if (output !== undefined) end.output = output;
  const exitCode = exitCodeOf(call, failed, text, account);
  if (exitCode !== undefined && end.kind === 'tool') end.exitCode = exitCode;
  finish(teller, operationId, end, context);
  // A tool that does not exist ran nothing.
  if (failed && /^<tool_use_error>Error: No such tool available: /.test(text)) ranNothing(teller, operationId, call);
  if (failed) operations.failed.push({ operationId, call, finishedIndex: teller.events.length - 1, errorText: text });
  const skill = account?.['success'] === true ? nameOf(account['commandName']) : undefined;
  if (call?.name === 'Skill' && !failed) {
    const loaded = skill ?? nameOf(fieldsOf(call.input)?.['skill']) ?? nameOf(fieldsOf(call.input)?.['command']);
    if (loaded !== undefined) teller.emit({ type: 'skill.loaded', skill: loaded, operationId }, context);
  }
}

/** Emits the one end of an operation. */
export function finish(teller: Teller, operationId: string, event: FinishedEvent, context: RecordContext): void {
  teller.operations.open.delete(operationId);
  teller.operations.ended.add(operationId);
  teller.emit(event, context);
}

/** The text of a result in any of the shapes seen: a string, a list of blocks, null, nothing. */
export function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content).map((block) => textOf(fieldsOf(block)?.['text']) ?? '').join('');
}

/** A single text block is told as its text; everything else as the CLI has it. No content: the output is not known. */
function outputOf(content: unknown): JsonValue | undefined {
  if (content === undefined || content === null) return undefined;
  const blocks = listOf(content);
  const only = blocks.length === 1 ? fieldsOf(blocks[0]) : undefined;
  return only?.['type'] === 'text' && typeof only['text'] === 'string' ? only['text'] : boundedJson(content);
}

// claude-code 2.1.197: a background Bash or Agent answers at once; fixtures/agents/claude-code/2.1.197/{bash-background,subagent-background}.
function runsOn(account: Fields | undefined): boolean {
  return nameOf(account?.['backgroundTaskId']) !== undefined || account?.['isAsync'] === true || account?.['status'] === 'async_launched';
}

/** What the subagent itself said, without the CLI's note on how to go on with it. */
function reportOf(account: Fields | undefined): unknown {
  return account?.['status'] === 'completed' && Array.isArray(account['content']) ? account['content'] : undefined;
}

// claude-code 2.1.197: a subagent that the service failed says "completed" everywhere; fixtures/agents/claude-code/2.1.197/subagent-errors.
function diedOfApiError(text: string): boolean {
  return text.startsWith('API Error: ');
}

// claude-code 2.1.197: a failed Bash result begins "Exit code N"; a success is 0 unless the client explains another code.
function exitCodeOf(call: OpenCall | undefined, failed: boolean, text: string, account: Fields | undefined): number | undefined {
  if (call?.name !== 'Bash') return undefined;
  if (failed) {
    const code = /^Exit code (\d+)(?:\n|$)/.exec(text)?.[1];
    return code === undefined ? undefined : Number(code);
  }
  if (account === undefined || account['returnCodeInterpretation'] !== undefined || account['interrupted'] === true) return undefined;
  return typeof account['stdout'] === 'string' && countOf(account['backgroundTaskId']) === undefined ? 0 : undefined;
}

function ranNothing(teller: Teller, operationId: string, call: OpenCall | undefined): void {
  const event = call === undefined ? undefined : teller.events[call.startedIndex];
  if (call === undefined || event?.type !== 'operation.started' || event.operationId !== operationId || event.operation.kind !== 'tool' || event.operation.command !== undefined) return;
  teller.seen.unknownTools.delete(call.name);
  teller.events[call.startedIndex] = { ...event, operation: { ...event.operation, command: notCommandProjection() } };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
