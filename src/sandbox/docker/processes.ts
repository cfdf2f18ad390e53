import { EngineCallError, EngineSilentError } from '../errors.js';
import type { AgentProcess, SparedProcesses } from '../sandbox.js';
import { unspared } from '../spared.js';
import type { Engine } from './engine.js';
import { execInContainer, type ExecTarget } from './exec.js';

const ROUNDS = 5;

/** A user of a container. Tables of processes tell the number, or the name where there is one. */
export interface ContainerUser { readonly name: string; readonly uid: number }

/** The living processes of one user. Read by the engine from outside, so nothing inside can hide one. */
export async function listProcesses(engine: Engine, containerId: string, user: ContainerUser): Promise<readonly AgentProcess[]> {
  const { processes: names } = engine.dialect;
  const top = await engine.call('list processes', (docker) => docker.getContainer(containerId).top({ ps_args: names.psArgs })) as {
    Titles: string[];
    Processes: string[][] | null;
  };
  const column = (name: string): number => top.Titles.findIndex((title) => title.toUpperCase() === name);
  const [pid, parent, owner, state, command] = [column(names.pid), column(names.parent), column(names.user), column(names.state), column('COMMAND')];
  if (pid < 0 || parent < 0 || owner < 0) throw new EngineCallError('list processes', undefined, `its table has the columns ${top.Titles.join(', ')}`);
  return (top.Processes ?? [])
    .filter((row) => [String(user.uid), user.name].includes(row[owner]?.trim() ?? '') && !/^[ZX]/.test(row[state] ?? ''))
    .map((row) => ({ pid: row[pid]?.trim() ?? '', parent: row[parent]?.trim() ?? '', command: row[command] ?? '' }));
}

/**
 * Ends every process of a user. `kill -9 -1` reaches all of them in one step of the kernel, also those that left
 * their session or were adopted, and spares its caller. Root's processes are ended one by one, since the same call
 * would end the container's own keeper; so are the others when some are spared.
 */
export async function endProcesses(
  target: ExecTarget,
  user: { readonly name: string; readonly uid?: number },
  spared: SparedProcesses = { pids: new Set(), innerPids: [] },
): Promise<void> {
  const isRoot = user.uid === 0 || user.name === 'root' || user.name === '0';
  const script = isRoot ? END_ROOT_PROCESSES : spared.innerPids.length === 0 ? 'kill -9 -1' : END_UNSPARED_PROCESSES;
  // The script may be ended by itself; what counts is that nobody is left.
  const alone: ExecTarget = { ...target, endProcesses: () => Promise.resolve() };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { exitCode } = await execInContainer(alone, ['/bin/sh', '-c', script, 'sh', ...spared.innerPids], { user: user.name, cwd: '/', timeoutMs: 10_000 });
    if (exitCode === 126 || exitCode === 127) return restart(target);
    if (user.uid === undefined || isRoot) return;
    const left = await listProcesses(target.engine, target.containerId, { name: user.name, uid: user.uid });
    if (unspared(left, spared).length === 0) return;
  }
  throw new EngineSilentError('end the processes of a command', ROUNDS * 10_000);
}

// Spares process 1, the shell itself, and the keeper: the first `sleep` that process 1 started, so the one with the
// lowest number. Orphans become children of process 1 too.
const END_ROOT_PROCESSES = `
keeper=
for round in 1 2 3; do
  for dir in /proc/[0-9]*; do
    pid=\${dir#/proc/}
    [ "$pid" = 1 ] || [ "$pid" = $$ ] && continue
    read -r stat < "$dir/stat" 2>/dev/null || continue
    set -- \${stat##*) }
    case "$stat" in *'(sleep)'*) [ "$2" = 1 ] && { [ -z "$keeper" ] || [ "$pid" -lt "$keeper" ]; } && keeper=$pid ;; esac
    [ "$round" = 1 ] || [ "$pid" = "$keeper" ] || kill -9 "$pid" 2>/dev/null
  done
done
exit 0`;

// Ends all processes of its own user but itself, those whose numbers it is given, and what descends from these.
const END_UNSPARED_PROCESSES = `
spared=" $* "
is_spared() {
  at=$1
  while [ "$at" -gt 1 ]; do
    case "$spared" in *" $at "*) return 0 ;; esac
    read -r stat < "/proc/$at/stat" 2>/dev/null || return 1
    set -- \${stat##*) }
    at=$2
  done
  return 1
}
for round in 1 2 3; do
  for dir in /proc/[0-9]*; do
    pid=\${dir#/proc/}
    [ -O "$dir" ] && [ "$pid" != $$ ] || continue
    is_spared "$pid" || kill -9 "$pid" 2>/dev/null
  done
done
exit 0`;

/** The numbers, inside the container, of the living processes of a user. */
export async function innerPidsOf(target: ExecTarget, user: string): Promise<readonly string[]> {
  let output = '';
  const script = 'for dir in /proc/[0-9]*; do [ -O "$dir" ] && [ "$dir" != /proc/$$ ] && echo "${dir#/proc/}"; done; exit 0';
  await execInContainer(target, ['/bin/sh', '-c', script], {
    user, cwd: '/', timeoutMs: 10_000, onStdout: (chunk) => { output += Buffer.from(chunk).toString('latin1'); },
  });
  return output.split('\n').filter((line) => line !== '');
}

/** An image without a shell: a restart ends all its processes and keeps its files. */
async function restart(target: ExecTarget): Promise<void> {
  await target.engine.call('restart a container', (docker) => docker.getContainer(target.containerId).restart({ t: 0 }));
}
