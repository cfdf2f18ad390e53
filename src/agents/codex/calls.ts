import { notCommandProjection, opaqueCommandProjection } from '../../evidence/command-projection.js';
import type { SubagentOperation, ToolOperation } from '../../evidence/events.js';
import { parseJson, type JsonValue } from '../../evidence/json.js';
import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { boundedJson } from '../json-line.js';
import { toolEnd, type ToolEnd } from './items.js';
import { isRefusalText } from './rejection.js';
import { commandOperationOf, mcpOperationOf, patchOperationOf, plainOperationOf } from './tools.js';

/** A call as the model made it. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly input: JsonValue;
}

/** Reads a `function_call`, `custom_tool_call`, `local_shell_call` or `tool_search_call` of the model's history. */
export function parseCall(payload: Fields): ModelCall | undefined {
  const id = nameOf(payload['call_id']) ?? nameOf(payload['id']);
  if (id === undefined) return undefined;
  if (payload['type'] === 'local_shell_call') return { id, name: 'local_shell_call', namespace: undefined, input: boundedJson(payload['action']) };
  if (payload['type'] === 'tool_search_call') return { id, name: 'tool_search', namespace: undefined, input: boundedJson(payload['arguments']) };
  const name = nameOf(payload['name']) ?? 'unknown';
  const namespace = nameOf(payload['namespace']);
  const text = textOf(payload['arguments']);
  const input = text === undefined ? boundedJson(payload['input']) : boundedJson(parseJson(text) ?? text);
  return { id, name, namespace, input };
}

const SHELLS: ReadonlySet<string> = new Set(['exec_command', 'shell', 'shell_command', 'local_shell_call', 'container.exec', 'unified_exec']);

/** Tools that certainly run no command of their own. `exec` runs a script whose calls are records of their own. */
const PLAIN: ReadonlySet<string> = new Set([
  'exec', 'wait', 'update_plan', 'view_image', 'tool_search', 'request_user_input', 'request_user_input_async', 'send_message_to_user_async',
  'wait_agent', 'send_input', 'send_message', 'close_agent', 'resume_agent', 'interrupt_agent', 'list_agents', 'followup_task', 'image_generation',
  'sleep', 'clock', 'list_mcp_resources', 'read_mcp_resource', 'list_mcp_resource_templates', 'create_goal', 'update_goal', 'get_goal', 'web_search',
]);

/** What a call stands for. Names follow the items of `exec --json`, so that a tool is called the same with and without a rollout. */
export function operationOfCall(call: ModelCall): ToolOperation | SubagentOperation {
  const fields = fieldsOf(call.input);
  const mcp = mcpNameOf(call);
  if (mcp !== undefined) return mcpOperationOf(mcp.server, mcp.tool, call.input);
  if (SHELLS.has(call.name)) return shellOperationOf(call.input);
  switch (call.name) {
    case 'apply_patch': {
      const patch = textOf(call.input) ?? textOf(fields?.['input']) ?? textOf(fields?.['patch']) ?? '';
      return { ...patchOperationOf(changesInPatch(patch), kindsInPatch(patch)), input: { changes: changesInPatch(patch), patch } };
    }
    case 'spawn_agent':
      return { kind: 'subagent', name: nameOf(fields?.['agent_type']) ?? nameOf(fields?.['task_name']) ?? 'default' };
    case 'write_stdin': {
      // What is typed into a live session may be commands; an empty text only waits.
      const typed = nameOf(fields?.['chars']) !== undefined;
      return { kind: 'tool', name: call.name, input: call.input, tool: 'unknown', command: typed ? opaqueCommandProjection('unsupported-protocol') : notCommandProjection() };
    }
    case 'view_image': return { ...plainOperationOf(call.name, call.input), tool: 'file_read' };
    default: {
      const name = call.name === 'wait_agent' ? 'wait' : call.name;
      if (PLAIN.has(call.name)) return plainOperationOf(name, call.input);
      return { kind: 'tool', name, input: call.input, tool: 'unknown' };
    }
  }
}

