import type { SandboxTools } from '../define/context.js';
import { MATCHED, mismatchInWords, show, type MatchOutcome } from '../expect/match.js';
import { messageOf } from '../lifetime/error.js';
import { CommandTimeoutError, SandboxPathError } from '../sandbox/errors.js';
import type { CommandResult } from '../sandbox/sandbox.js';
import type { ExpectedOutcome } from './scenario.js';

/** How something that was looked for in the sandbox came out. */
export interface SandboxFinding {
  /** Where it stands, for instance `workspace_files[0]`. */
  readonly field: string;
  readonly expected: string;
  readonly outcome: MatchOutcome;
}

type WorkspaceFile = NonNullable<ExpectedOutcome['workspace_files']>[number];
type PostRunCommand = NonNullable<ExpectedOutcome['post_run_commands']>[number];

/** A command that does not say how long it may take. */
const COMMAND_LIMIT_MS = 10 * 60_000;

/** Looks at the files that a scenario names, and runs its commands where that is allowed. */
export async function findingsOf({ workspace_files = [], post_run_commands = [] }: ExpectedOutcome, sandbox: SandboxTools, { allowCommands }: { readonly allowCommands: boolean }): Promise<readonly SandboxFinding[]> {
  const findings: SandboxFinding[] = [];
  for (const [index, file] of workspace_files.entries()) findings.push(...await fileFindings(`workspace_files[${index}]`, file, sandbox));
  for (const [index, command] of post_run_commands.entries()) {
    const field = `post_run_commands[${index}]`;
    const expected = `${show(command.program)} to be run`;
    findings.push(...(allowCommands ? await commandFindings(field, command, sandbox) : [{ field, expected, outcome: mismatchInWords(expected, () => 'nothing that allows it: give --allow-post-run-commands') }]));
  }
  return findings;
}

async function fileFindings(field: string, { path, contains = [], not_contains = [] }: WorkspaceFile, sandbox: SandboxTools): Promise<readonly SandboxFinding[]> {
  const expected = `a file ${show(path)} of UTF-8 text`;
  const text = await textOf(path, sandbox);
  if (text.problem !== undefined) return [{ field, expected, outcome: mismatchInWords(expected, () => text.problem) }];
  return [
    { field, expected, outcome: MATCHED },
    ...contains.map((part, index) => hasPart(`${field}.contains[${index}]`, show(path), text.value, part)),
    ...not_contains.map((part, index) => lacksPart(`${field}.not_contains[${index}]`, show(path), text.value, part)),
  ];
}

async function textOf(path: string, sandbox: SandboxTools): Promise<{ readonly value: string; readonly problem?: never } | { readonly problem: string }> {
  let bytes: Uint8Array;
  try {
    bytes = await sandbox.readBytes(path);
  } catch (error) {
    if (error instanceof SandboxPathError) return { problem: messageOf(error) };
    throw error;
  }
  try {
    return { value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { problem: `${bytes.length} bytes that are no UTF-8` };
  }
}

async function commandFindings(field: string, command: PostRunCommand, sandbox: SandboxTools): Promise<readonly SandboxFinding[]> {
  const { program, args = [], cwd, exit_code: exitCode = 0, timeout_ms: timeoutMs = COMMAND_LIMIT_MS, stdout_contains = [], stderr_contains = [] } = command;
  const words = show([program, ...args]);
  const expected = `${words} to end with exit code ${exitCode}`;
  let result: CommandResult;
  try {
    result = await sandbox.runCommand(program, args, { timeoutMs, ...(cwd === undefined ? {} : { cwd }) });
  } catch (error) {
    if (!(error instanceof CommandTimeoutError)) throw error;
    return [{ field, expected, outcome: mismatchInWords(expected, () => `no end within ${timeoutMs} ms`) }];
  }
  const tail = (result.stderr.trim() === '' ? result.stdout : result.stderr).trim().slice(-TAIL_CHARACTERS);
  const ended = (): string => `exit code ${result.exitCode}${result.ending === undefined ? '' : ` (${result.ending})`}${tail === '' ? '' : `, with ${show(tail)}`}`;
  const isRight = result.exitCode === exitCode && (result.ending === undefined || result.ending === 'killed');
  return [
    { field, expected, outcome: isRight ? MATCHED : mismatchInWords(expected, ended) },
    ...stdout_contains.map((part, index) => hasPart(`${field}.stdout_contains[${index}]`, `the output of ${words}`, result.stdout, part)),
    ...stderr_contains.map((part, index) => hasPart(`${field}.stderr_contains[${index}]`, `the error output of ${words}`, result.stderr, part)),
  ];
}

const TAIL_CHARACTERS = 400;

function hasPart(field: string, where: string, text: string, part: string): SandboxFinding {
  const expected = `${where} to contain ${show(part)}`;
  return { field, expected, outcome: text.includes(part) ? MATCHED : mismatchInWords(expected, () => show(text)) };
}

function lacksPart(field: string, where: string, text: string, part: string): SandboxFinding {
  const expected = `${where} not to contain ${show(part)}`;
  return { field, expected, outcome: text.includes(part) ? mismatchInWords(expected, () => show(text)) : MATCHED };
}
