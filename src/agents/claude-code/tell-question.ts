import { boundedJson } from '../json-line.js';
import type { InputRequest } from '../../evidence/events.js';
import { unknown, type RecordContext, type Teller } from './teller.js';
import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';

/** The choices of an approval, the same for every CLI. */
const APPROVAL_OPTIONS = [{ id: 'approve', label: 'Approve' }, { id: 'deny', label: 'Deny' }] as const;

/** A control request that asks a person: one event for an approval, one for each question of AskUserQuestion. */
export function tellQuestion(teller: Teller, record: Fields, context: RecordContext): void {
  const request = fieldsOf(record['request']);
  const id = nameOf(record['request_id']);
  if (request?.['subtype'] !== 'can_use_tool') {
    return unknown(teller, context, `unknown control request ${JSON.stringify(nameOf(request?.['subtype']) ?? null)}`);
  }
  const parent = context.parent ?? parentOfCall(teller, nameOf(request['tool_use_id']));
  for (const asked of requestsOf(request, id)) teller.emit({ type: 'input.requested', request: asked }, { ...context, parent });
}

/** A request does not say which subagent makes it; the call that it is about does. */
function parentOfCall(teller: Teller, id: string | undefined): string | undefined {
  const started = id === undefined ? undefined : teller.events.findLast((event) => event.type === 'operation.started' && event.operationId === id);
  return started?.parentOperationId;
}

function requestsOf(request: Fields, id: string | undefined): readonly InputRequest[] {
  const action = nameOf(request['tool_name']);
  const base = {
    ...(action === undefined ? {} : { action }),
    ...(request['input'] === undefined ? {} : { input: boundedJson(request['input']) }),
  };
  const questions = action === 'AskUserQuestion' ? listOf(fieldsOf(request['input'])?.['questions']).map(fieldsOf) : [];
  if (questions.length === 0) {
    const prompt = nameOf(request['description']) ?? nameOf(request['title']);
    return [{ ...(id === undefined ? {} : { id }), ...base, ...(prompt === undefined ? {} : { prompt }), options: APPROVAL_OPTIONS }];
  }
  return questions.map((question, index) => {
    const prompt = textOf(question?.['question']);
    // Several questions come in one control request; each gets an id of its own to be answered by.
    const own = id === undefined ? undefined : questions.length === 1 ? id : `${id}#${index}`;
    return { ...(own === undefined ? {} : { id: own }), ...base, ...(prompt === undefined ? {} : { prompt }), options: optionsOf(question) };
  });
}

function optionsOf(question: Fields | undefined): { readonly id: string; readonly label: string }[] {
  return listOf(question?.['options']).flatMap((option) => {
    const label = nameOf(fieldsOf(option)?.['label']) ?? nameOf(option);
    return label === undefined ? [] : [{ id: label, label }];
  });
}
