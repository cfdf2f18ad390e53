import type { CommandEnding } from '../sandbox.js';

const STARTS = /^(OCI runtime exec failed: )?(exec failed: )?/;

/**
 * Why the engine could not start a program, from the message that it writes to the command's standard output (Docker
 * 20.10 to 28), where it must not be taken for the program's. Which of the two shell codes comes with it differs by
 * engine, so the message decides: 127 not found, 126 all else.
 */
export function startFailureOf(program: string, message: string): { readonly exitCode: 126 | 127; readonly ending: CommandEnding; readonly stderr: string } {
  const text = message.trim().replace(STARTS, '');
  const other = `"${program}" could not be started: ${text}`;
  if (/chdir to cwd/.test(text)) return { exitCode: 126, ending: 'not-started', stderr: other };
  if (/executable file not found|no such file or directory/.test(text)) return { exitCode: 127, ending: 'not-found', stderr: `the sandbox has no program "${program}"` };
  if (/permission denied|exec format error|is a directory/.test(text)) return { exitCode: 126, ending: 'not-executable', stderr: other };
  return { exitCode: 126, ending: 'not-started', stderr: other };
}
