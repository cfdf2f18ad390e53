import { plainLine } from '../report/plain-text.js';
import { connectEngine } from '../sandbox/docker/engine.js';
import { livingSandboxes, pickSandbox, runInSandbox } from '../sandbox/docker/shell.js';
import { EXIT } from './exit-codes.js';

/** Options of `niceeval shell`. */
export interface ShellFlags {
  readonly user?: string;
  readonly list?: boolean;
}

/** `niceeval shell`. */
export async function shellCommand(attempt: string | undefined, argv: readonly string[], flags: ShellFlags): Promise<number> {
  const engine = await connectEngine();
  const living = await livingSandboxes(engine);
  if (attempt === undefined || flags.list === true) {
    if (living.length === 0) process.stdout.write('No sandbox lives. `niceeval run --keep-sandbox` keeps them.\n');
    for (const { attemptId, runId, isKept } of living) process.stdout.write(`${plainLine(attemptId)}  run ${plainLine(runId)}  ${isKept ? 'kept' : 'its Attempt is under way'}\n`);
    return EXIT.ok;
  }
  const sandbox = pickSandbox(living, attempt);
  if (!sandbox.isKept) process.stderr.write('niceeval: its Attempt is under way; what you change here is taken for the agent\'s or the eval\'s doing\n');
  return runInSandbox(engine, sandbox, { argv, ...(flags.user === undefined ? {} : { user: flags.user }) }, process);
}
