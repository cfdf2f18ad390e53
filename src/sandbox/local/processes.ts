import { readdirSync, readFileSync } from 'node:fs';
import { SandboxProcessError } from '../errors.js';
import type { AgentProcess, SparedProcesses } from '../sandbox.js';
import { unspared } from '../spared.js';

/** The variable in the environment of every process of a place. Where one place runs inside another it names both. */
export const MARKER_VARIABLE = 'NICEEVAL_LOCAL';

const ROUNDS = 200;
const PAUSE_MS = 10;
/** A process that forks while it is looked for is seen the next time. */
const EMPTY_LOOKS = 2;

interface Seen extends AgentProcess {
  readonly session: string;
  readonly marked: boolean;
}

/** What the marker of a new process is: that of a process of ours around this one, if there is one, and its own. */
export function markerValue(marker: string): string {
  const around = process.env[MARKER_VARIABLE];
  return around === undefined || around === '' ? marker : `${around}:${marker}`;
}

/**
 * The living processes of a place: those that carry its marker, those in a session with one of them, and what descends from
 * any of these. A process that cleared its environment, left its session and lost its parent is not found.
 *
 * @param groups Where the system has no /proc, the process groups that were started; then each living group counts as one process.
 */
export function markedProcesses(marker: string, groups: ReadonlySet<number>): readonly AgentProcess[] {
  const all = allProcesses(marker);
  if (all === undefined) return [...groups].filter(isGroupAlive).map((group) => ({ pid: String(group), parent: '0', command: `process group ${group}` }));
  const sessions = new Set(all.filter(({ marked }) => marked).map(({ session }) => session));
  const found = new Set(all.filter(({ marked, session }) => marked || sessions.has(session)).map(({ pid }) => pid));
  for (let grew = true; grew;) {
    const more = all.filter(({ pid, parent }) => found.has(parent) && !found.has(pid));
    for (const { pid } of more) found.add(pid);
    grew = more.length > 0;
  }
  return all.filter(({ pid }) => found.has(pid) && pid !== String(process.pid)).map(({ pid, parent, command }) => ({ pid, parent, command }));
}

/**
 * Ends the processes of a place. Resolves when none is left.
 *
 * @throws SandboxProcessError when some cannot be ended.
 */
export async function endMarked(marker: string, groups: ReadonlySet<number>, spared: SparedProcesses = { pids: new Set(), innerPids: [] }): Promise<void> {
  let left: readonly AgentProcess[] = [];
  for (let round = 0, empty = 0; round < ROUNDS; round += 1) {
    left = unspared(markedProcesses(marker, groups), spared);
    empty = left.length === 0 ? empty + 1 : 0;
    if (empty === EMPTY_LOOKS) return;
    for (const { pid } of left) kill(Number(pid), groups.has(Number(pid)) && !hasProcessTable());
    // A killed process stays for a moment until the kernel has taken it down.
    if (left.length > 0) await new Promise((resolve) => { setTimeout(resolve, PAUSE_MS); });
  }
  throw new SandboxProcessError(left.map(({ pid, command }) => `${pid} (${command})`));
}

function kill(pid: number, asGroup: boolean): void {
  try {
    process.kill(asGroup ? -pid : pid, 'SIGKILL');
  } catch (error) {
    // Gone already, or not ours any more: the next look tells.
    if (!['ESRCH', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))) throw error;
  }
}

function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

function hasProcessTable(): boolean {
  return readOrNothing('/proc/self/stat') !== undefined;
}

/** `undefined`: the system has no /proc, for instance macOS. */
function allProcesses(marker: string): readonly Seen[] | undefined {
  if (!hasProcessTable()) return undefined;
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
    const stat = readOrNothing(`/proc/${pid}/stat`)?.toString('latin1');
    if (stat === undefined) return [];
    const [state = 'X', parent = '0', , session = '0'] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return [];
    return [{ pid, parent, session, marked: carries(pid, marker), command: commandOf(pid) ?? stat.slice(stat.indexOf('('), stat.lastIndexOf(')') + 1) }];
  });
}

/** Processes of other users show their environment to nobody; they carry no marker of ours. */
function carries(pid: string, marker: string): boolean {
  const start = `${MARKER_VARIABLE}=`;
  const entry = readOrNothing(`/proc/${pid}/environ`)?.toString('latin1').split('\0').find((line) => line.startsWith(start));
  return entry !== undefined && entry.slice(start.length).split(':').includes(marker);
}

function commandOf(pid: string): string | undefined {
  const words = readOrNothing(`/proc/${pid}/cmdline`)?.toString('utf8').split('\0').join(' ').trim();
  return words === '' ? undefined : words;
}

function readOrNothing(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // It ended, or is not ours to look at.
  }
}
