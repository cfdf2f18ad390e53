import type { InputFile, InputResponse, TurnInput } from '../agent.js';
import { AgentInputError } from '../errors.js';
import { fieldsOf, listOf, textOf, type Fields } from '../fields.js';

/** A `can_use_tool` request that waits for its answer. */
export interface OpenRequest {
  readonly id: string;
  /** The call that it is about. */
  readonly call: string | undefined;
  readonly tool: string | undefined;
  readonly input: Fields;
}

/**
 * What the CLI is told about one of its requests.
 *
 * @param responses Those that answer it: one for an approval, one for each question of AskUserQuestion.
 */
export function controlResponseOf(request: OpenRequest, responses: readonly InputResponse[]): Fields {
  const { id, tool, input } = request;
  const updatedInput = tool === 'AskUserQuestion' ? { ...input, answers: answersOf(input, responses) } : input;
  const response = isRefusal(request, responses) ? { behavior: 'deny', message: 'The user does not want this to be done.' } : { behavior: 'allow', updatedInput };
  return { type: 'control_response', response: { subtype: 'success', request_id: id, response } };
}

/** Whether the responses refuse what the request asks leave for. A question cannot be refused, only answered. */
export function isRefusal({ tool }: OpenRequest, responses: readonly InputResponse[]): boolean {
  return tool !== 'AskUserQuestion' && responses.some(({ optionId }) => optionId !== 'approve');
}

/** Whether a response answers this request; several questions of one request have ids of their own. */
export function answers({ id }: OpenRequest, { request }: InputResponse): boolean {
  return request.id === id || request.id?.startsWith(`${id}#`) === true;
}

function answersOf(input: Fields, responses: readonly InputResponse[]): Fields {
  const questions = listOf(input['questions']).map((question) => textOf(fieldsOf(question)?.['question']) ?? '');
  return Object.fromEntries(responses.map((response, index) => {
    const at = /#(\d+)$/.exec(response.request.id ?? '')?.[1];
    const question = questions[at === undefined ? index : Number(at)] ?? response.request.prompt ?? '';
    return [question, response.text ?? response.optionId];
  }));
}

/** The line by which a message and its files are said. @throws AgentInputError for a file that the model cannot be shown. */
export function userMessageOf({ text, files = [] }: TurnInput): Fields {
  const content = files.length === 0 ? text : [...files.map(blockOf), { type: 'text', text }];
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

function blockOf({ name, mediaType, data }: InputFile): Fields {
  const source = { type: 'base64', media_type: mediaType, data };
  if (IMAGES.includes(mediaType)) return { type: 'image', source };
  if (mediaType === 'application/pdf') return { type: 'document', source };
  throw new AgentInputError(`Claude Code cannot be shown "${name}" (${mediaType}): it takes PNG, JPEG, GIF, WebP and PDF. Put other files into the sandbox and name their path.`);
}
