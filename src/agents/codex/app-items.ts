import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { splitShellWords } from './shell-words.js';

/**
 * Writes an app-server item as a rollout has it. Both carry the same items under the same ids; app-server spells them in
 * camel case, joins the words of commands and lists changes instead of keying them by path.
 */
export function rolloutItemOf(item: Fields): Fields {
  const type = nameOf(item['type']) ?? '';
  const base = { ...item, type: type.charAt(0).toUpperCase() + type.slice(1), status: STATUS.get(item['status']) ?? item['status'] };
  switch (type) {
    case 'userMessage': return base;
    case 'agentMessage': return { ...base, content: [{ type: 'Text', text: item['text'] }] };
    case 'reasoning': return { ...base, summary_text: item['summary'], raw_content: item['content'] };
    case 'commandExecution': {
      const text = textOf(item['command']) ?? '';
      return { ...base, command: splitShellWords(text) ?? text, aggregated_output: item['aggregatedOutput'], exit_code: item['exitCode'] };
    }
    case 'fileChange': return { ...base, changes: Object.fromEntries(listOf(item['changes']).map((value) => {
      const change = fieldsOf(value);
      const kind = fieldsOf(change?.['kind']);
      return [textOf(change?.['path']) ?? '', { type: nameOf(kind?.['type']) ?? nameOf(change?.['kind']), unified_diff: change?.['diff'] ?? null, move_path: kind?.['move_path'] ?? null }];
    })) };
    case 'mcpToolCall': return { ...base, error: item['error'] ?? undefined, result: item['result'] ?? undefined };
    case 'collabAgentToolCall': return {
      ...base, tool: snakeCase(nameOf(item['tool']) ?? 'unknown'), receiver_thread_ids: item['receiverThreadIds'], agents_states: item['agentsStates'],
    };
    case 'subAgentActivity': return { ...base, agent_thread_id: item['agentThreadId'], agent_path: item['agentPath'] };
    case 'exitedReviewMode': return { ...base, review_output: item['review'] ?? item['reviewOutput'] };
    default: return base;
  }
}

const STATUS: ReadonlyMap<unknown, string> = new Map([['inProgress', 'in_progress']]);

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
