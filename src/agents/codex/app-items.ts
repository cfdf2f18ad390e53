import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { splitShellWords } from './shell-words.js';

/**
 * Rewrites an app-server item as a rollout has it, in place. Both carry the same items under the same ids; app-server
 * spells them in camel case, joins the words of commands and lists changes instead of keying them by path.
 *
 * @param item Fresh from its line; nobody else reads it.
 */
export function rolloutItemOf(item: Fields): Fields {
  const written: { [key: string]: unknown } = item;
  const type = nameOf(item['type']) ?? '';
  written['type'] = type.charAt(0).toUpperCase() + type.slice(1);
  if (item['status'] === 'inProgress') written['status'] = 'in_progress';
  switch (type) {
    case 'agentMessage':
      written['content'] = [{ type: 'Text', text: item['text'] }];
      break;
    case 'reasoning':
      written['summary_text'] = item['summary'];
      written['raw_content'] = item['content'];
      break;
    case 'commandExecution': {
      const text = textOf(item['command']) ?? '';
      written['command'] = splitShellWords(text) ?? text;
      written['aggregated_output'] = item['aggregatedOutput'];
      written['exit_code'] = item['exitCode'];
      break;
    }
    case 'fileChange':
      written['changes'] = Object.fromEntries(listOf(item['changes']).map(changeByPath));
      break;
    case 'mcpToolCall':
      written['error'] ??= undefined;
      written['result'] ??= undefined;
      break;
    case 'collabAgentToolCall':
      written['tool'] = snakeCase(nameOf(item['tool']) ?? 'unknown');
      written['receiver_thread_ids'] = item['receiverThreadIds'];
      written['agents_states'] = item['agentsStates'];
      break;
    case 'subAgentActivity':
      written['agent_thread_id'] = item['agentThreadId'];
      written['agent_path'] = item['agentPath'];
      break;
    case 'exitedReviewMode':
      written['review_output'] = item['review'] ?? item['reviewOutput'];
      break;
    default:
  }
  return item;
}

function changeByPath(value: unknown): readonly [string, Fields] {
  const change = fieldsOf(value);
  const kind = fieldsOf(change?.['kind']);
  return [textOf(change?.['path']) ?? '', { type: nameOf(kind?.['type']) ?? nameOf(change?.['kind']), unified_diff: change?.['diff'] ?? null, move_path: kind?.['move_path'] ?? null }];
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