/** How a call ended that left no item, by the text that the model was given. Undefined: it is still going on. */
export function endOfOutput(call: ModelCall, output: unknown): ToolEnd | undefined {
  const text = textOfOutput(output);
  if (/^(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?Process running with session ID /.test(text) || text.startsWith('Script running with cell ID ')) {
    return call.name === 'write_stdin' || call.name === 'wait' ? toolEnd('completed', told(output, text)) : undefined;
  }
  if (SHELLS.has(call.name)) {
    const ran = shellEndOf(text);
    if (ran !== undefined) return ran;
  } else if (call.name === 'apply_patch') {
    const ran = shellEndOf(text);
    if (ran !== undefined) return toolEnd(ran.status, ran.output);
  }
  if (isRefusalText(text) && !mayQuote(call)) return toolEnd('rejected', told(output, text));
  return toolEnd(FAILURES.some((failure) => failure.test(text)) ? 'failed' : 'completed', told(output, text));
}

/** True when the CLI has no such tool, so that nothing was run. */
export function isUnsupported(output: unknown): boolean {
  return /^unsupported (?:custom tool )?call: /.test(textOfOutput(output));
}

export function textOfOutput(output: unknown): string {
  if (typeof output === 'string') return output;
  return listOf(output).map((part) => textOf(fieldsOf(part)?.['text']) ?? '').join('');
}

/** Scripts and MCP servers write their own output, which must not pass for the CLI's words. */
function mayQuote(call: ModelCall): boolean {
  return call.name === 'exec' || call.name === 'wait' || mcpNameOf(call) !== undefined;
}

// codex 0.171.0; fixtures/agents/codex/0.171.0/{bad-calls,patch-fail,shell-background,image,subagent-v2,code-mode,user-input}.
const FAILURES: readonly RegExp[] = [
  /^unsupported (?:custom tool )?call: /,
  /^failed to parse function arguments: /,
  /^apply_patch verification failed: /,
  /^(?:exec_command|write_stdin|spawn_agent|view_image|apply_patch) failed: /,
  /^unable to /,
  /^agent with id .* not found/,
  /^agent_name must /,
  /^Script failed\n/,
  /^request_user_input (?:is|can|requires) /,
  /^(?:tool call error|Error|error): /,
];

function told(output: unknown, text: string): JsonValue {
  return listOf(output).some((part) => fieldsOf(part)?.['type'] !== 'input_text') ? boundedJson(output) : text;
}

/** Older versions hand the model a JSON object, newer ones a head of lines. */
function shellEndOf(text: string): ToolEnd | undefined {
  const object = text.startsWith('{') ? fieldsOf(parseJson(text)) : undefined;
  const stated = fieldsOf(object?.['metadata'])?.['exit_code'];
  if (object !== undefined && typeof stated === 'number') {
    return exitOf(stated, textOf(object['output']) ?? '');
  }
  const head = /^(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?(?:Process exited with code|Exit code:) (\d+)\n(?:Wall time: .*\n)?(?:Original token count: .*\n)?(?:Total output lines: .*\n)?Output:\n?/.exec(text);
  if (head === null) return undefined;
  return exitOf(Number(head[1]), text.slice(head[0].length));
}

function exitOf(exitCode: number, output: string): ToolEnd {
  const end = toolEnd(exitCode === 0 ? 'completed' : 'failed', output);
  end.exitCode = exitCode;
  return end;
}

function shellOperationOf(input: JsonValue): ToolOperation {
  const fields = fieldsOf(input);
  const command = fields?.['cmd'] ?? fields?.['command'];
  if (Array.isArray(command)) {
    const argv = command.filter((word): word is string => typeof word === 'string');
    return commandOperationOf(argv.join(' '), argv);
  }
  const source = textOf(command);
  if (source === undefined) return { kind: 'tool', name: 'command_execution', input, tool: 'shell', command: opaqueCommandProjection('unsupported-protocol') };
  return { kind: 'tool', name: 'command_execution', input: { command: source }, tool: 'shell', command: opaqueCommandProjection('unsupported-protocol', { source }) };
}

function mcpNameOf(call: ModelCall): { readonly server: string; readonly tool: string } | undefined {
  if (call.namespace?.startsWith('mcp__') === true) return { server: call.namespace.slice('mcp__'.length).replace(/__$/, ''), tool: call.name };
  const match = /^mcp__(.+?)__(.+)$/.exec(call.name);
  return match?.[1] === undefined || match[2] === undefined ? undefined : { server: match[1], tool: match[2] };
}

function changesInPatch(patch: string): readonly { readonly path: string; readonly kind: string }[] {
  return [...patch.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)].map((match) => ({ path: (match[2] ?? '').trim(), kind: (match[1] ?? '').toLowerCase() }));
}

function kindsInPatch(patch: string): readonly string[] {
  return changesInPatch(patch).map(({ kind }) => kind);
}
