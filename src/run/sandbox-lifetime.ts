import type { Deadline } from '../lifetime/deadline.js';
import type { KeepSandbox } from './attempt-world.js';

/** Time beyond the Attempt's own that capture and cleanup may take, should nobody come back for the sandbox. */
const GRACE_MS = 10 * 60_000;
/** How long a sandbox lives at the most when the Attempt has no limit. */
const UNLIMITED_MS = 24 * 60 * 60_000;
/** How long a sandbox lives that may be kept for people. */
const KEPT_MS = 24 * 60 * 60_000;

/** After how many milliseconds the sandbox of an Attempt ends by itself, should nobody end it. */
export function sandboxLifetimeMs(deadline: Deadline, keep: KeepSandbox | undefined): number {
  const ownMs = Math.min(deadline.remainingMs(), UNLIMITED_MS) + GRACE_MS;
  return keep === undefined ? ownMs : Math.max(ownMs, KEPT_MS);
}
