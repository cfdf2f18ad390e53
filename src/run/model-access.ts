import { createHash } from 'node:crypto';
import type { PlacedGateway } from '../gateway/placement.js';
import { placeGateway } from '../gateway/placement.js';
import type { SessionMode } from '../gateway/session-mode.js';
import type { ProtocolName } from '../gateway/protocol.js';
import { VENDORS, vendorOf, type Upstream, type Upstreams, type Vendor } from '../gateway/upstream.js';
import type { PlannedAttempt } from '../plan/plan.js';
import type { ClosedNetwork, SandboxProvider } from '../sandbox/sandbox.js';
import { openAttemptCassette, type CassetteUse } from './attempt-cassette.js';
import { keepKeysFresh, type KeyRenewal } from './key-renewal.js';
import { createModelLease, freshToken, type ModelLease } from './model-lease.js';
import { createRateWait } from './rate-wait.js';
import { SessionMeter } from './session-meter.js';
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
      const doesForward = attempt.services !== undefined && cassettes?.kind !== 'replay';
      const upstreams = doesForward ? await upstreamsOf() : {};
      const mode = modeOf(attempt, { replays: cassette?.answer !== undefined, ...(doesForward && { upstreams }) });
      secrets.push(...services.secrets());
      if (doesForward) await gateway.letOut();
      const keys = new Map(VENDORS.map((vendor) => [vendor, rateKeyOf(vendor, upstreams[vendor])]));
      const keyFor = (protocol: ProtocolName): string | undefined => keys.get(vendorOf(protocol));
      const wait = createRateWait(rates);
      const mayGo = (): string | undefined => watch.mayGo?.();
      const faults = attempt.experiment.gateway?.faults;
      const session: Parameters<typeof gateway.control.open>[0] = {
        id: attempt.id, token, mode,
        ...(faults === undefined ? {} : { faults }),
        ...(lease.network.kind === 'closed' ? { address: lease.network.network.serviceAddress } : {}),
      };
      const kept: { renewal?: KeyRenewal } = {};
      await gateway.control.open(session, {
        ...(watch.mayGo === undefined && !doesForward ? {} : { mayGo: async (protocol: ProtocolName) => {
          const key = keyFor(protocol);
          const refusal = mayGo() ?? (key === undefined ? undefined : await wait.before(key, mayGo));
          if (refusal !== undefined) return refusal;
          meter.asked();
          watch.onSpent?.(meter.spent);
          return undefined;
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
          const key = exchange.protocol === null ? undefined : keyFor(exchange.protocol);
          if (key !== undefined && exchange.outcome === 'forwarded') rates.told(key, pacedModelOf(attempt), exchange);
          if (exchange.outcome === 'forwarded' && exchange.status === 401) kept.renewal?.now();
        },
      });
      kept.renewal = keepKeysFresh(doesForward ? attempt.services : undefined, services, async () => {
        const renewed = await upstreamsOf();
        secrets.push(...services.secrets().filter((secret) => !secrets.includes(secret)));
        for (const vendor of VENDORS) keys.set(vendor, rateKeyOf(vendor, renewed[vendor]));
        await gateway.control.setUpstreams(attempt.id, renewed);
        return renewed;
      });
      return createModelLease({
        gateway, sessionId: attempt.id, token, meter, cassette,
        onToken: (own) => secrets.push(own),
        heldMs: () => wait.heldMs,
        onClose: async () => {
          wait.end();
          await kept.renewal?.end();
        },
      });
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

function modeOf({ script, services: input }: PlannedAttempt, { replays, upstreams }: { readonly replays: boolean; readonly upstreams?: Upstreams }): SessionMode {
  if (script !== undefined) return { kind: 'scripted', script: script.script, scriptName: script.name };
  const { sampling } = input ?? {};
  const forward = upstreams === undefined ? undefined : { kind: 'forward' as const, upstreams, ...(sampling === undefined ? {} : { sampling }) };
  if (!replays && forward !== undefined) return forward;
  return { kind: 'replay', ...(forward === undefined ? {} : { forward }) };
}

/** Whose limits a request counts against: those of all who ask the same service by the same key. */
function rateKeyOf(vendor: Vendor, upstream: Upstream | undefined): string | undefined {
  return upstream === undefined ? undefined : createHash('sha256').update(JSON.stringify([vendor, upstream.baseUrl, upstream.headers])).digest('hex');
}
