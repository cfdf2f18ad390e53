import { fieldsOf, nameOf } from '../fields.js';
import type { RolloutLine, RolloutThread } from './rollout.js';
import { parseTokens, type CodexTokens } from './usage.js';

/** The lines of one process, of all its threads. */
export interface ProcessLines {
  readonly threads: readonly ThreadLines[];
  /** Root turns that these lines belong to. */
  readonly roots: readonly string[];
}

/** Those of a thread's lines that belong to a process. */
export interface ThreadLines {
  readonly thread: RolloutThread;
  readonly lines: readonly RolloutLine[];
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
    for (const { turn, rootTurn } of lines) if (turn !== undefined && rootTurn !== undefined) rootOfTurn.set(turn, rootTurn);
  }
  const labelled = threads.map((thread) => ({ thread, labels: labelsOf(thread, rootOfTurn) }));
  const own = labelled.find(({ thread }) => thread === root);
  if (own === undefined) return { threads: [], roots: [] };
  const roots = [...new Set(own.labels.filter((_label, index) => root.lines[index]?.inherited === false))];
  const chosen = new Set(choose(roots, own, marks));
  return {
    threads: labelled.map(({ thread, labels }) => ({ thread, lines: thread.lines.filter(({ inherited }, index) => !inherited && chosen.has(labels[index] ?? '')) })),
    roots: [...chosen],
  };
}

/** A thread and, for each of its lines, the root turn that it belongs to. */
interface LabelledThread { readonly thread: RolloutThread; readonly labels: readonly string[] }

/** Lines before a turn's own start (the context of a resumed thread) belong to the turn that follows. */
function labelsOf({ id, lines }: RolloutThread, rootOfTurn: ReadonlyMap<string, string>): readonly string[] {
  const stated = lines.map(({ turn }) => (turn === undefined ? undefined : rootOfTurn.get(turn) ?? turn));
  // Codex 0.39 and 0.47 number no turns: a new one begins with each prompt.
  if (stated.every((label) => label === undefined)) {
    let prompts = 0;
    return lines.map(({ kind }) => {
      if (kind === 'user_message') prompts += 1;
      return `${id}#${Math.max(1, prompts)}`;
    });
  }
  // Looking ahead from each line: the label of the next line that has one.
  const next: (string | undefined)[] = [...stated];
  for (let index = next.length - 2; index >= 0; index -= 1) next[index] ??= next[index + 1];
  let current = next[0] ?? id;
  let open = true;
  return lines.map(({ kind }, index) => {
    const own = stated[index];
    if (own !== undefined) current = own;
    else if (!open) current = next[index] ?? current;
    if (kind === 'task_started') open = true;
    else if (kind === 'task_complete' || kind === 'turn_aborted') open = false;
    else if (own === undefined) open = true;
    return own ?? current;
  });
}

function choose(all: readonly string[], { thread, labels }: LabelledThread, marks: ProcessMarks): readonly string[] {
  const roots = all.filter((root) => marks.told?.has(root) !== true);
  if (marks.told !== undefined && !marks.openEnded) return roots;
  if (!marks.single || roots.length < 2) return roots;
  const linesOf = (root: string): readonly RolloutLine[] => thread.lines.filter(({ inherited }, index) => !inherited && labels[index] === root);
  if (marks.tokens !== undefined) {
    const { input, output } = marks.tokens;
    const match = roots.find((root) => {
      const record = linesOf(root).filter(({ type }) => type === 'token_usage_record').at(-1);
      const total = parseTokens(fieldsOf(record?.payload['thread_token_usage']));
      return total?.input === input && total.output === output;
    });
    if (match !== undefined) return [match];
  }
  if (marks.openEnded) return roots.slice(0, 1);
  const asked = roots.filter((root) => linesOf(root).some(({ kind, payload }) => kind === 'task_started'
    && nameOf(fieldsOf(payload['turn_attribution'])?.['turn_trigger']) === 'exec'));
  const last = asked.at(-1);
  return last === undefined ? roots.slice(-1) : roots.slice(roots.indexOf(last));
}
