import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** The process that made a resource. */
export interface Owner {
  readonly host: string;
  /** Changes with every boot of the host. */
  readonly bootId: string;
  readonly pid: number;
  /** When the process started, in clock ticks since boot; tells a reused pid from the same process. */
  readonly startTime: string;
}

/** `alive` and `dead` are certain; `unknown` is an owner that cannot be looked at from here. */
export type OwnerState = 'alive' | 'dead' | 'unknown';

/** This process. */
export function currentOwner(): Owner {
  return { host: hostname(), bootId: bootId(), pid: process.pid, startTime: startTimeOf(process.pid) ?? 'unknown' };
}

/** One label value: the four facts, separated by spaces, each percent-encoded. */
export function formatOwner(owner: Owner): string {
  return [owner.host, owner.bootId, String(owner.pid), owner.startTime].map(encodeURIComponent).join(' ');
}

/** The owner in a label value, or `undefined` when the value is not one. */
export function parseOwner(label: string | undefined): Owner | undefined {
  const parts = (label ?? '').split(' ').map(decode);
  const [host, boot, pid, startTime] = parts;
  if (parts.length !== 4 || host === undefined || boot === undefined || startTime === undefined) return undefined;
  const number = Number(pid);
  return Number.isInteger(number) && number > 0 ? { host, bootId: boot, pid: number, startTime } : undefined;
}

/** Whether the owner still lives. A process of another host is `unknown`; so is one whose facts are missing. */
export function ownerStateOf(owner: Owner): OwnerState {
  const self = currentOwner();
  if (owner.host !== self.host || owner.bootId === 'unknown' || self.bootId === 'unknown') return 'unknown';
  if (owner.bootId !== self.bootId) return 'dead';
  if (owner.startTime === 'unknown') return 'unknown';
  return startTimeOf(owner.pid) === owner.startTime ? 'alive' : 'dead';
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown'; // No /proc, for instance on macOS.
  }
}

/** Field 22 of /proc/PID/stat. `undefined` when there is no such process, or it is a zombie. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses, which may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function decode(text: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
