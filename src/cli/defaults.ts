import { DEFAULT_RETRIES } from '../run/retry.js';

/** What holds where nobody says anything. */
export const BUILT_IN = { maxConcurrency: 2, maxBuildConcurrency: 2, attempts: 1, retries: DEFAULT_RETRIES } as const;
