import { expectStill } from './times.js';
import type { NamedCheck, Stage } from './stage.js';

// Started by an eval or an agent and left alone: its words are its script and the file that it writes to. The shell starts it
// again and again, so that it has children.
const SERVER = 'while :; do sh -c \'echo x >> "$1"\' sh "$1"; sleep 0.05; done';
const HOW_LONG_MS = 10_000;

async function start({ sandbox, at }: Stage, name: string): Promise<void> {
  await sandbox.runCommand('sh', ['-c', 'sh -c "$1" sh "$2" < /dev/null > /dev/null 2>&1 & exit 0', 'sh', SERVER, at(name)]);
  await untilThere(() => sandbox.pathExists(at(name)));
}

async function untilThere(look: () => Promise<boolean>): Promise<void> {
  for (const until = performance.now() + HOW_LONG_MS; !(await look()) && performance.now() < until;) await new Promise((resolve) => { setTimeout(resolve, 50); });
}

const namesOf = async ({ sandbox, at }: Stage, names: readonly string[]): Promise<readonly string[]> => {
  const commands = (await sandbox.agentProcesses()).map(({ command }) => command);
  return names.filter((name) => commands.some((command) => command.includes(at(name))));
};

/** What commands leave running. */
export const processChecks: readonly NamedCheck[] = [
  {
    name: 'tells the processes that a command left running, and ends them',
    play: async (stage) => {
      const { sandbox, equal, at } = stage;
      await start(stage, 'left');
      equal('the process that is told', await namesOf(stage, ['left']), ['left']);
      await sandbox.endAgentProcesses();
      equal('the processes that are left', await namesOf(stage, ['left']), []);
      await expectStill(stage, 'a process that was ended', [at('left')]);
    },
  },
  {
    name: 'spares the processes that it is told to, with what they start',
    play: async (stage) => {
      const { sandbox, equal, at } = stage;
      await start(stage, 'server');
      const spared = await sandbox.spareAgentProcesses();
      await start(stage, 'agent');
      await sandbox.endAgentProcesses(spared);
      equal('the processes that are left', await namesOf(stage, ['server', 'agent']), ['server']);
      await expectStill(stage, 'a process that was not spared', [at('agent')]);
      await sandbox.runCommand('rm', ['-f', at('server')]);
      await untilThere(() => sandbox.pathExists(at('server')));
      equal('the file that the spared one makes', await sandbox.pathExists(at('server')), true);
      await sandbox.endAgentProcesses();
      equal('the processes that are left in the end', await namesOf(stage, ['server', 'agent']), []);
    },
  },
  {
    name: 'tells of nobody where nobody runs, and ends nobody',
    play: async ({ sandbox, equal }) => {
      await sandbox.endAgentProcesses();
      equal('the processes', await sandbox.agentProcesses(), []);
      await sandbox.endAgentProcesses();
      equal('the next command', (await sandbox.runCommand('echo', ['alive'])).stdout, 'alive\n');
    },
  },
];
