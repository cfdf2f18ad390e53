import { randomBytes } from 'node:crypto';
import type { ModelEndpoint } from '../agents/agent.js';
import type { Usage } from '../evidence/usage.js';
import { placeGateway, type PlacedGateway } from '../gateway/placement.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { SandboxProvider } from '../sandbox/sandbox.js';
import { createNetworkPool, type NetworkLease } from './network-pool.js';

/** A network of one Attempt with the gateway in it. */
export interface GatewayLease extends NetworkLease {
  readonly gateway: PlacedGateway;
}

/** What one Attempt holds of the model. */
export interface ModelLease {
  readonly endpoint: ModelEndpoint;
  /** Ends the token's life and tells what was counted. `undefined`: the gateway could not be asked any more. */
  close(): Promise<{ readonly requests: number; readonly usage: Usage } | undefined>;
}

/** The gateway of a run: started with the first Attempt that needs it, one network for each running Attempt. */
export interface ModelAccess {
  /** @throws GatewayGoneError, or an engine error. */
  lease(): Promise<GatewayLease>;
  /** @throws GatewayRefusedError when the script cannot be played, GatewayGoneError when the gateway is gone. */
  open(attempt: PlannedAttempt & { readonly script: NonNullable<PlannedAttempt['script']> }, lease: GatewayLease): Promise<ModelLease>;
}

/** Everything it opens belongs to the provider, which closes it. */
export function createModelAccess(provider: SandboxProvider): ModelAccess {
  let placed: Promise<PlacedGateway> | undefined;
  const pool = createNetworkPool(provider, async (network) => {
    if (placed === undefined) {
      placed = placeGateway(provider, network);
      placed.catch(() => { placed = undefined; });
      await placed;
    } else {
      const gateway = await placed;
      if (network !== undefined) await gateway.admitTo(network);
    }
  });
  return {
    async lease() {
      const lease = await pool.lease();
      return { ...lease, gateway: await (placed as Promise<PlacedGateway>) };
    },
    async open(attempt, { gateway }) {
      const token = `niceeval-${randomBytes(24).toString('hex')}`;
      await gateway.control.open({ id: attempt.id, token, script: attempt.script.script, scriptName: attempt.script.name });
      return {
        endpoint: { origin: gateway.origin, token },
        close: async () => {
          const summary = await gateway.control.close(attempt.id).catch(() => undefined);
          return summary === undefined ? undefined : { requests: summary.requests, usage: summary.usage };
        },
      };
    },
  };
}
