import type { StreamEvent } from '../../evidence/events.js';
import { listOf, nameOf, textOf, type Fields } from '../fields.js';
import type { TranscriptNotes } from '../transcript.js';
import { agentStatesOf, endOfItem, operationOfItem } from './items.js';

/** What coverage needs to know of an exec stream. */
export interface SeenFacts {
  unknownPieces: number;
  retries: number;
  collaborated: boolean;
  searchedWeb: boolean;
  lastMessage?: string;
}

/** Turns the items of `exec --json` into events, in the order in which they are handed over. */
export interface ExecTeller {
  readonly open: ReadonlySet<string>;
  readonly seen: SeenFacts;
  item(phase: 'started' | 'updated' | 'completed', item: Fields, line: number): void;
  /** An `error` line: a retry notice, or the error that `turn.failed` repeats. */
  notice(message: string): void;
  failure(message: string): void;
  /** The turn went on to its end, so everything noted before was got over. */
  recovered(): void;
}

interface Spawned { readonly operationId: string; ended: boolean }

/**
 * @param options.events Where the events go.
 * @param options.idOf Makes the CLI's per-process item id unique within the session.
 */
export function createExecTeller(notes: TranscriptNotes, { events, idOf }: { readonly events: StreamEvent[]; readonly idOf: (native: string) => string }): ExecTeller {
  const open = new Set<string>();
  const spawned = new Map<string, Spawned>();
  const seen: SeenFacts = { unknownPieces: 0, retries: 0, collaborated: false, searchedWeb: false };
  // Words of the answer that is on its way.
  let attempt: StreamEvent[] = [];
  // Where errors stand that nothing was got over yet.
  let troubles: number[] = [];
  const cutTexts = new Set<string>();
  let nextId = 0;

  const words = (text: string, event: StreamEvent): void => {
    // codex 0.171.0: after a cut stream the answer is asked for again and its words come again; fixtures/agents/codex/0.171.0/response-failed.
    const key = cutTexts.size === 0 ? '' : keyOf(event.type, text);
    attempt.push(event);
    if (cutTexts.has(key)) notes.problem('a model stream was cut and the answer asked for again; words that came twice are told once');
    else events.push(event);
  };
  const workBegan = (): void => {
    if (attempt.length > 0) attempt = [];
    if (cutTexts.size > 0) cutTexts.clear();
  };

  const endSpawned = (threadId: string, status: string, output: string | undefined): void => {
    const agent = spawned.get(threadId);
    if (agent === undefined || agent.ended || status === 'pending_init' || status === 'running') return;
    agent.ended = true;
    open.delete(agent.operationId);
    events.push({
      type: 'operation.finished', operationId: agent.operationId, kind: 'subagent',
      status: status === 'completed' ? 'completed' : 'failed', ...(output === undefined ? {} : { output }),
    });
  };

  const spawn = (phase: string, operationId: string, item: Fields): void => {
    if (!open.has(operationId) && phase !== 'updated') {
      open.add(operationId);
      events.push({ type: 'operation.started', operationId, operation: { kind: 'subagent', name: nameOf(item['agent_type']) ?? 'default' } });
      const prompt = textOf(item['prompt']);
      if (prompt !== undefined) events.push({ type: 'context.injected', text: prompt, source: 'subagent-prompt', parentOperationId: operationId });
    }
    if (phase !== 'completed') return;
    for (const threadId of listOf(item['receiver_thread_ids'])) {
      if (typeof threadId === 'string') spawned.set(threadId, { operationId, ended: false });
    }
    if (item['status'] === 'failed') {
      open.delete(operationId);
      events.push({ type: 'operation.finished', operationId, kind: 'subagent', status: 'failed' });
    }
  };

  return {
    open,
    seen,
    item(phase, item, line) {
      const native = nameOf(item['id']) ?? `unnamed_${(nextId += 1)}`;
      const operationId = idOf(native);
      switch (item['type']) {
        case 'agent_message': {
          if (phase !== 'completed') return;
          const text = textOf(item['text']) ?? '';
          seen.lastMessage = text;
          return words(text, { type: 'message', role: 'assistant', text });
        }
        case 'reasoning': {
          if (phase !== 'completed') return;
          const text = textOf(item['text']) ?? '';
          return words(text, { type: 'thinking', text });
        }
        case 'error':
          if (phase === 'completed') events.push({ type: 'error', message: textOf(item['message']) ?? 'a warning without a message', recovered: true });
          return;
        default:
      }
      workBegan();
      if (item['type'] === 'collab_tool_call') {
        seen.collaborated = true;
        if (item['tool'] === 'spawn_agent') return spawn(phase, operationId, item);
      }
      if (!open.has(operationId)) {
        const operation = operationOfItem(item);
        if (operation === undefined) {
          seen.unknownPieces += 1;
          notes.unrecognised('stdout', line, `unknown item type ${JSON.stringify(nameOf(item['type']) ?? null)}`);
          return;
        }
        if (item['type'] === 'web_search') seen.searchedWeb = true;
        if (phase === 'updated') return;
        events.push({ type: 'operation.started', operationId, operation });
        open.add(operationId);
      }
      if (phase === 'updated') return;
      if (phase === 'started') return;
      open.delete(operationId);
      events.push(endOfItem(item, operationId));
      if (spawned.size === 0) return;
      for (const { threadId, status, message } of agentStatesOf(item)) endSpawned(threadId, status, message);
    },
    notice(message) {
      seen.retries += 1;
      for (const event of attempt) if ('text' in event) cutTexts.add(keyOf(event.type, event.text));
      attempt = [];
      troubles.push(events.length);
      events.push({ type: 'error', message });
    },
    failure(message) {
      const last = events.at(-1);
      if (last?.type === 'error' && last.message === message) return;
      troubles.push(events.length);
      events.push({ type: 'error', message });
    },
    recovered() {
      for (const index of troubles) {
        const event = events[index];
        if (event?.type === 'error') events[index] = { ...event, recovered: true };
      }
      troubles = [];
    },
  };
}

function keyOf(type: string, text: string): string {
  return `${type}:${text}`;
}
