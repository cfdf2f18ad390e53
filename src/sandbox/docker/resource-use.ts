import type { ResourceUse } from '../sandbox.js';

const MEMORY = '/sys/fs/cgroup/memory';
// The container's own control group as it sees itself, version 1 and 2. A kernel has the files of one of them.
const FILES = {
  oom: [`${MEMORY}/memory.oom_control`, '/sys/fs/cgroup/memory.events'],
  peak: [`${MEMORY}/memory.max_usage_in_bytes`, '/sys/fs/cgroup/memory.peak'],
  nanoseconds: ['/sys/fs/cgroup/cpuacct/cpuacct.usage'],
  cpu: ['/sys/fs/cgroup/cpu.stat'],
  processes: [`${MEMORY}/cgroup.procs`, '/sys/fs/cgroup/cgroup.procs'],
  network: ['/proc/net/dev'],
} as const;

/** The files to read. */
export const RESOURCE_FILES: readonly string[] = Object.values(FILES).flat();

/** Process 1, the keeper, and the reader itself. */
const OWN_PROCESSES = 3;

/** One reading. `network` counts from the making of the network, which may be older than the sandbox. */
export type ResourceReading = Omit<ResourceUse, 'memoryLimitBytes'>;

/** Bytes that passed a network interface. */
export type Traffic = NonNullable<ResourceUse['network']>;

/** The facts in lines of `file:line`. What is missing or not a number is absent. */
export function parseResourceUse(text: string): ResourceReading {
  const lines = text.split('\n');
  const of = (files: readonly string[]): readonly string[] => files.flatMap((file) => lines.filter((line) => line.startsWith(`${file}:`)).map((line) => line.slice(file.length + 1)));
  const seconds = numberIn(of(FILES.nanoseconds), /^(\d+)$/, 1e9) ?? numberIn(of(FILES.cpu), /^usage_usec (\d+)$/, 1e6);
  const peak = numberIn(of(FILES.peak), /^(\d+)$/);
  const kills = numberIn(of(FILES.oom), /^oom_kill (\d+)$/);
  const processes = of(FILES.processes).length;
  const network = trafficOf(of(FILES.network));
  return {
    ...(seconds === undefined ? {} : { cpuSeconds: seconds }),
    ...(peak === undefined ? {} : { peakMemoryBytes: peak }),
    ...(kills === undefined ? {} : { oomKills: kills }),
    ...(processes < OWN_PROCESSES ? {} : { processesLeft: processes - OWN_PROCESSES }),
    ...(network === undefined ? {} : { network }),
  };
}

function numberIn(lines: readonly string[], pattern: RegExp, unit = 1): number | undefined {
  for (const line of lines) {
    const digits = pattern.exec(line)?.[1];
    if (digits !== undefined) return Number(digits) / unit;
  }
  return undefined;
}

/** All interfaces but the loopback. Columns of /proc/net/dev: 8 of what was received, then 8 of what was sent; bytes come first. */
function trafficOf(lines: readonly string[]): Traffic | undefined {
  const rows = lines.flatMap((line) => {
    const [name, counts = ''] = line.split(/:(.*)/s);
    const numbers = counts.trim().split(/\s+/).map(Number);
    const [receivedBytes, sentBytes] = [numbers[0], numbers[8]];
    if (name?.trim() === 'lo' || !Number.isFinite(receivedBytes) || !Number.isFinite(sentBytes)) return [];
    return [{ receivedBytes: Number(receivedBytes), sentBytes: Number(sentBytes) }];
  });
  if (rows.length === 0) return undefined;
  return rows.reduce(sumOf);
}

const NOTHING: Traffic = { receivedBytes: 0, sentBytes: 0 };

/** Both together. */
export function sumOf(one: Traffic, other: Traffic): Traffic {
  return { receivedBytes: one.receivedBytes + other.receivedBytes, sentBytes: one.sentBytes + other.sentBytes };
}

/** What passed a network that sandboxes use one after the other, told for each of them. */
export class TrafficMeter {
  /** `undefined`: the last user ended unread, and its share is not known. */
  #before: Traffic | undefined = NOTHING;
  readonly #gone: () => Traffic;

  /** @param gone What passed interfaces that are gone. Default: there were none. */
  constructor(gone: () => Traffic = () => NOTHING) {
    this.#gone = gone;
  }

  /** Begins a user's share. @returns takes the network's total and tells the share. */
  begin(): (total: Traffic | undefined) => Traffic | undefined {
    const before = this.#before;
    this.#before = undefined;
    return (living) => {
      const total = living === undefined ? undefined : sumOf(living, this.#gone());
      this.#before = total;
      if (before === undefined || total === undefined) return undefined;
      return { receivedBytes: total.receivedBytes - before.receivedBytes, sentBytes: total.sentBytes - before.sentBytes };
    };
  }
}
