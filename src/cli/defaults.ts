/** What holds where nobody says anything. */
export const BUILT_IN = { maxConcurrency: 2, maxBuildConcurrency: 2, attempts: 1, retries: 2 } as const;
