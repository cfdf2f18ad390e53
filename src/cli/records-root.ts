import { join, resolve } from 'node:path';

/** Where the runs of a project are recorded. */
export function recordsRoot(dir: string): string {
  return join(resolve(dir), '.niceeval', 'runs');
}
