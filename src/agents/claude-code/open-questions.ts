import { fieldsOf, listOf, nameOf, type Fields } from '../fields.js';

/** The requests to a person that stand unanswered, as far as stdout shows: the answers themselves are on stdin. */
export interface OpenQuestions {
  /** A `control_request`, or one that is taken back. */
  take(record: Fields): void;
  /** A line of the conversation: the result of the call that was asked about ends the question. */
  answered(record: Fields): void;
  clear(): void;
  stand(): boolean;
}

export function createOpenQuestions(): OpenQuestions {
  /** By request; the call it is about, when it names one. */
  const open = new Map<string, string | undefined>();
  return {
    take(record) {
      const id = nameOf(record['request_id']) ?? '';
      if (record['type'] === 'control_cancel_request') return void open.delete(id);
      const request = fieldsOf(record['request']);
      if (request?.['subtype'] === 'can_use_tool') open.set(id, nameOf(request['tool_use_id']));
    },
    answered(record) {
      if (open.size === 0) return;
      const content = listOf(fieldsOf(record['message'])?.['content']);
      const ended = new Set(content.map((block) => fieldsOf(block)?.['tool_use_id']));
      // A request that names no call is answered by whatever comes next.
      for (const [id, call] of open) if (call === undefined || ended.has(call)) open.delete(id);
    },
    clear: () => open.clear(),
    stand: () => open.size > 0,
  };
}
