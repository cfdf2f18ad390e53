import type { StreamEvent } from '../../evidence/events.js';
import type { TranscriptNotes } from '../transcript.js';
import { tellBlock } from './tell-assistant.js';
import { createOperations, type OpenCall, type Operations } from './operations.js';
import { tellSystem } from './tell-system.js';
import { tellUser } from './tell-user.js';
import { tellAttachment } from './tell-attachment.js';
import { tellQuestion } from './tell-question.js';
import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';

/** Where a record came from and what its surroundings say about it. */
export interface RecordContext {
  readonly source: string;
  readonly line: number;
  readonly witness: string | undefined;
  readonly at: string | undefined;
  /** The operation that the record happened inside. */
  readonly parent: string | undefined;
}

export interface TellerOptions {
  /** Tell the prompts that a witness states. Off in a run of the harness, which is their one producer. */
  readonly emitPrompt: boolean;
  /** The session file tells what hooks injected, so stdout must not tell it again. */
  readonly sessionTellsContext: boolean;
  /** Long tool outputs that the CLI put into files of their own, by file name. */
  readonly spills: ReadonlyMap<string, string>;
  /** Calls that an earlier turn left open. */
  readonly open: ReadonlyMap<string, OpenCall>;
}

/** Turns records into events, in the order in which they are handed over. */
export interface Teller {
  readonly events: StreamEvent[];
  readonly operations: Operations;
  readonly notes: TranscriptNotes;
  readonly options: TellerOptions;
  /** Channel-lowering facts seen on the way. */
  readonly seen: SeenFacts;
  /** Adds an event, which is the caller's to give away. */
  emit(event: StreamEvent, context: RecordContext): void;
  tell(record: Fields, context: RecordContext): void;
}

export interface SeenFacts {
  unknownTools: Set<string>;
  unknownPieces: number;
  promptStated: boolean;
  promptBlocked?: string;
  refusal?: string;
  apiError?: string;
  /** Ids of subagents, by the CLI's own agent id, that the record names. */
  readonly agentIds: Set<string>;
  /** Names of files that hold the rest of a tool's output. */
  readonly spilled: Set<string>;
  /** Operations inside which another delegation was started. */
  nestedDelegation: boolean;
  delegated: boolean;
  /** The last words of each subagent, by the call that started it. */
  readonly lastWords: Map<string, string>;
  /** Where retries stand that no answer followed yet. */
  retries: number[];
  /** Where failures of the service stand that the conversation has not gone on after, with the id of the message before them. */
  apiErrors: { readonly index: number; readonly behind: string | undefined }[];
  /** The id of the last message of the conversation itself. */
  lastMessageId?: string;
  afterCompaction: boolean;
}

/** Types that show that this is Claude Code's own output. */
const SPEAKING: ReadonlySet<unknown> = new Set([
  'assistant', 'user', 'system', 'result', 'stream_event', 'control_request', 'control_response', 'rate_limit_event',
]);

export function createTeller(notes: TranscriptNotes, options: TellerOptions): Teller {
  const events: StreamEvent[] = [];
  const teller: Teller = {
    events,
    operations: createOperations(options.open),
    notes,
    options,
    seen: {
      unknownTools: new Set(), unknownPieces: 0, promptStated: false, agentIds: new Set(), spilled: new Set(),
      nestedDelegation: false, delegated: false, lastWords: new Map(), retries: [], apiErrors: [], afterCompaction: false,
    },
    emit(event, context) {
      const facts: { at?: string; parentOperationId?: string; witness?: string } = event;
      if (context.at !== undefined) facts.at = context.at;
      if (context.parent !== undefined) facts.parentOperationId = context.parent;
      if (context.witness !== undefined) facts.witness = context.witness;
      events.push(event);
    },
    tell(record, context) {
      if (SPEAKING.has(record['type'])) notes.understood();
      switch (record['type']) {
        case 'assistant': {
          const message = fieldsOf(record['message']);
          if (message === undefined) return unknown(teller, context, 'assistant line without a message');
          const content = message['content'];
          const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
          for (const block of blocks) tellBlock(teller, { block: fieldsOf(block) ?? {}, message, record }, context);
          return;
        }
        case 'user': return tellUser(teller, record, context);
        case 'system': return tellSystem(teller, record, context);
        case 'attachment': return tellAttachment(teller, record, context);
        case 'control_request': return tellQuestion(teller, record, context);
        case 'result': case 'stream_event': case 'control_response': case 'control_cancel_request': case 'keep_alive':
        case 'rate_limit_event': case 'tool_progress': case 'tool_use_summary':
        case 'queue-operation': case 'last-prompt': case 'mode': case 'custom-title': case 'agent-name': case 'ai-title':
        case 'summary': case 'file-history-snapshot': case 'permission-mode': case 'pr-link': case 'tag': case 'relocated':
        case 'worktree-state': case 'progress':
          return;
        default:
          unknown(teller, context, `unknown type ${JSON.stringify(nameOf(record['type']) ?? textOf(record['type']) ?? null)}`);
      }
    },
  };
  return teller;
}

/** Keeps a piece that the parser does not know, and remembers that it may have been an event. */
export function unknown(teller: Teller, context: RecordContext, why: string): void {
  teller.seen.unknownPieces += 1;
  teller.notes.unrecognised(context.source, context.line, why);
}
