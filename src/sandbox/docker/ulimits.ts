import { messageOf } from '../../lifetime/error.js';
import { statusCodeOf } from './engine.js';

/** A limit of each process, or of each user, as the engine takes it. */
export interface Ulimit { readonly Name: string; readonly Soft: number; readonly Hard: number }

/** Open files of each process. */
export const DEFAULT_NOFILE = 16_384;
/** Counted over all that a user runs on the machine, so it is far above what one sandbox may have. */
const USER_PROCESSES = 16_384;

/**
 * Finds out, once for an engine, which limits it can set. Podman sets the processes of a user to more than it may have itself, unless
 * it is told a number; an engine whose own limit of open files is lower than the default cannot raise it, and then its own stands.
 */
export class UlimitChoice {
  /** The first plan that was not refused. */
  #plan = 0;

  /**
   * Starts a container by `work`, again with other limits where the engine refuses these.
   *
   * @param nofile What the author asked for, which is never left out. Absent: the default.
   */
  async take<T>(work: (ulimits: Ulimit[]) => Promise<T>, nofile?: number): Promise<T> {
    const files = limit('nofile', nofile ?? DEFAULT_NOFILE);
    const plans = [[files], [files, limit('nproc', USER_PROCESSES)], ...(nofile === undefined ? [[]] : [])];
    for (let plan = Math.min(this.#plan, plans.length - 1); ; plan += 1) {
      try {
        return await work(plans[plan] ?? []);
      } catch (error) {
        if (plan >= plans.length - 1 || !isRefusedLimit(error)) throw error;
        this.#plan = Math.max(this.#plan, plan + 1);
      }
    }
  }
}

function limit(name: string, value: number): Ulimit {
  return { Name: name, Soft: value, Hard: value };
}

/** An engine without CAP_SYS_RESOURCE, as one in a container, cannot raise its own limits. It has only words for that. */
function isRefusedLimit(error: unknown): boolean {
  return statusCodeOf(error) !== undefined && /setting rlimit/.test(messageOf(error));
}
