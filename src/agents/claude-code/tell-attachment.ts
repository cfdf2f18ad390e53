import { textOfContent } from './tell-result.js';
import type { RecordContext, Teller } from './teller.js';
import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';

/** Attachments of a session file: what the CLI put into the context beside the conversation. */
export function tellAttachment(teller: Teller, record: Fields, context: RecordContext): void {
  const attachment = fieldsOf(record['attachment']) ?? {};
  const type = nameOf(attachment['type']) ?? 'unknown';
  switch (type) {
    // Not seen by the model, or told by another record.
    case 'command_permissions': case 'structured_output': case 'max_turns_reached': case 'hook_cancelled':
      return;
    case 'hook_success': {
      // claude-code 2.1.197: what the hook printed, whether or not it reached the model; the injected part is `content`.
      const text = nameOf(attachment['content']);
      if (text !== undefined) teller.emit({ type: 'context.injected', text, source: `hook:${nameOf(attachment['hookEvent']) ?? 'unknown'}` }, context);
      return;
    }
    case 'hook_blocking_error': case 'hook_non_blocking_error': case 'hook_error_during_execution': {
      const message = textOf(fieldsOf(attachment['blockingError'])?.['blockingError']) ?? textOf(attachment['stderr']) ?? textOf(attachment['content']) ?? type;
      teller.emit({ type: 'error', message: `${nameOf(attachment['hookName']) ?? 'A hook'}: ${message.trim()}`, recovered: true }, context);
      return;
    }
    case 'queued_command': {
      const text = textOf(attachment['prompt']) ?? textOfContent(attachment['prompt']);
      teller.seen.promptStated = true;
      if (teller.options.emitPrompt) teller.emit({ type: 'message', role: 'user', text }, context);
      return;
    }
    default:
      teller.emit({ type: 'context.injected', text: textOfAttachment(attachment), source: sourceOf(type, attachment) }, context);
  }
}

function sourceOf(type: string, attachment: Fields): string {
  return type === 'hook_additional_context' ? `hook:${nameOf(attachment['hookEvent']) ?? 'unknown'}` : `attachment:${type}`;
}

function textOfAttachment(attachment: Fields): string {
  const content = attachment['content'];
  if (typeof content === 'string') return content;
  const lines = listOf(content ?? attachment['addedLines']).filter((line) => typeof line === 'string');
  if (lines.length > 0) return lines.join('\n');
  const inner = fieldsOf(content);
  const file = fieldsOf(inner?.['file']);
  return textOf(file?.['content']) ?? textOf(inner?.['content']) ?? stringify(attachment);
}

function stringify(attachment: Fields): string {
  try {
    return JSON.stringify(attachment);
  } catch {
    return '[left out: nested too deep]';
  }
}
