import { defineConfig } from 'vitest/config';

// One engine, two cores: files one after the other, so that a test's own time limits mean something.
const withEngine = { fileParallelism: false, testTimeout: 240_000, hookTimeout: 240_000 } as const;

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'unit', setupFiles: ['test/support/equal-outcomes.ts'], include: ['test/**/*.test.ts'], exclude: ['test/docker/**', 'test/cli/**'], testTimeout: 30_000 } },
      { extends: true, test: { name: 'engine', include: ['test/docker/**/*.test.ts'], ...withEngine } },
      { extends: true, test: { name: 'cli', include: ['test/cli/**/*.test.ts'], ...withEngine } },
    ],
  },
});
