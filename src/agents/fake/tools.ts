import { posix } from 'node:path';
import { z } from 'zod';
import { notCommandProjection, opaqueCommandProjection } from '../../evidence/command-projection.js';
import type { ToolOperation } from '../../evidence/events.js';
import type { JsonObject } from '../../evidence/json.js';
import type { AgentConditions } from '../conditions.js';
import type { AgentSandbox } from '../agent.js';

/** A call that the fake agent makes. */
export type FakeToolCall =
  | { readonly tool: 'fs.list'; readonly arguments: { readonly path: string } }
  | { readonly tool: 'fs.read'; readonly arguments: { readonly path: string } }
  | { readonly tool: 'fs.write'; readonly arguments: { readonly path: string; readonly content: string } }
  | { readonly tool: 'shell.exec'; readonly arguments: { readonly command: string } };

/** How a call went. */
export interface FakeToolResult {
  readonly status: 'completed' | 'failed';
  readonly output: string;
  readonly exitCode: number;
}

const path = z.string().min(1).refine((text) => !text.includes('\0'), 'it holds a NUL byte');
const ARGUMENTS = {
  'fs.list': z.strictObject({ path }),
  'fs.read': z.strictObject({ path }),
  'fs.write': z.strictObject({ path, content: z.string() }),
  'shell.exec': z.strictObject({ command: z.string().refine((text) => text.trim() !== '', 'it is blank') }),
} as const;

/** The tools that the fake agent has. */
const FAKE_TOOLS = Object.keys(ARGUMENTS) as readonly FakeToolCall['tool'][];

const MOST_OUTPUT_CHARACTERS = 20_000;
const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm'];

/** The call that a tool id and its arguments stand for, or what is wrong with them. */
export function fakeToolCallOf(tool: string, given: unknown): FakeToolCall | string {
  if (!isFakeTool(tool)) return `there is no tool ${JSON.stringify(tool)}; the fake agent has ${FAKE_TOOLS.join(', ')}`;
  const read = ARGUMENTS[tool].safeParse(given);
  if (read.success) return { tool, arguments: read.data } as FakeToolCall;
  const [issue] = read.error.issues;
  const place = issue?.path.join('.') ?? '';
  return `the arguments of ${tool} do not fit${place === '' ? '' : ` at "${place}"`}: ${issue?.message ?? 'they are of the wrong kind'}; it takes ${Object.keys(ARGUMENTS[tool].shape).join(' and ')}`;
}

/** True for the id of a tool that the fake agent has. */
export function isFakeTool(tool: string): tool is FakeToolCall['tool'] {
  return Object.hasOwn(ARGUMENTS, tool);
}

/** The call as it is told. */
export function operationOf({ tool, arguments: given }: FakeToolCall): ToolOperation {
  const input: JsonObject = { ...given };
  switch (tool) {
    case 'fs.list': return { kind: 'tool', name: tool, input, tool: 'list_dir', command: notCommandProjection() };
    case 'fs.read': return { kind: 'tool', name: tool, input, tool: 'file_read', command: notCommandProjection() };
    case 'fs.write': return { kind: 'tool', name: tool, input, tool: 'file_write', command: notCommandProjection() };
    case 'shell.exec': return { kind: 'tool', name: tool, input, tool: 'shell', command: opaqueCommandProjection('unsupported-protocol', { source: given.command }) };
  }
}

/** Whether a call is known before it is made to be one that the conditions do not allow. What a shell command writes is not known. */
export function isForbidden({ tool, arguments: given }: FakeToolCall, { writes }: Pick<AgentConditions, 'writes'>, workdir: string): boolean {
  if (tool !== 'fs.write' || writes === 'anywhere') return false;
  const target = posix.resolve(workdir, given.path);
  const isIn = (folder: string): boolean => target.startsWith(`${folder.replace(/\/$/, '')}/`);
  return !(TEMPORARY.some(isIn) || (writes === 'workspace' && isIn(workdir)));
}

/** Makes the call in the sandbox, as the agent's user. */
export async function carryOut(call: FakeToolCall, sandbox: AgentSandbox, signal: AbortSignal): Promise<FakeToolResult> {
  const { exitCode, stdout, stderr } = await resultOf(call, sandbox, signal);
  const output = `${stdout}${stderr}`;
  return { status: exitCode === 0 ? 'completed' : 'failed', output: output.length <= MOST_OUTPUT_CHARACTERS ? output : `${output.slice(0, MOST_OUTPUT_CHARACTERS)}... (${output.length} characters)`, exitCode };
}

const WRITE_SCRIPT = 'mkdir -p -- "$(dirname -- "$1")" && cat > "$1"';

function resultOf({ tool, arguments: given }: FakeToolCall, sandbox: AgentSandbox, signal: AbortSignal): ReturnType<AgentSandbox['runCommand']> {
  switch (tool) {
    case 'fs.list': return sandbox.runCommand('ls', ['-1A', '--', given.path], { signal });
    case 'fs.read': return sandbox.runCommand('cat', ['--', given.path], { signal });
    case 'fs.write': return sandbox.runCommand('sh', ['-c', WRITE_SCRIPT, 'sh', given.path], { stdin: given.content, signal });
    case 'shell.exec': return sandbox.runShell(given.command, { signal });
  }
}
