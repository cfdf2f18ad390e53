import type { ClosedNetwork, SandboxProvider } from '../sandbox/sandbox.js';

/** A network of one running Attempt. Give it back, or drop it, when the sandbox in it is gone. */
export interface NetworkLease {
  readonly network: ClosedNetwork;
  /** It is closed, as it was at first, and may be used again. */
  giveBack(): void;
  /** Nobody knows what state it is in: it is removed. */
  drop(): Promise<void>;
}

/** Closed networks that are used again: making one costs more than a sandbox. */
export interface NetworkPool {
  lease(): Promise<NetworkLease>;
}

/** @param prepare Called once for every new network, for instance to let the gateway in. */
export function createNetworkPool(provider: SandboxProvider, prepare: (network: ClosedNetwork) => Promise<void>): NetworkPool {
  const free: ClosedNetwork[] = [];
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
          await network[Symbol.asyncDispose]();
        },
      };
    },
  };
}

async function openPrepared(provider: SandboxProvider, prepare: (network: ClosedNetwork) => Promise<void>): Promise<ClosedNetwork> {
  const network = await provider.openClosedNetwork();
  try {
    await prepare(network);
    return network;
  } catch (error) {
    await network[Symbol.asyncDispose]();
    throw error;
  }
}
