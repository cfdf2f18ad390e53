import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import type { SessionEntry, SessionRecord } from './session.js';
import { SYNTHETIC_MODEL } from './wire.js';

/** Puts what only the session file has between the lines of stdout. */
export interface Weave {
  /** The session's account of a line that both have. */
  twinOf(uuid: string | undefined): SessionEntry | undefined;
  /**
   * Called with the twin of each line of stdout before the line is told. Tells the session entries that came before it.
   *
   * @returns `hold`: nothing shared was seen yet, so its place is not known; `told`: the session told it already.
   */
  reach(twin: SessionEntry | undefined): 'hold' | 'tell' | 'told';
  /** Tells what is left. `ended`: stdout has its end, so entries behind it are of a later process. */
  finish(ended: boolean, stdoutSpoke: boolean): void;
  /** True when anything of the session belonged to this process. */
  touched(): boolean;
  /** Entries of this process and of those before it. */
  passed(): ReadonlySet<string>;
}

/**
 * Both records carry the same uuid on the lines they share (claude-code 2.1.197: 658 of 659), so stdout leads and each
 * shared line first brings up the session entries before it.
 *
 * @param known Entries that an earlier process told.
 */
export function createWeave(session: SessionRecord, known: ReadonlySet<string> | undefined, tell: (entry: SessionEntry) => void): Weave {
  const { entries, byUuid } = session;
  const told = new Uint8Array(entries.length);
  let touched = false;
  let cursor: number | undefined = known === undefined ? undefined : 0;
  let anchored = false;

  const flush = (until: number): void => {
    for (let index = cursor ?? until; index < until; index += 1) {
      const entry = entries[index];
      if (entry === undefined || told[index] === 1) continue;
      touched = true;
      told[index] = 1;
      if (entry.uuid === undefined || known?.has(entry.uuid) !== true) tell(entry);
    }
    cursor = Math.max(cursor ?? 0, until);
  };

  return {
    twinOf: (uuid) => (uuid === undefined ? undefined : byUuid.get(uuid)),
    reach(twin) {
      if (twin === undefined) return anchored ? 'tell' : 'hold';
      const { index } = twin;
      cursor ??= startOfProcess(entries, index);
      anchored = true;
      flush(index);
      if (told[index] === 1) return 'told';
      touched = true;
      told[index] = 1;
      return 'tell';
    },
    finish(ended, stdoutSpoke) {
      cursor ??= stdoutSpoke ? startOfProcess(entries, lastPrompt(entries)) : 0;
      const end = ended && anchored ? nextPrompt(entries, cursor) : entries.length;
      flush(end);
    },
    touched: () => touched,
    passed() {
      const uuids = new Set(known);
      for (const [index, { uuid }] of entries.entries()) if (uuid !== undefined && (index < (cursor ?? 0) || told[index] === 1)) uuids.add(uuid);
      return uuids;
    },
  };
}

/** Walks back over what a process writes before its first answer: the prompt, attachments, notes of the CLI. */
function startOfProcess(entries: readonly SessionEntry[], index: number): number {
  let start = index;
  while (start > 0 && !isTraceOfEarlierWork(entries[start - 1]?.record)) start -= 1;
  return start;
}

function isTraceOfEarlierWork(record: Fields | undefined): boolean {
  const message = fieldsOf(record?.['message']);
  switch (record?.['type']) {
    case 'last-prompt': return true;
    case 'assistant': return message?.['model'] !== SYNTHETIC_MODEL;
    case 'user': return listOf(message?.['content']).some((block) => fieldsOf(block)?.['type'] === 'tool_result');
    default: return false;
  }
}

function lastPrompt(entries: readonly SessionEntry[]): number {
  for (let index = entries.length - 1; index >= 0; index -= 1) if (isPrompt(entries[index]?.record)) return index;
  return entries.length;
}

function nextPrompt(entries: readonly SessionEntry[], from: number): number {
  for (let index = from; index < entries.length; index += 1) if (isPrompt(entries[index]?.record)) return index;
  return entries.length;
}

/** The line by which the CLI takes up a new prompt, or the prompt itself. Notes on background work come the same way. */
export function isPrompt(record: Fields | undefined): boolean {
  if (record?.['type'] === 'queue-operation') {
    const content = textOf(record['content']);
    return record['operation'] === 'enqueue' && content !== undefined && !content.startsWith('<task-notification>');
  }
  // claude-code 2.1.197: what a process writes when it takes up a session that ended in a command of the CLI's own;
  // fixtures/agents/claude-code/2.1.197/compact-manual-run-3.
  if (record?.['isMeta'] === true && promptText(record) === 'Continue from where you left off.') return true;
  if (record?.['type'] !== 'user' || record['isMeta'] === true || record['isSidechain'] === true || record['isCompactSummary'] === true) return false;
  const text = promptText(record);
  return text !== undefined && nameOf(fieldsOf(record['origin'])?.['kind']) !== 'task-notification' && !text.startsWith('<local-command-') && !text.startsWith('[Request interrupted');
}

function promptText(record: Fields): string | undefined {
  const content = fieldsOf(record['message'])?.['content'];
  return textOf(content) ?? textOf(fieldsOf(listOf(content)[0])?.['text']);
}
