import type { StreamEvent } from './events.js';
import { isJsonObject } from './json.js';
import { toolOccurrencesOf, type OccurrenceStatus, type ToolOccurrence } from './occurrence.js';
import type { ToolName } from './tool-name.js';

/** One shell command that the agent asked to run. */
export interface ShellActivity {
  readonly command: string;
  readonly status: OccurrenceStatus;
  readonly exitCode?: number;
}

/** What an agent did, in numbers and lists, as far as it was seen. */
export interface ActivitySummary {
  readonly totalTurns: number;
  /** By canonical name; what has none is `unknown`. */
  readonly toolCalls: { readonly [name in ToolName]?: number };
  readonly totalToolCalls: number;
  /** Paths as the agent wrote them, each once. What a shell command read or wrote is not among them. */
  readonly filesRead: readonly string[];
  readonly filesModified: readonly string[];
  readonly shellCommands: readonly ShellActivity[];
  readonly webFetches: readonly string[];
  readonly errors: number;
  readonly thinkingBlocks: number;
  readonly compactions: number;
}

/** Sums up what happened. @param sessions The events of each session; ids are paired within one. */
export function activityOf(sessions: readonly (readonly StreamEvent[])[], totalTurns: number): ActivitySummary {
  const calls = sessions.flatMap((events) => toolOccurrencesOf(events).occurrences);
  const events = sessions.flat();
  const count = (type: StreamEvent['type']): number => events.filter((event) => event.type === type).length;
  const toolCalls: { [name in ToolName]?: number } = {};
  for (const { operation } of calls) toolCalls[operation.tool ?? 'unknown'] = (toolCalls[operation.tool ?? 'unknown'] ?? 0) + 1;
  return {
    totalTurns,
    toolCalls,
    totalToolCalls: calls.length,
    filesRead: textsOf(calls, ['file_read'], PATH_FIELDS),
    filesModified: textsOf(calls, ['file_write', 'file_edit'], PATH_FIELDS),
    shellCommands: calls.flatMap(shellOf),
    webFetches: textsOf(calls, ['web_fetch'], ['url']),
    errors: count('error'),
    thinkingBlocks: count('thinking'),
    compactions: count('compaction'),
  };
}

const PATH_FIELDS = ['file_path', 'path', 'notebook_path'] as const;

function textsOf(calls: readonly ToolOccurrence[], tools: readonly ToolName[], fields: readonly string[]): readonly string[] {
  return [...new Set(calls.flatMap(({ operation: { tool, input } }) => {
    if (tool === undefined || !tools.includes(tool) || !isJsonObject(input)) return [];
    const text = fields.map((field) => input[field]).find((value) => typeof value === 'string');
    return typeof text === 'string' ? [text] : changedPathsOf(input['changes']);
  }))];
}

/** Codex names the files of a patch in a list, or as keys. */
function changedPathsOf(changes: unknown): readonly string[] {
  if (Array.isArray(changes)) return changes.flatMap((change: unknown) => (isJsonObject(change) && typeof change['path'] === 'string' ? [change['path']] : []));
  return isJsonObject(changes) ? Object.keys(changes) : [];
}

function shellOf({ operation, status, exitCode }: ToolOccurrence): readonly ShellActivity[] {
  const { command } = operation;
  if (command?.classification !== 'command') return [];
  const text = command.shell?.source ?? (command.original.state === 'available' ? [command.original.executable, ...command.original.args].join(' ') : undefined);
  return text === undefined ? [] : [{ command: text, status, ...(exitCode === undefined ? {} : { exitCode }) }];
}
