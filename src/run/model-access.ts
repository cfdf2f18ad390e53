import type { PlacedGateway } from '../gateway/placement.js';
import { placeGateway } from '../gateway/placement.js';
import type { SessionMode } from '../gateway/session-mode.js';
import type { Upstreams } from '../gateway/upstream.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { ClosedNetwork, SandboxProvider } from '../sandbox/sandbox.js';
import { openAttemptCassette, type CassetteUse } from './attempt-cassette.js';
import { createModelLease, freshToken, SessionMeter, type ModelLease } from './model-lease.js';
import { createNetworkPool, type NetworkLease, type NetworkPool } from './network-pool.js';
import type { GatewayCount } from './result.js';
import { pacedModelOf } from './paced-model.js';
import type { RateMemory } from './rate-memory.js';
import { seenFromContainer } from './seen-from-gateway.js';
import type { Services } from './services.js';

/** A network of one Attempt with the gateway in it. */
export interface GatewayLease extends NetworkLease {
  readonly gateway: PlacedGateway;
}

/** Who decides over the requests of an Attempt. */
export interface ModelWatch {
  /** Told of what was spent on the wire so far. */
  readonly onSpent?: (spent: GatewayCount) => void;
  /** Why its model may not be asked once more. `undefined`: it may. Absent: nobody limits it. */
  readonly mayGo?: () => string | undefined;
}

/** The gateway of a run: started with the first Attempt that needs it, one network for each running Attempt. */
export interface ModelAccess {
  /** @throws GatewayGoneError, or an engine error. */
  lease(): Promise<GatewayLease>;
  /** @throws GatewayRefusedError when the script cannot be played, GatewayGoneError when the gateway is gone, ModelKeyError. */
  open(attempt: PlannedAttempt, lease: GatewayLease, watch: ModelWatch): Promise<ModelLease>;
}

/** A gateway with the networks that it is in. */
interface Placement {
  readonly pool: NetworkPool;
  gateway: Promise<PlacedGateway> | undefined;
  /** It went away: nobody is led to it any more. */
  isGone: boolean;
}

/** What models are asked with. */
export interface ModelAccessOptions {
  readonly services: Services;
  readonly rates: RateMemory;
  /** What is done with answers of services. Default: they are neither kept nor replayed. */
  readonly cassettes?: CassetteUse | undefined;
}

/**
 * Everything it opens belongs to the provider, which closes it.
 */
export function createModelAccess(provider: SandboxProvider, { services, rates, cassettes }: ModelAccessOptions): ModelAccess {
  let current: Placement | undefined;

  /** A new gateway takes the place of one that went away, with networks of its own; those of the dead one go with the backend. */
  const placement = (): Placement => {
    if (current === undefined || current.isGone) current = place(provider);
    return current;
  };

  return {
    async lease() {
      const placed = placement();
      const lease = await placed.pool.lease();
      return { ...lease, gateway: await (placed.gateway as Promise<PlacedGateway>) };
    },
    async open(attempt, lease, watch) {
      const { gateway } = lease;
      const token = freshToken();
      const meter = new SessionMeter();
      const secrets = [token];
      const cassette = attempt.services === undefined || cassettes === undefined ? undefined
        : await openAttemptCassette(cassettes, { attempt, volatile: attempt.services.volatile ?? [], secrets });
      const upstreamsOf = async (): Promise<Upstreams> => {
        const upstreams = await services.upstreamsOf(attempt.services ?? {});
        return lease.network.kind === 'closed' ? seenFromContainer(upstreams) : upstreams;
      };
      const mode = await modeOf(attempt, upstreamsOf, { replays: cassette?.answer !== undefined, forwards: cassettes?.kind !== 'replay' });
      secrets.push(...services.secrets());
      if (forwards(mode)) await gateway.letOut();
      const key = forwards(mode) ? keyOf(attempt) : undefined;
      const refresh = keepFresh(attempt, services, { gateway, upstreamsOf, onKeys: () => secrets.push(...services.secrets().filter((secret) => !secrets.includes(secret))) });
      const faults = attempt.experiment.gateway?.faults;
      await gateway.control.open({
        id: attempt.id, token, mode,
        ...(faults === undefined ? {} : { faults }),
        ...(lease.network.kind === 'closed' ? { address: lease.network.network.serviceAddress } : {}),
      }, {
        ...(watch.mayGo === undefined && key === undefined ? {} : { mayGo: async () => {
          const refusal = watch.mayGo?.() ?? (key === undefined ? undefined : await afterWait(key, rates, watch.mayGo));
          if (refusal === undefined) meter.asked();
          return refusal;
        } }),
        ...(cassette?.answer === undefined ? {} : { answer: cassette.answer }),
        ...(cassette?.tape === undefined ? {} : { onTape: cassette.tape }),
        onUsage: ({ ordinal, model, usage }) => {
          meter.told(ordinal, model, usage);
          watch.onSpent?.(meter.spent);
        },
        onExchange: (exchange) => {
          meter.ended(exchange);
          watch.onSpent?.(meter.spent);
          if (key !== undefined && exchange.outcome === 'forwarded') rates.told(key, pacedModelOf(attempt), exchange);
          if (exchange.outcome === 'forwarded' && exchange.status === 401) refresh.now();
        },
      });
      return createModelLease({ gateway, sessionId: attempt.id, token, meter, cassette, onToken: (own) => secrets.push(own), onClose: refresh.end });
    },
  };
}

