import { isJsonObject, parseJson } from '../../evidence/json.js';
import type { ProtocolName } from '../protocol.js';
import type { AnswerFacts, Dialect } from './answer-facts.js';
import { anthropicDialect } from './anthropic-dialect.js';
import { createBodySplitter } from './body-splitter.js';
import { chatDialect } from './chat-dialect.js';
import { geminiDialect } from './gemini-dialect.js';
import { responsesDialect } from './responses-dialect.js';

/** The head of an answer, as far as its reader needs it. */
export interface AnswerHead {
  /** `content-type`. Without a word in it that tells, the first byte of the body does. */
  readonly contentType?: string | undefined;
  /** The largest event or body that is kept to be read. Larger ones are skipped. Default: 8 MiB. */
  readonly maxBytes?: number;
}

/** Listens to an answer on its way through, without a content coding. */
export interface AnswerReader {
  /** Takes the next bytes of the body. They may be reused afterwards. Never throws. */
  write(chunk: Uint8Array): void;
  /** What is known from every byte so far. */
  readonly facts: AnswerFacts;
  /** The same as `facts` tell, and cheaper. */
  readonly complete: boolean;
  /** Call once, when nothing follows, be the answer whole or cut. Gives what is known in the end. Never throws. */
  end(): AnswerFacts;
}

const DONE = Buffer.from('[DONE]');
const MAX_BYTES = 8 * 1024 * 1024;

const DIALECTS: { readonly [protocol in ProtocolName]: Dialect } = {
  'anthropic-messages': anthropicDialect,
  'openai-responses': responsesDialect,
  'openai-chat': chatDialect,
  gemini: geminiDialect,
};

/**
 * Reads what an answer says of itself, streamed or whole. It holds one event or body at most. An event that cannot be read and may have
 * told of usage makes usage unknown: until the service tells all of it again, or for good where it tells it in pieces.
 */
export function createAnswerReader(protocol: ProtocolName, head: AnswerHead = {}): AnswerReader {
  const { contentType, maxBytes = MAX_BYTES } = head;
  const dialect = DIALECTS[protocol];
  let facts: AnswerFacts = { complete: false };
  let usageLost = false;
  /** The last event that tells all of the usage; it is read when somebody asks, or something else is told. */
  let latest: string | undefined;

  const lose = (name?: string): void => {
    if (name !== undefined && dialect.isWithoutUsage(name)) return;
    usageLost ||= dialect.usageInPieces;
    facts = withoutUsage(facts);
  };
  const readLatest = (name?: string): void => {
    if (latest === undefined) return;
    const said = parseJson(latest);
    latest = undefined;
    if (!isJsonObject(said)) return lose(name);
    facts = dialect.read(facts, said);
    if (usageLost) facts = withoutUsage(facts);
  };
  const splitter = createBodySplitter({ contentType, maxBytes }, {
    onPiece(bytes, name) {
      if (bytes.length === 0) return;
      if (bytes.length === DONE.length && bytes.equals(DONE)) {
        // Some relays end the streams of every protocol with it.
        if (dialect.endsWithDone) facts = { ...facts, complete: true };
        return;
      }
      const isNamed = facts.model !== undefined && facts.messageId !== undefined;
      const weight = isNamed ? dialect.weigh(bytes, name) : 'all';
      if (weight === 'nothing') return;
      if (weight === 'all') readLatest();
      latest = bytes.toString('utf8');
      if (weight === 'all') readLatest(name);
    },
    onSkipped(name) {
      readLatest();
      lose(name);
    },
  });

  return {
    write(chunk) {
      splitter.write(chunk);
      // A JSON body says by its syntax that it is whole, whatever is in it.
      if (splitter.isJson && facts.complete !== splitter.closed) facts = { ...facts, complete: splitter.closed };
    },
    get facts() {
      readLatest();
      return facts;
    },
    get complete() {
      return facts.complete;
    },
    end() {
      splitter.end();
      readLatest();
      return facts;
    },
  };
}

function withoutUsage(facts: AnswerFacts): AnswerFacts {
  if (facts.usage === undefined) return facts;
  const { usage: _, ...others } = facts;
  return others;
}
