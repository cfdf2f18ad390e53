import type { JsonObject } from '../evidence/json.js';
import type { Framing } from './framing.js';
import type { ProtocolName } from './protocol.js';
import type { AnswerTurn, TurnError, TurnUsage } from './script.js';

/** One protocol on the wire, as pure functions. It knows nothing of sockets, sessions or clocks. */
export interface Wire {
  readonly protocol: ProtocolName;
  /**
   * Reads what a client sent to the model endpoint. A string says why it is no request, for the client's eyes.
   *
   * @param target Path and query of the request. The Gemini API names the model and the way of answering there; the others need none.
   */
  readRequest(body: unknown, target?: string): ModelRequest | string;
  /** Whole or streamed, as the request asks. A string says why the protocol cannot carry the turn. */
  answer(request: ModelRequest, turn: AnswerTurn, ids: WireIds): Reply | string;
  /** An error body in the vendor's shape. `final` tells the client not to try again. */
  failure(error: TurnError, requestId: string, options?: { readonly final: boolean }): WholeReply;
}

/** What lanes, side requests and records ask of a request, whichever protocol it came by. */
export interface ModelRequest {
  readonly model: string;
  /** The client wants the answer event by event. */
  readonly stream: boolean;
  /** The events of a stream are wanted as the elements of one JSON array. Default: as server-sent events. */
  readonly asArray?: boolean;
  /** System prompt and developer messages. */
  readonly system: string;
  /** What the user said before the model first spoke. */
  readonly firstUser: string;
  /** What the user said last, tool results not counted. */
  readonly lastUser: string;
  /** The newest thing in the request. */
  readonly asked: { readonly kind: 'message' | 'tool result'; readonly text: string };
  /** How many messages and results of tools it holds. A client that asks again has told nothing new. */
  readonly heard: number;
  /** What tools told since the model last spoke. */
  readonly toolResults: string;
  /** Which agent of the client asks, by its own word. Absent: the main one, or the client does not tell. It is in no body. */
  readonly agent?: string;
  /** Names of the offered tools, those in namespaces included. */
  readonly tools: readonly string[];
  /** The user showed an image, in whichever message. */
  readonly hasImage: boolean;
  /** Set when the client asks on its own account and not for the conversation. */
  readonly side?: SideRequest;
  /** The body as it was sent. */
  readonly body: JsonObject;
}

/** A request that a CLI makes beside the conversation, with the answer it gets. */
export interface SideRequest {
  /** The request puts the user's words inside a prompt of the CLI, so that they do not tell who asks. */
  readonly quotesUser: boolean;
  readonly answer: AnswerTurn;
}

/** Names for the things of one answer. Equal for equal plays of a script. */
export interface WireIds {
  /** A fresh id, such as `msg_lane1t2_1` for `msg`. */
  next(prefix: string): string;
  /** Goes into the header by which the vendor names a request. */
  readonly requestId: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** An answer in one piece. */
export interface WholeReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json: JsonObject;
}

/** An answer event by event. */
export interface StreamReply {
  readonly status: 200;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: Iterable<JsonObject>;
  readonly framing: Framing;
}

export type Reply = WholeReply | StreamReply;

/** One server-sent event that is named by its `type`. */
export type WireEvent = JsonObject & { readonly type: string };

/** What a turn reports that does not say. */
export const DEFAULT_USAGE: TurnUsage = { inputTokens: 10, outputTokens: 5 };
