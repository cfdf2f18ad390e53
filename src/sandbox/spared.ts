import type { AgentProcess, SparedProcesses } from './sandbox.js';

/** The processes that are neither spared nor descend from one that is: a server that is spared may start others. */
export function unspared(processes: readonly AgentProcess[], spared: SparedProcesses): readonly AgentProcess[] {
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  return processes.filter(({ pid }) => {
    const seen = new Set<string>();
    for (let at: string | undefined = pid; at !== undefined && !seen.has(at); at = parents.get(at)) {
      if (spared.pids.has(at)) return false;
      seen.add(at);
    }
    return true;
  });
}

/** All that is spared by any of them. */
export function together(all: readonly SparedProcesses[]): SparedProcesses {
  return { pids: new Set(all.flatMap(({ pids }) => [...pids])), innerPids: [...new Set(all.flatMap(({ innerPids }) => innerPids))] };
}

/** What is spared by the first and by none of the others. */
export function without(some: SparedProcesses, others: readonly SparedProcesses[]): SparedProcesses {
  const out = together(others);
  return { pids: new Set([...some.pids].filter((pid) => !out.pids.has(pid))), innerPids: some.innerPids.filter((pid) => !out.innerPids.includes(pid)) };
}
