import { isIP } from 'node:net';
import type { NetworkInspectInfo } from 'dockerode';
import { EngineCallError } from '../errors.js';
import type { ClosedNetwork } from '../sandbox.js';
import { statusCodeOf, type Engine } from './engine.js';
import { openHolder, type Holder } from './holder.js';
import { sumOf, type Traffic } from './resource-use.js';
import type { Outside } from './outside.js';
import { createSubnet, removeNetwork } from './subnets.js';
import type { UlimitChoice } from './ulimits.js';

/** Docker's own option. */
const NO_HOST_ADDRESS = 'com.docker.network.bridge.inhibit_ipv4';
/** The service's place among the addresses of a network. */
const SERVICE_HOST = 14;

/** A closed network of the Docker backend: sandboxes join the namespace of its holder. */
export interface DockerClosedNetwork extends ClosedNetwork {
  /** For `HostConfig.NetworkMode` of a sandbox. */
  readonly networkMode: string;
  readonly name: string;
  /** Makes the service known inside the network. */
  announce(hostname: string): Promise<void>;
  /** What passed ways out that are shut by now; the kernel forgets it with them. */
  passedBefore(): Traffic;
}

/**
 * Makes a network that has no way out: internal, without an address of the host, with no default route, and with
 * name resolution that ends in the network.
 *
 * @param options.image An image with `sh` and `ip`.
 * @param options.outside Gives the way out of the run when one is wanted.
 */
export async function openClosedNetwork(
  engine: Engine,
  options: { readonly image: string; readonly runId: string; readonly ulimits: UlimitChoice; readonly outside: () => Promise<Outside> },
): Promise<DockerClosedNetwork> {
  const { id, name, address } = await createSubnet(engine, {
    runId: options.runId, name: '', prefix: '10.213', count: 4096, addressesEach: 16,
    // No address of the host on the bridge: nothing that listens on the host can be reached through it.
    settings: { Internal: true, Options: { [NO_HOST_ADDRESS]: 'true' } },
  });
  let holder: Holder;
  try {
    await noHostAddress(engine, id);
    holder = await openHolder(engine, { ...options, network: name });
  } catch (error) {
    await removeNetwork(engine, id);
    throw error;
  }
  const serviceAddress = address(SERVICE_HOST);
  const announce = async (hostname: string): Promise<void> => {
    await holder.order('host', serviceAddress, hostname);
    await holder.order('names', serviceAddress);
  };
  const admitted: string[] = [];
  let passed: Traffic = { receivedBytes: 0, sentBytes: 0 };
  return {
    id,
    name,
    networkMode: `container:${holder.id}`,
    serviceAddress,
    announce,
    admit: async (service, hostname) => {
      await engine.call('connect a service to a network', (docker) => docker.getNetwork(id).connect({
        Container: service.id, EndpointConfig: { IPAMConfig: { IPv4Address: serviceAddress } },
      }));
      admitted.push(service.id);
      await announce(hostname);
    },
    passedBefore: () => passed,
    switchTo: createSwitch(engine, {
      holder, serviceAddress, outside: options.outside,
      onShut: (more) => { passed = sumOf(passed, more); },
    }),
    [Symbol.asyncDispose]: async () => {
      await holder[Symbol.asyncDispose]();
      // The engine removes no network that somebody is in; a service may be in others as well and lives on.
      for (const service of admitted) await leaveNetwork(engine, id, service);
      await removeNetwork(engine, id);
    },
  };
}

async function leaveNetwork(engine: Engine, id: string, container: string): Promise<void> {
  try {
    await engine.call('disconnect a service from a network', (docker) => docker.getNetwork(id).disconnect({ Container: container, Force: true }));
  } catch (error) {
    // It is gone, or not in the network any more. Whether the network is free then, its removal tells.
    if (statusCodeOf(error) === undefined) throw error;
  }
}

/** Every state is reached from `closed`, and by way of it. */
function createSwitch(
  engine: Engine,
  { holder, serviceAddress, outside, onShut }: {
    readonly holder: Holder; readonly serviceAddress: string; readonly outside: () => Promise<Outside>; readonly onShut: (passed: Traffic) => void;
  },
): ClosedNetwork['switchTo'] {
  let leave: (() => Promise<void>) | undefined;
  return async (state) => {
    await leave?.();
    leave = undefined;
    if (state === 'cut') {
      leave = () => holder.order('link', 'up');
      await holder.order('link', 'down');
    }
    if (state === 'open') {
      const { networkId, nameServers, shut } = await outside();
      leave = async () => {
        onShut(await holder.passed());
        await engine.call('close a network', (docker) => docker.getNetwork(networkId).disconnect({ Container: holder.id, Force: true }));
        // The engine gives the default route of the network itself back.
        await holder.order('close');
        await holder.order('names', serviceAddress);
      };
      await engine.call('open a network', (docker) => docker.getNetwork(networkId).connect({ Container: holder.id }));
      // The engine connects nothing where a wider route is. Nobody runs in the sandbox meanwhile.
      await holder.order('shut', ...shut);
      await holder.order('names', ...nameServers);
    }
  };
}

/** Podman does not know the option and drops it; its internal networks have no address of the host of their own accord. */
async function noHostAddress(engine: Engine, id: string): Promise<void> {
  const { Options: kept, IPAM: ipam } = await engine.call<NetworkInspectInfo>('look at a network', (docker) => docker.getNetwork(id).inspect());
  if (kept?.[NO_HOST_ADDRESS] === 'true') return;
  const addresses = (ipam?.Config ?? []).flatMap(({ Gateway: gateway }) => (gateway !== undefined && isIP(gateway.replace(/\/.*/, '')) !== 0 ? [gateway] : []));
  if (addresses.length === 0) return;
  throw new EngineCallError('close a network', undefined, `the host has the address ${addresses.join(', ')} in it, and the engine does not know ${NO_HOST_ADDRESS}. Use Docker 20.10 or newer.`);
}
