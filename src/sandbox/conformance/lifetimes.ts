import { SandboxGoneError } from '../errors.js';
import type { NamedCheck } from './stage.js';

const SHORT_LIFE_MS = 1_500;
const HOW_LONG_MS = 15_000;

/** How sandboxes begin and end. */
export const lifetimeChecks: readonly NamedCheck[] = [
  {
    name: 'is gone when it was stopped, however often, and says so to whoever asks',
    alone: true,
    play: async ({ sandbox, equal, rejects, at }) => {
      await sandbox.writeText(at('file'), 'x');
      equal('isRunning before', await sandbox.isRunning(), true);
      await Promise.all([sandbox.stop(), sandbox.stop()]);
      await sandbox.stop();
      equal('isRunning after', await sandbox.isRunning(), false);
      const asks = {
        runCommand: () => sandbox.runCommand('true'),
        runShell: () => sandbox.runShell('true'),
        exec: () => sandbox.exec(['true']),
        readText: () => sandbox.readText(at('file')),
        writeText: () => sandbox.writeText(at('file'), 'y'),
        pathExists: () => sandbox.pathExists(at('file')),
        archive: () => sandbox.archive(at('file')),
        agentProcesses: () => sandbox.agentProcesses(),
      };
      for (const [name, ask] of Object.entries(asks)) await rejects(`${name} after stop`, Promise.resolve().then<unknown>(ask), SandboxGoneError);
    },
  },
  {
    name: 'ends the command that runs while it is stopped',
    alone: true,
    play: async ({ sandbox, rejects }) => {
      let stopped: Promise<void> | undefined;
      const running = sandbox.runShell('echo go; sleep 600', { onStdout: () => { stopped ??= sandbox.stop(); } });
      await rejects('a command under way', running, SandboxGoneError);
      await stopped;
    },
  },
  {
    name: 'shows no sandbox the files and processes of another',
    alone: true,
    play: async ({ sandbox, equal, at, another }) => {
      await sandbox.writeText('mark', 'of the first');
      await sandbox.writeText(`${sandbox.home}/mark`, 'of the first');
      await sandbox.runCommand('sh', ['-c', 'sh -c "while :; do sleep 1; done" niceeval-mark < /dev/null > /dev/null 2>&1 & exit 0']);
      const second = await another();
      equal('files of the first', [await second.pathExists('mark'), await second.pathExists(`${second.home}/mark`)], [false, false]);
      equal('processes of the first', (await second.agentProcesses()).filter(({ command }) => command.includes('niceeval-mark')), []);
      await second.endAgentProcesses();
      await second.stop();
      equal('the first when the second was stopped', { isRunning: await sandbox.isRunning(), text: await sandbox.readText('mark') }, { isRunning: true, text: 'of the first' });
      equal('its process', (await sandbox.agentProcesses()).filter(({ command }) => command.includes('niceeval-mark')).length > 0, true);
      equal('its folder', await sandbox.pathExists(at('')), true);
    },
  },
  {
    name: 'ends by itself when its life is over and nobody came back',
    play: async ({ equal, another }) => {
      const short = await another({ lifetimeMs: SHORT_LIFE_MS });
      const began = performance.now();
      while (await short.isRunning() && performance.now() - began < HOW_LONG_MS) await new Promise((resolve) => { setTimeout(resolve, 100); });
      equal(`isRunning long after ${SHORT_LIFE_MS} ms`, await short.isRunning(), false);
    },
  },
  {
    name: 'opens nothing when the signal is aborted already',
    play: async ({ another, rejects }) => { await rejects('a signal that is aborted', another({ signal: AbortSignal.abort(new RangeError('before')) }), RangeError); },
  },
  {
    name: 'leaves the living alone when it removes what the dead left',
    play: async ({ provider, sandbox, equal, at }) => {
      await sandbox.writeText(at('kept'), 'kept');
      const told = await provider.reap({ dryRun: true });
      const removed = await provider.reap();
      const names = [told, removed].flatMap(({ containers, networks, folders }) => [...containers, ...networks, ...folders]);
      equal('what is told of the living sandbox', names.filter((name) => name.includes(sandbox.id.slice(0, 12))), []);
      equal('the living sandbox', { isRunning: await sandbox.isRunning(), text: await sandbox.readText(at('kept')) }, { isRunning: true, text: 'kept' });
    },
  },
  {
    name: 'tells what it used, or nothing, and never rejects',
    alone: true,
    play: async ({ sandbox, equal }) => {
      const isTold = (use: unknown): boolean => use === undefined || typeof use === 'object';
      const before = isTold(await sandbox.resources());
      await sandbox.stop();
      equal('resources before and after stop', [before, isTold(await sandbox.resources())], [true, true]);
    },
  },
];
