import { notCommandProjection, opaqueCommandProjection, type CommandProjection, type ShellSource } from '../../evidence/command-projection.js';
import type { ToolOperation } from '../../evidence/events.js';
import type { JsonValue } from '../../evidence/json.js';
import { boundedJson } from '../json-line.js';
import { splitShellWords } from './shell-words.js';

/**
 * A shell command as an operation. Its input is the text that the shell reads, the same whichever record tells it.
 *
 * @param text The joined command line that stdout and app-server carry.
 * @param argv The words that the rollout carries.
 */
export function commandOperationOf(text: string, argv: readonly string[] | undefined = splitShellWords(text)): ToolOperation {
  const command = shellProjectionOf(text, argv);
  const source = command.classification === 'command' ? command.shell?.source : undefined;
  return { kind: 'tool', name: 'command_execution', input: { command: source ?? text }, tool: 'shell', command };
}

/** A patch as an operation. Adding or deleting whole files is a write, everything else an edit. */
export function patchOperationOf(changes: JsonValue, kinds: readonly string[]): ToolOperation {
  const edits = kinds.some((kind) => kind !== 'add' && kind !== 'delete') || kinds.length === 0;
  return { kind: 'tool', name: 'file_change', input: { changes }, tool: edits ? 'file_edit' : 'file_write', command: NOT_COMMAND };
}

export function mcpOperationOf(server: string, tool: string, input: unknown): ToolOperation {
  return { kind: 'tool', name: `${server}.${tool}`, input: boundedJson(input), tool: 'unknown', command: NOT_COMMAND };
}

export function webSearchOperationOf(query: string | undefined, action: unknown): ToolOperation {
  return { kind: 'tool', name: 'web_search', input: { query: query ?? null, action: boundedJson(action) }, tool: 'web_search', command: NOT_COMMAND };
}

/** Any other tool that certainly runs no command. */
export function plainOperationOf(name: string, input: unknown): ToolOperation {
  return { kind: 'tool', name, input: boundedJson(input), tool: 'unknown', command: NOT_COMMAND };
}

// codex 0.171.0: the words are always `[shell, "-lc" or "-c", script]`; fixtures/agents/codex/0.171.0/shell-compound.
function shellProjectionOf(text: string, argv: readonly string[] | undefined): CommandProjection {
  if (text === '<command included NUL byte>') return opaqueCommandProjection('redacted');
  const [shell, flag, source] = argv ?? [];
  const wrapped = shell !== undefined && source !== undefined && argv?.length === 3 && (flag === '-lc' || flag === '-c') && /(?:^|\/)(?:ba|z|da|k)?sh$/.test(shell);
  const shellSource: ShellSource = wrapped ? { source, shell } : { source: text };
  return opaqueShell(shellSource);
}

/** The parts that every shell command has in common; one record may hold a hundred thousand. */
const OPAQUE = opaqueCommandProjection('unsupported-protocol');
const NOT_COMMAND = notCommandProjection();

function opaqueShell(shell: ShellSource): CommandProjection {
  return OPAQUE.classification === 'command' ? { classification: 'command', original: OPAQUE.original, logical: OPAQUE.logical, shell } : OPAQUE;
}
