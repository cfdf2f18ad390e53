import type { AgentSession, InputFile, TurnInput } from '../agents/agent.js';
import { ClaimAuthoringError } from '../assert/errors.js';
import { judgeInputRequest, type InputRequestFilter, type PendingInput } from '../assert/input-claims.js';
import type { ClaimLedger } from '../assert/ledger.js';
import type { RespondAnswer, SendInput } from '../define/context.js';
import { isJsonObject } from '../evidence/json.js';
import type { InputRequest } from '../evidence/events.js';
import { responsesOf, sameResponseFor, wordsOfResponses } from './answers.js';
import type { EvidenceLog } from './evidence-log.js';
import { inputFileOf } from './input-file.js';
import type { TurnRecord } from './result.js';

/** What a conversation needs of its Attempt. */
export interface ConversationOptions {
  /** For messages. */
  readonly title: string;
  readonly session: AgentSession;
  readonly log: EvidenceLog;
  readonly claims: ClaimLedger;
  /** Relative paths of files to show start in its folder. */
  readonly evalFile: string;
  /** Sends one message and records the turn. `fits` is asked when its turn has come; what it throws keeps it from being sent. */
  readonly send: (input: TurnInput, session: AgentSession, fits: () => void) => Promise<TurnRecord>;
}

/** One line of conversation, as the author drives it. */
export interface Conversation {
  send(input: SendInput): Promise<TurnRecord>;
  sendFile(path: string, text?: string): Promise<TurnRecord>;
  requireInputRequest(filter?: InputRequestFilter): InputRequest;
  respond(answers: readonly RespondAnswer[]): Promise<TurnRecord>;
  respondAll(optionId: string): Promise<TurnRecord>;
}

/** Drives one session: messages, and answers to what the agent asks. */
export function createConversation({ title, session, log, claims, evalFile, send }: ConversationOptions): Conversation {
  const pending = (): PendingInput => {
    const last = log.turns.filter((turn) => turn.session === session.ordinal).at(-1);
    const waits = last?.status === 'waiting';
    return {
      session: title,
      status: last?.status,
      coverage: last?.coverage ?? log.declared,
      requests: waits ? last.events.flatMap((event) => (event.type === 'input.requested' ? [event.request] : [])) : [],
    };
  };
  const claimed = (filter?: InputRequestFilter): InputRequest | undefined => {
    const { description, outcome, request } = judgeInputRequest(pending(), filter);
    const stop = claims.decided(description, outcome);
    if (stop !== undefined) throw stop;
    return request;
  };
  /** An agent that did not ask did not do what the test is about: that is a claim, not a mistake of the author. */
  const openRequests = (): readonly InputRequest[] => {
    const { requests } = pending();
    if (requests.length === 0) claimed();
    return requests;
  };
  const answer = (responses: NonNullable<TurnInput['responses']>): Promise<TurnRecord> => send({ text: wordsOfResponses(responses), responses }, session, () => {
    // Another answer, sent and not waited for, may have been first.
    const open = pending().requests;
    if (responses.some(({ request }) => !open.includes(request))) throw new ClaimAuthoringError('respond(...) came too late: what it answers is not asked any more. Put `await` before the call that came first.');
  });
  const say = async (input: SendInput): Promise<TurnRecord> => {
    const turn = await turnInputOf(input, evalFile);
    return send(turn, session, () => {
      if (pending().status === 'waiting') throw new ClaimAuthoringError(`${title} waits for an answer. Use respond(...), respondAll(...) or newSession() instead of send(...).`);
    });
  };
  return {
    send: say,
    sendFile: (path, text) => say({ text: text ?? `See ${path.split('/').at(-1) ?? path}.`, files: [path] }),
    requireInputRequest: (filter) => claimed(filter) as InputRequest,
    respond: async (answers) => answer(responsesOf(openRequests(), answers)),
    respondAll: async (optionId) => answer(sameResponseFor(openRequests(), optionId)),
  };
}

const KEYS = ['text', 'files', 'schema'];

async function turnInputOf(input: SendInput, evalFile: string): Promise<TurnInput> {
  if (typeof input === 'string') return { text: checkedText(input) };
  const given = input as unknown;
  if (!isJsonObject(given)) throw new ClaimAuthoringError('send(...) needs a text, or { text, files?, schema? }.');
  const unknown = Object.keys(given).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw new ClaimAuthoringError(`send(...) does not know the field "${unknown}". It knows ${KEYS.join(', ')}.`);
  const { text, files = [], schema } = input;
  if (!Array.isArray(files)) throw new ClaimAuthoringError('The `files` of send(...) are a list of paths or of { name, mediaType, data }.');
  if (schema !== undefined && !isJsonObject(schema)) throw new ClaimAuthoringError('The `schema` of send(...) is a JSON Schema object.');
  const shown: InputFile[] = [];
  for (const file of files as readonly (string | InputFile)[]) shown.push(await inputFileOf(file, evalFile));
  return { text: checkedText(text), ...(shown.length === 0 ? {} : { files: shown }), ...(schema === undefined ? {} : { schema }) };
}

function checkedText(text: unknown): string {
  if (typeof text !== 'string' || text.trim() === '') throw new ClaimAuthoringError('send(...) needs a text that is not blank.');
  return text;
}
