import { readFileSync } from 'node:fs';
import { availableParallelism, freemem, loadavg } from 'node:os';

/** What a machine has left. */
export interface MachineState {
  readonly cores: number;
  readonly availableBytes: number;
  /** Processes that ran or waited to, averaged over a minute. */
  readonly load: number;
}

/** So much must be left for one more Attempt. */
const LEAST_BYTES = 512 * 1024 ** 2;
/** A load of so many processes for each core means that what is there waits already. */
const MOST_LOAD = 8;
/** So many Attempts for each core may be making their sandboxes at once. */
const OPENING_PER_CORE = 2;

/**
 * Whether a machine can take one more Attempt now. The first always may: a run must go on however busy the machine is.
 *
 * @param attempts.opening Those whose sandbox is being made.
 */
export function mayStartOne(machine: MachineState, attempts: { readonly running: number; readonly opening: number }): boolean {
  if (attempts.running === 0) return true;
  return attempts.opening < machine.cores * OPENING_PER_CORE && machine.availableBytes >= LEAST_BYTES && machine.load < machine.cores * MOST_LOAD;
}

/** This machine, now. */
export function thisMachine(): MachineState {
  return { cores: availableParallelism(), availableBytes: availableBytes(), load: loadavg()[0] ?? 0 };
}

/** What the kernel could free counts as left where it says so. */
function availableBytes(): number {
  try {
    const kilobytes = /^MemAvailable:\s+(?<kilobytes>\d+) kB$/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.groups?.['kilobytes'];
    return kilobytes === undefined ? freemem() : Number(kilobytes) * 1024;
  } catch {
    return freemem(); // Not Linux.
  }
}
