import { fieldsOf, nameOf } from '../fields.js';
import type { RolloutLine, RolloutThread } from './rollout.js';
import { parseTokens, type CodexTokens } from './usage.js';

/** The lines of one process, of all its threads. */
export interface ProcessLines {
  readonly lines: readonly { readonly thread: RolloutThread; readonly line: RolloutLine }[];
  /** Root turns that these lines belong to. */
  readonly roots: readonly string[];
}

/** What is known of the process from elsewhere. */
export interface ProcessMarks {
  /** Root turns that earlier processes told. */
  readonly told: ReadonlySet<string> | undefined;
  /** Cumulative tokens that stdout printed at the end. */
  readonly tokens: CodexTokens | undefined;
  /** Stdout was read: one process, so one root turn (and what the CLI started after it by itself). */
  readonly single: boolean;
  /** The rollouts may hold turns of later processes too. */
  readonly openEnded: boolean;
}

/**
 * Picks the lines of one process out of the threads of a run. A thread's file goes on when the thread is resumed, so the
 * turns that earlier processes told are left out; where nobody remembers them, the turn whose total stdout printed
 * is the one, or else the last.
 */
export function linesOfProcess(threads: readonly RolloutThread[], root: RolloutThread, marks: ProcessMarks): ProcessLines {
  const rootOfTurn = new Map<string, string>();
  for (const { lines } of threads) {
    for (const { payload } of lines) {
      const turn = nameOf(payload['turn_id']);
      const above = nameOf(payload['root_turn_id']);
      if (turn !== undefined && above !== undefined) rootOfTurn.set(turn, above);
    }
  }
  const labelled = threads.flatMap((thread) => labelLines(thread, rootOfTurn)).filter(({ line }) => !line.inherited);
  const own = threads.length === 1 ? labelled : labelled.filter(({ thread }) => thread === root);
  const roots = [...new Set(own.map(({ label }) => label))];
  const chosen = new Set(choose(roots, own, marks));
  const lines = chosen.size === roots.length && threads.length === 1 ? labelled : labelled.filter(({ label }) => chosen.has(label));
  if (threads.length > 1) lines.sort((a, b) => a.line.time - b.line.time);
  return { lines, roots: [...chosen] };
}

interface Labelled { readonly thread: RolloutThread; readonly line: RolloutLine; readonly label: string }

/** Lines before a turn's own start (the context of a resumed thread) belong to the turn that follows. */
function labelLines(thread: RolloutThread, rootOfTurn: ReadonlyMap<string, string>): Labelled[] {
  const labels: (string | undefined)[] = thread.lines.map(({ payload }) => {
    const turn = nameOf(payload['turn_id']) ?? nameOf(fieldsOf(payload['internal_chat_message_metadata_passthrough'])?.['turn_id']);
    return turn === undefined ? undefined : rootOfTurn.get(turn) ?? turn;
  });
  // Codex 0.39 and 0.47 number no turns: a new one begins with each prompt.
  if (labels.every((label) => label === undefined)) {
    let prompts = 0;
    return thread.lines.map((line) => {
      if (line.payload['type'] === 'user_message') prompts += 1;
      return { thread, line, label: `${thread.id}#${Math.max(1, prompts)}` };
    });
  }
  // Looking ahead from each line: the label of the next line that has one.
  const next: (string | undefined)[] = [];
  for (let index = labels.length - 1, ahead: string | undefined; index >= 0; index -= 1) {
    ahead = labels[index] ?? ahead;
    next[index] = ahead;
  }
  let current = next[0] ?? thread.id;
  let open = true;
  return thread.lines.map((line, index) => {
    const own = labels[index];
    if (own !== undefined) current = own;
    else if (!open) current = next[index] ?? current;
    const type = line.payload['type'];
    if (type === 'task_started') open = true;
    else if (type === 'task_complete' || type === 'turn_aborted') open = false;
    else if (own === undefined) open = true;
    return { thread, line, label: own ?? current };
  });
}

function choose(all: readonly string[], lines: readonly Labelled[], marks: ProcessMarks): readonly string[] {
  const roots = all.filter((root) => marks.told?.has(root) !== true);
  if (marks.told !== undefined && !marks.openEnded) return roots;
  if (!marks.single || roots.length < 2) return roots;
  if (marks.tokens !== undefined) {
    const { input, output } = marks.tokens;
    const match = roots.find((root) => {
      const record = lines.filter(({ label, line }) => label === root && line.type === 'token_usage_record').at(-1);
      const total = parseTokens(fieldsOf(record?.line.payload['thread_token_usage']));
      return total?.input === input && total.output === output;
    });
    if (match !== undefined) return [match];
  }
  if (marks.openEnded) return roots.slice(0, 1);
  const asked = roots.filter((root) => lines.some(({ label, line }) => label === root && line.payload['type'] === 'task_started'
    && nameOf(fieldsOf(line.payload['turn_attribution'])?.['turn_trigger']) === 'exec'));
  const last = asked.at(-1);
  return last === undefined ? roots.slice(-1) : roots.slice(roots.indexOf(last));
}
