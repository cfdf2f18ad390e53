import type { InputResponse } from '../agents/agent.js';
import { ClaimAuthoringError } from '../assert/errors.js';
import type { RespondAnswer } from '../define/context.js';
import type { InputRequest } from '../evidence/events.js';
import { show } from '../expect/match.js';

/**
 * Pairs answers with the requests that are open.
 *
 * @throws ClaimAuthoringError unless every open request gets exactly one answer that it can take.
 */
export function responsesOf(open: readonly InputRequest[], answers: readonly RespondAnswer[]): readonly InputResponse[] {
  if (answers.length === 0) throw new ClaimAuthoringError('respond(...) needs an answer.');
  const responses = answers.map((answer) => responseOf(open, answer));
  const answered = responses.map(({ request }) => request);
  const twice = answered.find((request, index) => answered.indexOf(request) !== index);
  if (twice !== undefined) throw new ClaimAuthoringError(`respond(...) answers one request twice: ${show(twice)}.`);
  const left = open.filter((request) => !answered.includes(request));
  if (left.length > 0) throw new ClaimAuthoringError(`respond(...) must answer everything that is asked; left open: ${left.map((request) => show(request)).join(', ')}.`);
  return responses;
}

/** The same option for every open request. @throws ClaimAuthoringError when one of them does not have it. */
export function sameResponseFor(open: readonly InputRequest[], optionId: string): readonly InputResponse[] {
  return open.map((request) => ({ request, optionId: checkedOption(request, optionId) }));
}

/** What was answered, in words. */
export function wordsOfResponses(responses: readonly InputResponse[]): string {
  return responses.map(({ request, optionId, text }) => {
    const words = text ?? request.options?.find(({ id }) => id === optionId)?.label ?? optionId;
    return responses.length > 1 && request.prompt !== undefined ? `${request.prompt} ${words}` : words;
  }).join('\n');
}

function responseOf(open: readonly InputRequest[], answer: RespondAnswer): InputResponse {
  if (typeof answer === 'string') {
    const [request] = open;
    if (request === undefined || open.length !== 1) throw new ClaimAuthoringError(`respond(${show(answer)}) fits one open request; there are ${open.length}. Use respond({ request, optionId }) for each.`);
    return request.options?.some(({ id }) => id === answer) === true ? { request, optionId: answer } : { request, text: checkedText(request, answer) };
  }
  const given = answer as { readonly request?: InputRequest; readonly optionId?: unknown; readonly text?: unknown } | null | undefined;
  const request = open.find((one) => one === given?.request) ?? open.find(({ id }) => id !== undefined && id === given?.request?.id);
  if (request === undefined) throw new ClaimAuthoringError(`respond(...) was given an answer to something that is not asked now: ${show(given?.request)}. Take the request from requireInputRequest().`);
  if ((given?.optionId === undefined) === (given?.text === undefined)) throw new ClaimAuthoringError('An answer has either an `optionId` or a `text`.');
  if (given?.optionId !== undefined) return { request, optionId: checkedOption(request, given.optionId) };
  return { request, text: checkedText(request, given?.text) };
}

function checkedOption(request: InputRequest, optionId: unknown): string {
  const ids = request.options?.map(({ id }) => id) ?? [];
  if (typeof optionId !== 'string' || !ids.includes(optionId)) {
    throw new ClaimAuthoringError(`The request ${show(request.prompt ?? request.action ?? request.id)} has no option ${show(optionId)}. It has: ${ids.map((id) => show(id)).join(', ') || 'none'}.`);
  }
  return optionId;
}

function checkedText(request: InputRequest, text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '') throw new ClaimAuthoringError('An answer in words is not blank.');
  if (isApproval(request)) throw new ClaimAuthoringError(`The request ${show(request.prompt ?? request.action ?? request.id)} wants a decision: answer with "approve" or "deny", not with ${show(text)}.`);
  return text;
}

/** A request for leave to do something has these two options and no others, whichever CLI asks. */
function isApproval({ options = [] }: InputRequest): boolean {
  return options.length === 2 && options.some(({ id }) => id === 'approve') && options.some(({ id }) => id === 'deny');
}
