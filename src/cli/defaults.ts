/** What holds where nobody says anything. */
export const BUILT_IN = { maxConcurrency: 2, attempts: 1 } as const;
