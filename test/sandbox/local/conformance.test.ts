import { randomBytes } from 'node:crypto';
import { afterAll, describe, it } from 'vitest';
import { sandboxConformance } from '../../../src/sandbox/conformance/sandbox-conformance.js';
import { docker } from '../../../src/sandbox/docker/spec.js';
import { openLocalProvider } from '../../../src/sandbox/local/provider.js';

describe('the local backend', () => {
  const provider = openLocalProvider({ runId: `test-${randomBytes(4).toString('hex')}` });
  afterAll(async () => { await (await provider)[Symbol.asyncDispose](); });

  for (const { title, run } of sandboxConformance({ name: 'local', provider: () => provider, spec: docker() })) it(title, run);
});
