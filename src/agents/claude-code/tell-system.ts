import { compactionFailure } from '../../evidence/compaction-failure.js';
import { finish } from './tell-result.js';
import { unknown, type RecordContext, type Teller } from './teller.js';
import { countOf, fieldsOf, nameOf, textOf, type Fields } from '../fields.js';
import { SILENT_SYSTEM_SUBTYPES } from './wire.js';

export function tellSystem(teller: Teller, record: Fields, context: RecordContext): void {
  const { operations, seen } = teller;
  const subtype = nameOf(record['subtype']);
  switch (subtype) {
    case 'init': return;
    case 'compact_boundary': {
      const facts = fieldsOf(record['compact_metadata'] ?? record['compactMetadata']) ?? {};
      const reason = nameOf(facts['trigger']);
      const before = countOf(facts['pre_tokens'] ?? facts['preTokens']);
      const after = countOf(facts['post_tokens'] ?? facts['postTokens']);
      seen.afterCompaction = true;
      teller.emit({
        type: 'compaction',
        ...(reason === undefined ? {} : { reason }),
        ...(before === undefined ? {} : { tokensBefore: before }),
        ...(after === undefined ? {} : { tokensAfter: after }),
      }, context);
      return;
    }
    case 'status':
      if (record['compact_result'] === 'failed') {
        teller.emit(compactionFailure(textOf(record['compact_error']) ?? 'no reason given'), context);
      }
      return;
    case 'api_retry': case 'api_error': {
      seen.retries.push(teller.events.length);
      teller.emit({ type: 'error', message: retryMessageOf(record) }, context);
      return;
    }
    case 'model_fallback':
      teller.emit({ type: 'error', message: textOf(record['content']) ?? 'The CLI went on with another model.', recovered: true }, context);
      return;
    case 'model_refusal_no_fallback':
      seen.refusal = nameOf(record['content']) ?? nameOf(record['api_refusal_explanation']) ?? 'The model refused to answer.';
      teller.emit({ type: 'error', message: seen.refusal }, context);
      return;
    case 'informational':
      if (record['prevent_continuation'] === true || record['preventContinuation'] === true) {
        seen.promptBlocked = textOf(record['content']) ?? 'A hook blocked the prompt.';
        teller.emit({ type: 'error', message: seen.promptBlocked }, context);
      }
      return;
    case 'hook_response': return tellHook(teller, record, context);
    case 'permission_denied': {
      const id = nameOf(record['tool_use_id']);
      if (id !== undefined) operations.denied.add(id);
      return;
    }
    case 'task_started':
      if (record['task_type'] === 'local_agent') {
        seen.delegated = true;
        const agentId = nameOf(record['task_id']);
        if (agentId !== undefined) seen.agentIds.add(agentId);
      }
      return;
    case 'task_notification': return tellTaskEnd(teller, record, context);
    case 'task_updated': return;
    default:
      if (subtype !== undefined && SILENT_SYSTEM_SUBTYPES.has(subtype)) return;
      unknown(teller, context, `unknown system subtype ${JSON.stringify(subtype ?? null)}`);
  }
}

/** Ends a call that ran on after its result line. The first notification counts; the CLI may repeat it. */
export function tellTaskEnd(teller: Teller, record: Fields, context: RecordContext): void {
  const operationId = nameOf(record['tool_use_id']);
  const call = operationId === undefined ? undefined : teller.operations.open.get(operationId);
  if (operationId === undefined || call?.background !== true) return;
  const summary = textOf(record['summary']);
  if (call.kind === 'subagent') {
    const status = record['status'] === 'completed' ? 'completed' : 'failed';
    const output = teller.seen.lastWords.get(operationId) ?? summary;
    finish(teller, operationId, { type: 'operation.finished', operationId, kind: 'subagent', status, ...(output === undefined ? {} : { output }) }, context);
    return;
  }
  // claude-code 2.1.197: `Background command "x" completed (exit code 0)`; the description may hold such words too, so the last counts.
  const exitCode = [...(summary ?? '').matchAll(/exit code (\d+)/g)].at(-1)?.[1];
  const failed = record['status'] !== 'completed' || (exitCode !== undefined && exitCode !== '0');
  finish(teller, operationId, {
    type: 'operation.finished',
    operationId,
    kind: 'tool',
    status: failed ? 'failed' : 'completed',
    ...(exitCode === undefined ? {} : { exitCode: Number(exitCode) }),
  }, context);
}

function tellHook(teller: Teller, record: Fields, context: RecordContext): void {
  const event = nameOf(record['hook_event']) ?? 'unknown';
  if (record['exit_code'] !== 0) return;
  if (teller.options.sessionTellsContext) return;
  const stdout = (textOf(record['stdout']) ?? '').trim();
  const text = injectedBy(event, stdout);
  if (text !== undefined) teller.emit({ type: 'context.injected', text, source: `hook:${event}` }, context);
}

// Claude Code hooks: JSON output injects `additionalContext`; plain output reaches the model for these two events only.
function injectedBy(event: string, stdout: string): string | undefined {
  if (stdout === '') return undefined;
  if (stdout.startsWith('{')) {
    try {
      const specific = fieldsOf(fieldsOf(JSON.parse(stdout))?.['hookSpecificOutput']);
      return nameOf(specific?.['additionalContext']);
    } catch {
      // Not JSON after all: plain output.
    }
  }
  return event === 'SessionStart' || event === 'UserPromptSubmit' ? stdout : undefined;
}

function retryMessageOf(record: Fields): string {
  const status = countOf(record['error_status']) ?? countOf(fieldsOf(record['error'])?.['status']);
  const name = nameOf(record['error']) ?? nameOf(fieldsOf(record['error'])?.['message']) ?? 'unknown';
  const attempt = countOf(record['attempt'] ?? record['retryAttempt']);
  const most = countOf(record['max_retries'] ?? record['maxRetries']);
  return `API request failed (${status === undefined ? 'no HTTP answer' : `HTTP ${status}`}, ${name}); retry ${attempt ?? '?'} of ${most ?? '?'}`;
}