function place(provider: SandboxProvider): Placement {
  const placement: Placement = {
    isGone: false,
    gateway: undefined,
    pool: createNetworkPool(provider, async (network) => {
      if (placement.gateway === undefined) {
        placement.gateway = started(provider, network, placement);
        placement.gateway.catch(() => { placement.gateway = undefined; });
        await placement.gateway;
      } else {
        const gateway = await placement.gateway;
        if (network !== undefined) await gateway.admitTo(network);
      }
    }),
  };
  return placement;
}

async function started(provider: SandboxProvider, network: ClosedNetwork | undefined, placement: Placement): Promise<PlacedGateway> {
  const gateway = await placeGateway(provider, network);
  void gateway.control.closed.then(() => { placement.isGone = true; });
  return gateway;
}

async function modeOf({ script, services: input }: PlannedAttempt, upstreamsOf: () => Promise<Upstreams>, { replays, forwards }: { readonly replays: boolean; readonly forwards: boolean }): Promise<SessionMode> {
  if (script !== undefined) return { kind: 'scripted', script: script.script, scriptName: script.name };
  const { sampling } = input ?? {};
  const forward = forwards ? { kind: 'forward' as const, upstreams: await upstreamsOf(), ...(sampling === undefined ? {} : { sampling }) } : undefined;
  if (!replays && forward !== undefined) return forward;
  return { kind: 'replay', ...(forward === undefined ? {} : { forward }) };
}

function forwards(mode: SessionMode): boolean {
  return mode.kind === 'forward' || (mode.kind === 'replay' && mode.forward !== undefined);
}

/** Whose limits an Attempt shares: those of all who ask the same services by the same keys. */
function keyOf({ services }: PlannedAttempt): string {
  const { sampling: _sampling, volatile: _volatile, ...asked } = services ?? {};
  return JSON.stringify(asked);
}

/** Waits while a service has said that it is asked too much. @returns why the request may not go after all. */
async function afterWait(key: string, rates: RateMemory, mayGo: ModelWatch['mayGo']): Promise<string | undefined> {
  for (let ms = rates.waitMs(key); ms > 0; ms = rates.waitMs(key)) {
    await new Promise((resolve) => { setTimeout(resolve, ms).unref(); });
    const refusal = mayGo?.();
    if (refusal !== undefined) return refusal;
  }
  rates.spent(key);
  return undefined;
}

/** Gives the session new keys when those that it has are over, or were refused. */
function keepFresh({ id, services: input }: PlannedAttempt, services: Services, { gateway, upstreamsOf, onKeys }: { readonly gateway: PlacedGateway; readonly upstreamsOf: () => Promise<Upstreams>; readonly onKeys: () => void }): { now(): void; end(): void } {
  const ms = input === undefined ? undefined : services.refreshMsOf(input);
  if (input === undefined || ms === undefined) return { now: () => undefined, end: () => undefined };
  let lastMs = performance.now();
  const renew = (): void => {
    lastMs = performance.now();
    // Keys that cannot be had are told by whoever is refused for want of them.
    upstreamsOf().then((upstreams) => {
      onKeys();
      return gateway.control.setUpstreams(id, upstreams);
    }).catch(() => undefined);
  };
  const timer = setInterval(renew, ms).unref();
  return {
    now: () => {
      // One key that is wrong for good must not run the command for every request.
      if (performance.now() - lastMs < LEAST_RENEWAL_MS) return;
      services.refused();
      renew();
    },
    end: () => clearInterval(timer),
  };
}

const LEAST_RENEWAL_MS = 1_000;
