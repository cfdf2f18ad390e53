import { notCommandProjection, opaqueCommandProjection, type CommandProjection, type ShellSource } from '../../evidence/command-projection.js';
import type { SubagentOperation, ToolOperation } from '../../evidence/events.js';
import type { ToolName } from '../../evidence/tool-name.js';
import { boundedJson } from '../json-line.js';
import { fieldsOf, nameOf, textOf } from '../fields.js';

const CANONICAL: ReadonlyMap<string, ToolName> = new Map<string, ToolName>([
  ['Read', 'file_read'], ['NotebookRead', 'file_read'],
  ['Write', 'file_write'],
  ['Edit', 'file_edit'], ['MultiEdit', 'file_edit'], ['NotebookEdit', 'file_edit'],
  ['Bash', 'shell'], ['PowerShell', 'shell'], ['Monitor', 'shell'],
  ['WebFetch', 'web_fetch'], ['web_fetch', 'web_fetch'], ['WebSearch', 'web_search'], ['web_search', 'web_search'],
  ['Glob', 'glob'], ['Grep', 'grep'], ['LS', 'list_dir'],
  ['Agent', 'agent_task'], ['Task', 'agent_task'],
]);

/** Tools that have no canonical class and certainly run no command of their own. */
const NOT_COMMANDS: ReadonlySet<string> = new Set([
  'AskUserQuestion', 'BashOutput', 'CronCreate', 'CronDelete', 'CronList', 'EnterPlanMode', 'EnterWorktree', 'ExitPlanMode',
  'ExitWorktree', 'KillBash', 'KillShell', 'LSP', 'ListMcpResourcesTool', 'ReadMcpResourceTool', 'ReportFindings',
  'ScheduleWakeup', 'SendMessage', 'Skill', 'SlashCommand', 'StructuredOutput', 'TaskCreate', 'TaskGet', 'TaskList',
  'TaskOutput', 'TaskStop', 'TaskUpdate', 'TodoRead', 'TodoWrite', 'ToolSearch', 'exit_plan_mode',
]);

/** True for the tool that delegates. The CLI lists it as `Task` and the model calls it `Agent`; TaskCreate and the like are to-do tools. */
export function isDelegation(name: string): boolean {
  return name === 'Agent' || name === 'Task';
}

export function subagentOperationOf(input: unknown): SubagentOperation {
  const fields = fieldsOf(input);
  // Without a type the CLI takes its general-purpose agent.
  return { kind: 'subagent', name: nameOf(fields?.['subagent_type']) ?? 'general-purpose' };
}

export function toolOperationOf(name: string, input: unknown): ToolOperation {
  const command = commandOf(name, input);
  const tool = CANONICAL.get(name) ?? 'unknown';
  return command === undefined ? { kind: 'tool', name, input: boundedJson(input), tool } : { kind: 'tool', name, input: boundedJson(input), tool, command };
}

/** Undefined when the tool is unknown and might run a command. */
function commandOf(name: string, input: unknown): CommandProjection | undefined {
  if (CANONICAL.get(name) === 'shell') {
    const source = textOf(fieldsOf(input)?.['command']);
    if (source === undefined) return OPAQUE;
    // claude-code 2.1.197: Bash input is shell text only and runs in /bin/bash behind a snapshot of functions and aliases.
    return opaqueShell(name === 'Bash' ? { source, shell: '/bin/bash' } : { source });
  }
  if (CANONICAL.has(name) || NOT_COMMANDS.has(name) || name.startsWith('mcp__')) return NOT_COMMAND;
  return undefined;
}

/** The parts that every call has in common; one record may hold a hundred thousand. */
const OPAQUE = opaqueCommandProjection('unsupported-protocol');
const NOT_COMMAND = notCommandProjection();

function opaqueShell(shell: ShellSource): CommandProjection {
  return OPAQUE.classification === 'command' ? { classification: 'command', original: OPAQUE.original, logical: OPAQUE.logical, shell } : OPAQUE;
}
