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
  const labelled = threads.flatMap((thread) => labelLines(thread, rootOfTurn));
  const roots = [...new Set(labelled.filter(({ thread }) => thread === root).map(({ label }) => label))];
  const chosen = new Set(choose(roots, labelled.filter(({ thread }) => thread === root), marks));
  const lines = labelled.filter(({ label }) => chosen.has(label)).map(({ thread, line }, order) => ({ thread, line, order }));
  lines.sort((a, b) => a.line.time - b.line.time || a.order - b.order);
  return { lines, roots: [...chosen] };
}

interface Labelled { readonly thread: RolloutThread; readonly line: RolloutLine; readonly label: string }

/** Lines before a turn's own start (the context of a resumed thread) belong to the turn that follows. */
function labelLines(thread: RolloutThread, rootOfTurn: ReadonlyMap<string, string>): readonly Labelled[] {
  const labels: (string | undefined)[] = thread.lines.map(({ payload }) => {
    const turn = nameOf(payload['turn_id']) ?? nameOf(fieldsOf(payload['internal_chat_message_metadata_passthrough'])?.['turn_id']);
    return turn === undefined ? undefined : rootOfTurn.get(turn) ?? turn;
  });
  let current = labels.find((label) => label !== undefined) ?? thread.id;
  let open = true;
  const result: Labelled[] = [];
  for (const [index, line] of thread.lines.entries()) {
    const own = labels[index];
    if (own !== undefined) current = own;
    else if (!open) current = labels.slice(index).find((label) => label !== undefined) ?? current;
    const type = line.payload['type'];
    if (type === 'task_started') open = true;
    else if (type === 'task_complete' || type === 'turn_aborted') open = false;
    else if (own === undefined) open = true;
    result.push({ thread, line, label: own ?? current });
  }
  return result;
}

function choose(roots: readonly string[], lines: readonly Labelled[], marks: ProcessMarks): readonly string[] {
  if (marks.told !== undefined) return roots.filter((root) => !marks.told?.has(root));
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
  const asked = roots.filter((root) => lines.some(({ label, line }) => label === root && line.payload['type'] === 'task_started'
    && nameOf(fieldsOf(line.payload['turn_attribution'])?.['turn_trigger']) === 'exec'));
  const last = asked.at(-1);
  return last === undefined ? roots.slice(-1) : roots.slice(roots.indexOf(last));
}
