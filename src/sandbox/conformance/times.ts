import { CommandTimeoutError } from '../errors.js';
import type { NamedCheck, Stage } from './stage.js';

const TIMEOUT_MS = 900;
/** Between two looks at a file that a living process would have made longer. */
const LOOK_MS = 400;

// Writes to a file as long as it lives: what is told of processes need not be believed.
const BEAT = 'while :; do echo x >> "$1"; sleep 0.05; done';

/** Expects files that somebody wrote and nobody makes longer any more. */
export async function expectStill({ sandbox, equal }: Stage, input: string, paths: readonly string[]): Promise<void> {
  const sizes = async (): Promise<string> => (await sandbox.runCommand('sh', ['-c', 'for file in "$@"; do wc -c < "$file"; done', 'sh', ...paths])).stdout;
  const before = await sizes();
  await new Promise((resolve) => { setTimeout(resolve, LOOK_MS); });
  const isWritten = before.split('\n').filter((size) => Number(size) > 0).length === paths.length;
  equal(`what ${input} wrote when all should be over`, { isWritten, isLonger: await sizes() !== before }, { isWritten: true, isLonger: false });
}

/** @param script Its `$1` writes to a file as long as it lives; the others are the files to write to. */
function timeoutCheck(what: string, names: readonly string[], script: string): NamedCheck {
  return {
    name: `ends ${what} when the time is up, and stays usable`,
    play: async (stage) => {
      const { sandbox, rejects, equal, at } = stage;
      const argv = ['sh', '-c', script, 'sh', BEAT, ...names.map(at)];
      const error = await rejects(what, sandbox.runCommand('sh', argv.slice(1), { timeoutMs: TIMEOUT_MS }), CommandTimeoutError);
      equal('the error', { argv: error.argv, timeoutMs: error.timeoutMs }, { argv, timeoutMs: TIMEOUT_MS });
      equal('the processes that are left', (await sandbox.agentProcesses()).filter(({ command }) => command.includes(at(''))), []);
      await expectStill(stage, what, names.map(at));
    },
  };
}

/** Commands that do not end by themselves. */
export const timeChecks: readonly NamedCheck[] = [
  timeoutCheck('a command that ignores signals', ['beat'], `trap '' TERM INT HUP; beat=$1; shift; eval "$beat"`),
  timeoutCheck('all that a command started', ['child', 'own-session', 'orphan', 'lost'], `
    sh -c "$1" sh "$2" & setsid sh -c "$1" sh "$3" & (sh -c "$1" sh "$4" & ); (setsid sh -c "$1" sh "$5" & ); sleep 600`),
  {
    name: 'hands over what was printed before the time was up',
    play: async ({ sandbox, equal, rejects }) => {
      let seen = '';
      await rejects('a command that prints and waits', sandbox.runShell('echo early; sleep 600', { timeoutMs: TIMEOUT_MS, onStdout: (chunk) => { seen += Buffer.from(chunk).toString(); } }), CommandTimeoutError);
      equal('what was printed', seen, 'early\n');
    },
  },
  {
    name: 'ends a command whose signal is aborted, and rejects with the reason',
    play: async (stage) => {
      const { sandbox, equal, rejects, at } = stage;
      const reason = new RangeError('of the caller');
      const controller = new AbortController();
      const running = sandbox.runCommand('sh', ['-c', `echo go; ${BEAT}`, 'sh', at('beat')], {
        signal: controller.signal, onStdout: () => { setTimeout(() => controller.abort(reason), LOOK_MS); },
      });
      equal('its own reason', await rejects('a signal that is aborted', running, RangeError) === reason, true);
      await expectStill(stage, 'the command', [at('beat')]);
    },
  },
  {
    name: 'starts nothing when the signal is aborted already',
    play: async ({ sandbox, equal, rejects, at }) => {
      await rejects('a signal that is aborted', sandbox.runCommand('touch', [at('started')], { signal: AbortSignal.abort(new RangeError('before')) }), RangeError);
      equal('the file', await sandbox.pathExists(at('started')), false);
    },
  },
];
