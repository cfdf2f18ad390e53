import type { ClosedNetwork, NetworkPlan, SandboxProvider } from '../sandbox/sandbox.js';

/** A network of one running Attempt. Give it back, or drop it, when the sandbox in it is gone. */
export interface NetworkLease {
  readonly network: NetworkPlan;
  /** It is closed, as it was at first, and may be used again. */
  giveBack(): void;
  /** Nobody knows what state it is in: it is removed. */
  drop(): Promise<void>;
}

/** Networks that are used again: making a closed one costs more than a sandbox. */
export interface NetworkPool {
  lease(): Promise<NetworkLease>;
}

/**
 * @param prepare Called once for every new network, for instance to let the gateway in. It gets no network where the backend can
 * close none.
 */
export function createNetworkPool(provider: SandboxProvider, prepare: (network: ClosedNetwork | undefined) => Promise<void>): NetworkPool {
  const free: NetworkPlan[] = [];
  return {
    async lease() {
      const network = free.pop() ?? await openPrepared(provider, prepare);
      let out = true;
      return {
        network,
        giveBack: () => {
          if (out) free.push(network);
          out = false;
        },
        drop: async () => {
          out = false;
          if (network.kind === 'closed') await network.network[Symbol.asyncDispose]();
        },
      };
    },
  };
}

async function openPrepared(provider: SandboxProvider, prepare: (network: ClosedNetwork | undefined) => Promise<void>): Promise<NetworkPlan> {
  const network = await provider.openClosedNetwork?.();
  try {
    await prepare(network);
    return network === undefined ? { kind: 'host' } : { kind: 'closed', network };
  } catch (error) {
    await network?.[Symbol.asyncDispose]();
    throw error;
  }
}
