import type { JsonValue } from '../evidence/json.js';
import type { Usage } from '../evidence/usage.js';
import type { JudgePrompt } from './material.js';
import type { JudgeChoice } from './question.js';
import type { JudgeReply } from './reply.js';

/** One way to ask a model over HTTP. Pure: it makes requests and reads answers, and sends nothing. */
export interface JudgeWire {
  /** The ways to ask for an answer of a form, the best one first. The others are for servers that refuse it. */
  readonly forms: readonly JudgeForm[];
  headers(key: string): Readonly<Record<string, string>>;
  /** What a successful answer says. Never throws. */
  read(body: JsonValue, choices: readonly JudgeChoice[]): JudgeReading;
}

export interface JudgeForm {
  /** The body of the request. */
  body(model: string, prompt: JudgePrompt): object;
  /** Whether a refusal (400 or 422) with this message is about the form, so that the next one is worth a try. */
  isRefusedBy(message: string): boolean;
}

export interface JudgeReading {
  readonly reply: JudgeReply;
  /** Tokens only; empty when the endpoint does not tell. */
  readonly usage: Usage;
  /** The model that answered, as the endpoint calls it. `undefined`: not told. */
  readonly model?: string;
}
