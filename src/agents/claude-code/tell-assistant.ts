import type { Fields } from '../fields.js';
import { fieldsOf, nameOf, textOf } from '../fields.js';
import { SYNTHETIC_MODEL } from './wire.js';
import { isDelegation, subagentOperationOf, toolOperationOf } from './tools.js';
import { unknown, type RecordContext, type Teller } from './teller.js';
import { finishFromContent } from './tell-result.js';

/** One content block of an assistant line, with the message and the line it belongs to. */
export interface AssistantBlock {
  readonly block: Fields;
  readonly message: Fields;
  readonly record: Fields;
}

export function tellBlock(teller: Teller, { block, message, record }: AssistantBlock, context: RecordContext): void {
  const written = message['model'] === SYNTHETIC_MODEL;
  if (!written && teller.seen.retries.length > 0) markRecovered(teller);
  if (!written && context.parent === undefined) goOn(teller, nameOf(message['id']));
  switch (block['type']) {
    case 'text': {
      const text = textOf(block['text']) ?? '';
      const error = nameOf(record['error']) ?? (record['isApiErrorMessage'] === true ? 'unknown' : undefined);
      if (error !== undefined) {
        if (context.parent === undefined) {
          teller.seen.apiError = error;
          teller.seen.apiErrors.push({ index: teller.events.length, behind: teller.seen.lastMessageId });
        }
        teller.emit({ type: 'error', message: text === '' ? error : text }, context);
      } else if (written) {
        // claude-code 2.1.197: output of a local slash command; fixtures/agents/claude-code/2.1.197/slash-builtin-run-1.
        if (text !== '') teller.emit({ type: 'context.injected', text, source: 'local-command' }, context);
      } else {
        if (context.parent !== undefined) teller.seen.lastWords.set(context.parent, text);
        teller.emit({ type: 'message', role: 'assistant', text }, context);
      }
      return;
    }
    case 'thinking':
      teller.emit({ type: 'thinking', text: textOf(block['thinking']) ?? '' }, context);
      return;
    case 'redacted_thinking':
      teller.emit({ type: 'thinking', text: '' }, context);
      return;
    case 'tool_use': case 'server_tool_use': case 'mcp_tool_use':
      return tellCall(teller, block, nameOf(message['id']), context);
    default: {
      const type = nameOf(block['type']);
      // The Messages API answers its own tools inside the assistant message.
      if (type?.endsWith('_tool_result') === true && nameOf(block['tool_use_id']) !== undefined) {
        return finishFromContent(teller, { block, result: undefined }, context);
      }
      unknown(teller, context, `unknown content block ${JSON.stringify(type ?? null)} in an assistant message`);
    }
  }
}

function tellCall(teller: Teller, block: Fields, messageId: string | undefined, context: RecordContext): void {
  const operationId = nameOf(block['id']);
  const name = nameOf(block['name']);
  if (operationId === undefined || name === undefined) return unknown(teller, context, 'tool call without an id or a name');
  const { operations, seen } = teller;
  const open = operations.open.get(operationId);
  if (open !== undefined && open.messageId === messageId) return;
  const delegation = isDelegation(name);
  const operation = delegation ? subagentOperationOf(block['input']) : toolOperationOf(name, block['input']);
  if (operation.kind === 'tool' && operation.command === undefined) seen.unknownTools.add(name);
  if (delegation) {
    seen.delegated = true;
    if (context.parent !== undefined) seen.nestedDelegation = true;
  }
  operations.ended.delete(operationId);
  operations.open.set(operationId, {
    name,
    kind: operation.kind,
    startedIndex: teller.events.length,
    messageId,
    input: fieldsOf(block['input']),
    background: false,
  });
  teller.emit({ type: 'operation.started', operationId, operation }, context);
}

/**
 * Another message of the conversation: the CLI got over the failure before it. claude-code 2.1.197 does where a connection breaks behind a whole
 * tool call; fixtures/agents/claude-code/2.1.197/cut-behind-call.
 */
function goOn({ seen, events }: Teller, messageId: string | undefined): void {
  for (const { index, behind } of seen.apiErrors) {
    const failure = events[index];
    if (behind !== messageId && failure?.type === 'error') events[index] = { ...failure, recovered: true };
  }
  seen.apiErrors = seen.apiErrors.filter(({ behind }) => behind === messageId);
  if (messageId !== undefined) seen.lastMessageId = messageId;
}

/** The service answered after all, so the retries before it were got over. */
function markRecovered(teller: Teller): void {
  for (const index of teller.seen.retries) {
    const retry = teller.events[index];
    if (retry?.type === 'error') teller.events[index] = { ...retry, recovered: true };
  }
  teller.seen.retries = [];
}
