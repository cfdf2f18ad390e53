import { networkInterfaces } from 'node:os';
import { Scope } from '../../lifetime/scope.js';
import { EngineCallError } from '../errors.js';
import { startAttached } from './attached.js';
import type { Engine } from './engine.js';
import { labelsOf } from './labels.js';
import { createSubnet, removeNetwork } from './subnets.js';

/** The way out of one run. Whoever is connected to it gets a default route. */
export interface Outside extends AsyncDisposable {
  readonly networkId: string;
  /** Who is asked for names out there. */
  readonly nameServers: readonly string[];
  /** Addresses and networks that no sandbox may reach although they are on the way: those of the engine's machine, and link-local ones. */
  readonly shut: readonly string[];
}

/** Link-local addresses, and the networks of all runs; the own ones of a sandbox are reached by narrower routes. */
const NEVER = ['169.254.0.0/16', '10.213.0.0/16', '10.214.0.0/16'];

/**
 * Makes a network with a way out, in which nobody reaches the others.
 *
 * @param image An image with `cat`.
 * @throws EngineCallError when it cannot be made, or nobody there can be asked for names.
 */
export async function openOutside(engine: Engine, image: string, runId: string): Promise<Outside> {
  const scope = new Scope();
  try {
    const network = await createSubnet(engine, {
      runId, name: 'outside', prefix: '10.214', count: 256, addressesEach: 256,
      settings: { Options: { 'com.docker.network.bridge.enable_icc': 'false' } },
    });
    scope.defer('remove a network', () => removeNetwork(engine, network.id));
    const nameServers = await nameServersOf(engine, image, runId);
    const shut = [...new Set([...NEVER, network.address(1), ...await addressesOfMachine(engine)])].filter((address) => !nameServers.includes(address));
    return { networkId: network.id, nameServers, shut, [Symbol.asyncDispose]: async () => { await scope.close(); } };
  } catch (error) {
    await scope.close();
    throw error;
  }
}

/** What the engine gives to a container on its ordinary bridge: the host's servers, or public ones where the host asks itself. */
async function nameServersOf(engine: Engine, image: string, runId: string): Promise<readonly string[]> {
  await using probe = await startAttached(engine, {
    Image: image, User: '65534:65534', Entrypoint: ['cat', '/etc/resolv.conf'], Cmd: [], Labels: labelsOf('probe', runId),
    HostConfig: { NetworkMode: 'bridge', CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] },
  });
  let text = '';
  for await (const chunk of probe.stdout) text += String(chunk);
  const servers = [...text.matchAll(/^nameserver\s+(\d+\.\d+\.\d+\.\d+)\s*$/gm)].map(([, address]) => address as string);
  if (servers.length === 0) throw new EngineCallError('open a way out', undefined, 'its containers have no name servers. Look at the resolv.conf of the engine\'s machine.');
  return servers;
}

/** The engine's bridges stand for its machine; the other addresses of the machine are known where it is this one. */
async function addressesOfMachine(engine: Engine): Promise<readonly string[]> {
  const networks = await engine.call('list networks', (docker) => docker.listNetworks());
  const bridges = networks.flatMap(({ IPAM: ipam }) => (ipam?.Config ?? []).map(({ Gateway: gateway, Subnet: subnet }) => gateway ?? firstAddressOf(subnet ?? '')));
  const own = engine.isLocal ? Object.values(networkInterfaces()).flatMap((list) => list ?? []).filter(({ internal }) => !internal).map(({ address }) => address) : [];
  return [...bridges, ...own].filter((address) => /^\d+\.\d+\.\d+\.\d+$/.test(address));
}

/** The address that the engine takes for itself where it was told of none. */
function firstAddressOf(subnet: string): string {
  const [, first, last] = /^(\d+\.\d+\.\d+\.)(\d+)\//.exec(subnet) ?? [];
  return first === undefined ? '' : `${first}${Number(last) + 1}`;
}
