import type { JsonObject } from '../evidence/json.js';
import { ScriptError } from './errors.js';
import { scriptProblemsOf } from './script-problem.js';
import { scriptSchema } from './script-schema.js';

/** What a scripted model says, turn after turn. It names no vendor and plays over any protocol. */
export interface Script {
  readonly format: 'niceeval.script/v1';
  readonly lanes: readonly Lane[];
}

/** One conversation of a script: the main one, a subagent, a request of the CLI's own. */
export interface Lane {
  /** Unique in its script. */
  readonly name: string;
  /** Which requests the lane answers. Without it: every request that no other lane takes. */
  readonly when?: LaneCondition;
  readonly turns: readonly Turn[];
}

/** All parts that are present must hold. Text is compared as it is, letter case included. */
export interface LaneCondition {
  /** Part of what the user, or an agent that delegated, said before the model first spoke. */
  readonly firstUserIncludes?: string;
  /** Part of what the user said last, tool results not counted. */
  readonly lastUserIncludes?: string;
  /** Part of the system prompt, or of what a developer message says. */
  readonly systemIncludes?: string;
  /** A tool that the request offers. */
  readonly hasTool?: string;
  /** A tool that the request does not offer. */
  readonly lacksTool?: string;
  /** Whether the user has shown an image so far. */
  readonly hasImage?: boolean;
  /** The model that the request asks for, whole. */
  readonly model?: string;
  /**
   * Who asks, where the CLI tells: `main`, `subagent` for every other one, or the name of one of them. Codex names its subagents, such as
   * `/root/look_at_a`; Claude Code gives each a new id.
   */
  readonly agent?: string;
}

/** What the request of a turn must be like. */
export interface TurnExpectation extends LaneCondition {
  /** Part of what tools told since the model last spoke. */
  readonly toolResultIncludes?: string;
}

/** The answer to one request. */
export type Turn = AnswerTurn | ErrorTurn;

/** When a turn is played. */
export interface TurnPace {
  /** Milliseconds before the first byte. Default: none. */
  readonly delayMs?: number;
  /** How many requests the turn answers before the lane moves on. Default: 1. */
  readonly repeat?: number;
  /** A request that does not fit is told so, and the turn is not played. Default: every request of the lane fits. */
  readonly expects?: TurnExpectation;
}

/** A turn in which the model answers. Order on the wire: thinking, text, tool calls. */
export interface AnswerTurn extends TurnPace {
  readonly thinking?: string;
  /** An empty text is an answer without content. */
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Default: 10 input tokens, 5 output tokens. */
  readonly usage?: TurnUsage;
  /** Default: `tool_use` when the turn calls a tool, else `end_turn`. */
  readonly stopReason?: StopReason;
  /** Milliseconds after each event of a streamed answer. Default: none. */
  readonly chunkDelayMs?: number;
  /** The connection is cut after so many events of a streamed answer; an unstreamed answer is cut before its body. */
  readonly cutAfterEvents?: number;
  /** The answer goes silent and stays open: before its first byte, or after `cutAfterEvents` events. */
  readonly stall?: boolean;
  readonly error?: never;
}

/** A turn in which the service fails. */
export interface ErrorTurn extends TurnPace {
  readonly error: TurnError;
}

/** A tool call. An input of type string means a free-form tool (Responses API only). */
export interface ScriptedToolCall {
  /** Default: made from the lane and turn. */
  readonly id?: string;
  readonly name: string;
  readonly input: JsonObject | string;
}

/** Tokens that a turn reports. The input buckets exclude each other; `reasoningTokens` is a part of `outputTokens`. */
export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheCreationTokens?: number;
  readonly reasoningTokens?: number;
}

/** The failure of a service, told in the shape of the vendor whose protocol is spoken. */
export interface TurnError {
  /** HTTP status, 400 to 599. */
  readonly status: number;
  /** The vendor's word for the kind. Default: what the vendor says for the status. */
  readonly type?: string;
  readonly message?: string;
  /** Sent as the `retry-after` header. */
  readonly retryAfterSeconds?: number;
}

/** Why the model stopped. */
export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal';

/**
 * Reads a script file. The short form, `turns` without lanes, becomes one lane named `main`.
 *
 * @param text The file's text: JSON.
 * @param scriptName What people call the file; every message begins with it.
 * @throws ScriptError that lists every problem found, each with its place and a remedy.
 */
export function parseScript(text: string, scriptName: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ScriptError(scriptName, [`the text is not JSON (${reason}). Mend the JSON at that place.`], { cause });
  }
  return scriptOf(value, scriptName);
}

/** As {@link parseScript}, for a value that is already out of its JSON. */
export function scriptOf(value: unknown, scriptName: string): Script {
  const read = scriptSchema.safeParse(value);
  if (read.success) return read.data;
  throw new ScriptError(scriptName, scriptProblemsOf(read.error.issues, value));
}
