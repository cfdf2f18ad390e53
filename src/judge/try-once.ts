import { isJsonObject, parseJson, type JsonValue } from '../evidence/json.js';
import type { Usage } from '../evidence/usage.js';
import { startDeadline } from '../lifetime/deadline.js';
import type { JudgeUnavailableCode } from './answer.js';
import type { CompleteJudgeConfig } from './config.js';
import { LONGEST_RESPONSE_BYTES, postJson, type JudgeExchange } from './exchange.js';
import type { JudgePrompt } from './material.js';
import type { JudgeForm, JudgeWire } from './protocol.js';
import { shownText } from './shown-text.js';

/** One request to the judge's endpoint. */
export interface JudgeTry {
  readonly config: CompleteJudgeConfig;
  readonly wire: JudgeWire;
  readonly form: JudgeForm;
  readonly prompt: JudgePrompt;
  readonly key: string;
  readonly fetch: typeof fetch;
  /** The end of the whole measurement. */
  readonly signal: AbortSignal;
  /** Milliseconds for this try. */
  readonly limitMs: number;
}

export interface TrySuccess {
  readonly kind: 'chosen';
  readonly choice: string;
  readonly rationale: string;
  readonly model?: string;
  readonly usage: Usage;
}

export interface TryFailure {
  readonly kind: 'failed';
  readonly code: JudgeUnavailableCode;
  /** A sentence for people, without the key. */
  readonly reason: string;
  readonly usage: Usage;
  /** Whether the same may go well later, or at once in another form, or never. */
  readonly again: 'later' | 'other-form' | 'never';
  /** Milliseconds that the endpoint asks to wait. */
  readonly retryAfterMs?: number;
}

const LONGEST_RATIONALE = 4_000;
const LONGEST_MESSAGE = 400;

/** Sends one request and reads what comes back. Never rejects. */
export async function tryOnce(call: JudgeTry): Promise<TrySuccess | TryFailure> {
  const { config, wire, form, prompt, key } = call;
  const deadline = startDeadline(call.limitMs, { budget: 'judge try', parent: call.signal });
  try {
    const exchange = await postJson(config.endpoint, {
      headers: wire.headers(key), body: form.body(config.model, prompt), signal: deadline.signal, fetch: call.fetch,
    });
    if (exchange.kind !== 'answered') return brokenTry(call, exchange, deadline.signal.aborted);
    return exchange.status >= 200 && exchange.status < 300 ? readTry(call, exchange.text) : refusedTry(call, exchange);
  } finally {
    deadline.close();
  }
}

function readTry({ config, wire, prompt, key }: JudgeTry, text: string): TrySuccess | TryFailure {
  const body = parseJson(text);
  const who = `The judge "${config.model}"`;
  if (body === undefined) {
    return failed('judge-answer-unreadable', `${who} cannot be understood: ${config.endpoint} answered with something that is not JSON.`, { again: 'later', usage: { requests: 1 } });
  }
  const { reply, usage: tokens, model } = wire.read(body, prompt.choices);
  const usage = { ...tokens, requests: 1 };
  switch (reply.kind) {
    case 'chosen':
      return {
        kind: 'chosen',
        choice: reply.choice,
        rationale: shownText(reply.rationale, { key, longest: LONGEST_RATIONALE }),
        usage,
        ...(model !== undefined && { model: shownText(model, { key, longest: 200 }) }),
      };
    case 'refused':
      return failed('judge-refused', `${who} refused to judge: ${ended(shownText(reply.reason, { key, longest: LONGEST_MESSAGE }))}`, { again: 'never', usage });
    case 'unreadable': {
      // Some servers answer with status 200 and an error.
      const told = isJsonObject(body) && isJsonObject(body.error) ? ` (it says: ${messageIn(body)})` : '';
      return failed('judge-answer-unreadable', `${who} cannot be understood: ${ended(shownText(`${reply.reason}${told}`, { key, longest: LONGEST_MESSAGE }))}`, { again: 'later', usage });
    }
  }
}

function refusedTry({ config, form, key }: JudgeTry, { status, text, retryAfterMs }: Extract<JudgeExchange, { kind: 'answered' }>): TryFailure {
  const message = messageIn(parseJson(text) ?? text);
  const told = shownText(message.replace(/\s+/g, ' ').trim(), { key, longest: LONGEST_MESSAGE });
  const advice = status === 401 || status === 403 ? ` Look at the key in ${config.apiKeyEnv}.` : '';
  const isPassing = status === 408 || status === 409 || status === 429 || status >= 500;
  const isForm = (status === 400 || status === 422) && form.isRefusedBy(message);
  return failed('judge-call-failed', `The judge "${config.model}" could not be asked: ${config.endpoint} answered with status ${status}${ended(told === '' ? '' : `: ${told}`)}${advice}`, {
    again: isPassing ? 'later' : isForm ? 'other-form' : 'never',
    usage: { requests: 1 },
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
}

function brokenTry({ config, key, limitMs }: JudgeTry, exchange: Exclude<JudgeExchange, { kind: 'answered' }>, isLate: boolean): TryFailure {
  const what = `The judge "${config.model}" could not be asked: ${config.endpoint}`;
  switch (exchange.kind) {
    case 'redirected':
      return failed('judge-call-failed', `${what} answered with a redirect (status ${exchange.status}), and the key goes nowhere else. Set \`baseUrl\` to where it leads.`, { again: 'never', usage: { requests: 1 } });
    case 'too-big':
      return failed('judge-call-failed', `${what} answered with more than ${LONGEST_RESPONSE_BYTES} bytes.`, { again: 'never', usage: { requests: 1 } });
    case 'broken': {
      const usage = exchange.hasResponse ? { requests: 1 } : {};
      if (isLate) return failed('judge-timeout', `${what} did not answer within ${limitMs} ms, which is the part of \`timeoutMs\` for one try. Raise it, or choose a faster model.`, { again: 'later', usage });
      return failed('judge-call-failed', `${what} could not be reached, or broke off: ${ended(shownText(exchange.reason, { key, longest: LONGEST_MESSAGE }))}`, { again: 'later', usage });
    }
  }
}

function failed(code: JudgeUnavailableCode, reason: string, rest: Pick<TryFailure, 'again' | 'usage' | 'retryAfterMs'>): TryFailure {
  return { kind: 'failed', code, reason, ...rest };
}

/** With a full stop, where the endpoint's words do not end in one. */
function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** What an endpoint says about an error, in one of the places where they say it. */
function messageIn(body: JsonValue): string {
  if (typeof body === 'string') return body;
  if (!isJsonObject(body)) return '';
  const { error, message, detail } = body;
  const inner = isJsonObject(error) ? error.message : error;
  const found = [inner, message, detail].find((text) => typeof text === 'string');
  return typeof found === 'string' ? found : JSON.stringify(body);
}
