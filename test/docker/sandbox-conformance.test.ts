import { afterAll, describe, it } from 'vitest';
import { sandboxConformance } from '../../src/sandbox/conformance/sandbox-conformance.js';
import { openDockerProvider } from '../../src/sandbox/docker/provider.js';
import { docker } from '../../src/sandbox/docker/spec.js';
import { testRunId } from '../support/sandboxes.js';

/** What Docker 20.10 cannot do; each was seen. */
const SKIPS = {
  'says that a file is no program': 'the engine gives the execution a process number and the exit code 1, as if the file had run',
  'archives names that are no text as the bytes they are': 'the engine writes U+FFFD in the place of such bytes',
};

describe('the Docker backend', () => {
  const provider = openDockerProvider({ runId: testRunId() });
  afterAll(async () => { await (await provider)[Symbol.asyncDispose](); });

  for (const { title, run } of sandboxConformance({ name: 'docker', provider: () => provider, spec: docker(), skips: SKIPS })) it(title, run);
});
