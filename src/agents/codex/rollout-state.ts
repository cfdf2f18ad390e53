import type { StreamEvent, SubagentOperation, ToolOperation } from '../../evidence/events.js';
import type { Draft } from '../draft.js';
import type { TranscriptNotes } from '../transcript.js';
import type { ModelCall } from './calls.js';
import type { RolloutLine, RolloutThread } from './rollout.js';
import { named, type ToolEnd } from './items.js';

/** Where a rollout line stands. */
export interface LineContext {
  readonly thread: RolloutThread;
  readonly line: RolloutLine;
  /** The operation that the whole thread happened inside. */
  readonly parent: string | undefined;
}

/** What is remembered while the rollouts of a process are told. */
export interface RolloutState {
  readonly events: StreamEvent[];
  readonly notes: TranscriptNotes;
  readonly emitPrompt: boolean;
  /** Set on every event; undefined when there is no other record. */
  readonly witness: string | undefined;
  /** Threads that have a file of their own. */
  readonly threads: ReadonlySet<string>;
  readonly startedBy: ReadonlyMap<string, string>;
  /** Threads that record what was said as events of its own, beside the model's history. */
  readonly speaking: ReadonlySet<string>;
  readonly calls: Map<string, ModelCall>;
  /** Index of the start of each operation among the events. */
  readonly started: Map<string, number>;
  readonly ended: Set<string>;
  readonly subagents: Set<string>;
  /** The running code-mode script of each thread: calls inside it name no other parent. */
  readonly scripts: Map<string, string>;
  readonly toldWords: Set<string>;
  readonly trails: Map<string, ThreadTrail>;
  readonly seen: RolloutFacts;
}

/** What a compaction needs to know of its thread. */
export interface ThreadTrail {
  /** Context size and response id of the last two responses. */
  readonly responses: { readonly id: string | undefined; readonly contextTokens: number }[];
  /** Somebody asked for the turn. A turn that nobody asked for is a compaction by hand. */
  asked: boolean | undefined;
  /** Index of a compaction whose new context size is not known yet. */
  compaction: number | undefined;
}

export interface RolloutFacts {
  promptStated: boolean;
  codeMode: boolean;
  unknownTools: Set<string>;
  unknownPieces: number;
  lastMessage?: string;
  model?: string;
  failure?: string;
  errorClass?: string;
  httpStatus?: number;
  completed: boolean;
  interrupted: boolean;
  /** Something of an answer of the root's turn is on record. */
  answered: boolean;
  /** An answer began, and the turn ended without anything of it. */
  answerLost: boolean;
  /** The thread tells items; otherwise it is of a version that recorded loose events. */
  paginated: boolean;
}

export function createRolloutState(
  notes: TranscriptNotes,
  known: Pick<RolloutState, 'emitPrompt' | 'startedBy' | 'threads' | 'witness'> & { readonly paginated: boolean; readonly speaking?: ReadonlySet<string>; readonly events?: StreamEvent[] },
): RolloutState {
  const { emitPrompt, startedBy, threads, witness, paginated, speaking = threads, events = [] } = known;
  return {
    emitPrompt, startedBy, threads, witness, speaking, events, notes, calls: new Map(), started: new Map(), ended: new Set(), subagents: new Set(), scripts: new Map(), toldWords: new Set(), trails: new Map(),
    seen: { promptStated: false, codeMode: false, unknownTools: new Set(), unknownPieces: 0, completed: false, interrupted: false, answered: false, answerLost: false, paginated },
  };
}

/** Operations without an end. */
export function openOf(state: RolloutState): ReadonlySet<string> {
  return new Set([...state.started.keys()].filter((id) => !state.ended.has(id)));
}

/** Adds an event, which is the caller's to give away, with what its line says about time and place. */
export function emit(state: RolloutState, event: StreamEvent, context: LineContext): void {
  const { parent, line: { at } } = context;
  const facts: { at?: string; parentOperationId?: string; witness?: string } = event;
  if (at !== undefined) facts.at = at;
  if (parent !== undefined) facts.parentOperationId = parent;
  if (state.witness !== undefined) facts.witness = state.witness;
  state.events.push(event);
}

/** Starts an operation, or refines one that was started from the model's call. */
export function start(state: RolloutState, operationId: string, operation: ToolOperation | SubagentOperation, context: LineContext): void {
  const index = state.started.get(operationId);
  const known = index === undefined ? undefined : state.events[index];
  if (index !== undefined && known?.type === 'operation.started') {
    if (known.operation.kind === 'tool' && operation.kind === 'tool') (known as Draft<typeof known>).operation = refined(known.operation, operation);
    return;
  }
  if (operation.kind === 'subagent') state.subagents.add(operationId);
  state.started.set(operationId, state.events.length);
  emit(state, { type: 'operation.started', operationId, operation }, inside(parentOf(state, operationId, context), context));
}

/** Ends an operation once. The ending is the caller's to give away. */
export function end(state: RolloutState, operationId: string, ending: ToolEnd, context: LineContext): void {
  if (state.ended.has(operationId)) return;
  state.ended.add(operationId);
  const index = state.started.get(operationId);
  // Where it was started: the end of a subagent stands in the subagent's own file.
  const parent = index === undefined ? parentOf(state, operationId, context) : state.events[index]?.parentOperationId;
  if (state.subagents.has(operationId)) {
    const { output, status } = ending;
    emit(state, {
      type: 'operation.finished', operationId, kind: 'subagent', status: status === 'completed' ? 'completed' : 'failed',
      ...(output === undefined ? {} : { output }),
    }, inside(parent, context));
  } else {
    emit(state, named(ending, operationId), inside(parent, context));
  }
}

function inside(parent: string | undefined, context: LineContext): LineContext {
  return context.parent === parent ? context : { thread: context.thread, line: context.line, parent };
}

export function unknownPiece(state: RolloutState, context: LineContext, why: string): void {
  state.seen.unknownPieces += 1;
  state.notes.unrecognised(context.thread.path, context.line.line, why);
}

// codex 0.171.0: a call inside a script has an id of its own and nothing else to join it by; fixtures/agents/codex/0.171.0/code-mode.
function parentOf(state: RolloutState, operationId: string, context: LineContext): string | undefined {
  return operationId.startsWith('exec-') ? state.scripts.get(context.thread.id) ?? context.parent : context.parent;
}

function refined(call: ToolOperation, item: ToolOperation): ToolOperation {
  const patch = call.name === 'file_change' && typeof call.input === 'object' && call.input !== null && 'patch' in call.input ? call.input.patch : undefined;
  return patch === undefined ? item : { ...item, input: { ...(item.input as { readonly [key: string]: never }), patch } };
}
