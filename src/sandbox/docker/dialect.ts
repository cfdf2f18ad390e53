/** In what engines differ that speak the same API. */
export interface Dialect {
  /** The table of processes, and the names of its columns. */
  readonly processes: { readonly psArgs: string; readonly pid: string; readonly parent: string; readonly user: string; readonly state: string };
  /** Whether an execution that has ended still has its process number: without one it never ran, and the output is the engine's own. */
  readonly tellsWhatRan: boolean;
  /** Entries of a service's hosts file by which it finds the engine's machine, as `host.docker.internal`. Podman has one of its own. */
  readonly machineHosts: readonly string[];
  /** Characters that the engine takes for a pattern in the path of a file: it may answer with another file. Absent: none. */
  readonly patterns?: RegExp;
}

export const DOCKER: Dialect = {
  processes: { psArgs: '-eo pid,ppid,uid,stat,args', pid: 'PID', parent: 'PPID', user: 'UID', state: 'STAT' },
  tellsWhatRan: true,
  machineHosts: ['host.docker.internal:host-gateway'],
};

/**
 * Podman (4.3) reads the table itself for a list of its own names, and runs the container's `ps` for anything else. It forgets the
 * number of a process that has ended, and writes its own messages to the command's standard error.
 */
export const PODMAN: Dialect = {
  processes: { psArgs: 'pid,ppid,user,state,args', pid: 'PID', parent: 'PPID', user: 'USER', state: 'STATE' },
  tellsWhatRan: false,
  machineHosts: [],
  patterns: /[*?[\\]/,
};

/** @param components The parts that an engine tells of in its version. */
export function dialectOf(components: readonly { readonly Name: string }[]): Dialect {
  return components.some(({ Name: name }) => /podman/i.test(name)) ? PODMAN : DOCKER;
}
