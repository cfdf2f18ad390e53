import type { InputRequest } from '../../evidence/events.js';
import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { boundedJson } from '../json-line.js';

/** The choices of an approval, the same for every CLI. */
export const APPROVAL_OPTIONS = [{ id: 'approve', label: 'Approve' }, { id: 'deny', label: 'Deny' }] as const;

/** One request for each question; several share the id of the call, so each gets its own part. */
export function questionsOf(id: string, action: string, questions: unknown): readonly InputRequest[] {
  return listOf(questions).map((value, index) => {
    const question = fieldsOf(value);
    const own = nameOf(question?.['id']) ?? (index === 0 ? undefined : String(index));
    const prompt = textOf(question?.['question']) ?? textOf(question?.['title']);
    const options = listOf(question?.['options']).flatMap((option) => {
      const label = nameOf(option) ?? nameOf(fieldsOf(option)?.['label']);
      return label === undefined ? [] : [{ id: label, label }];
    });
    return { id: own === undefined ? id : `${id}#${own}`, action, ...(prompt === undefined ? {} : { prompt }), options };
  });
}

/** What a request of an app-server asks a person; undefined for requests that ask nobody. */
export function requestsOf(method: string, id: string, params: Fields): readonly InputRequest[] | undefined {
  const reason = nameOf(params['reason']) ?? nameOf(params['message']);
  const prompt = reason === undefined ? {} : { prompt: reason };
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return [{ id, action: 'command_execution', input: { command: textOf(params['command']) ?? null, cwd: textOf(params['cwd']) ?? null }, ...prompt, options: APPROVAL_OPTIONS }];
    case 'item/fileChange/requestApproval':
      return [{ id, action: 'file_change', input: { itemId: textOf(params['itemId']) ?? null, grantRoot: textOf(params['grantRoot']) ?? null }, ...prompt, options: APPROVAL_OPTIONS }];
    case 'mcpServer/elicitation/request': {
      const meta = fieldsOf(params['_meta']);
      const tool = nameOf(meta?.['tool_name']);
      return [{
        id, action: tool === undefined ? 'elicitation' : `${nameOf(params['serverName']) ?? 'unknown'}.${tool}`,
        ...(meta?.['tool_params'] === undefined ? {} : { input: boundedJson(meta['tool_params']) }), ...prompt, options: APPROVAL_OPTIONS,
      }];
    }
    case 'item/tool/requestUserInput': return questionsOf(id, 'request_user_input', params['questions']);
    default: return undefined;
  }
}
