import { randomBytes } from 'node:crypto';
import { openDockerProvider } from '../../src/sandbox/docker/provider.js';
import { docker } from '../../src/sandbox/docker/spec.js';
import type { ClosedNetwork, OwnedSandbox, PreparedImage, ResourceLimits, SandboxProvider } from '../../src/sandbox/sandbox.js';

/** A real sandbox with the provider it came from. Closing it closes both. */
export interface TestSandbox extends AsyncDisposable {
  readonly provider: SandboxProvider;
  readonly sandbox: OwnedSandbox;
  readonly image: PreparedImage;
}

export const testRunId = (): string => `test-${randomBytes(4).toString('hex')}`;

/** Opens one in the project's own image. `lifetimeMs`: 10 minutes. */
export async function openTestSandbox(options: { readonly resources?: ResourceLimits; readonly lifetimeMs?: number; readonly closed?: boolean; readonly onNetwork?: (network: ClosedNetwork, provider: SandboxProvider) => Promise<void> } = {}): Promise<TestSandbox> {
  const provider = await openDockerProvider({ runId: testRunId() });
  const spec = docker(options.resources === undefined ? {} : { resources: options.resources });
  const image = await provider.prepareImage(spec);
  let network: ClosedNetwork | undefined;
  if (options.closed === true) {
    network = await provider.openClosedNetwork();
    await options.onNetwork?.(network, provider);
  }
  const sandbox = await provider.openSandbox(spec, {
    image, network: network === undefined ? { kind: 'none' } : { kind: 'closed', network }, attemptId: 'attempt', lifetimeMs: options.lifetimeMs ?? 600_000,
  });
  return { provider, sandbox, image, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() as Promise<void> };
}
