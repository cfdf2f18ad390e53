import { randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import { createInterface } from 'node:readline';
import type { NetworkInspectInfo } from 'dockerode';
import { messageOf } from '../../lifetime/error.js';
import { EngineCallError } from '../errors.js';
import type { ClosedNetwork } from '../sandbox.js';
import { startAttached, type AttachedContainer } from './attached.js';
import { statusCodeOf, type Engine } from './engine.js';
import { labelsOf } from './labels.js';
import type { UlimitChoice } from './ulimits.js';

// 10.213.0.0/16 in subnets of 16 addresses: 4,096 networks. Docker's own default pools end at about 30.
const SUBNETS = 4096;
const TRIES = 64;
/** Docker's own option. */
const NO_HOST_ADDRESS = 'com.docker.network.bridge.inhibit_ipv4';

/**
 * Keeps a network namespace open for sandboxes to join, with every default route removed, and tells the routes
 * that are left. An internal network of Docker has a default route all the same (seen with 20.10); removing it
 * needs NET_ADMIN, which a sandbox never has. Name resolution is a hosts file and nothing else: the engine's own
 * resolver may ask the host's name servers (CVE-2024-29018), and a name that it cannot resolve takes it seconds.
 * Each line of input is a line for the hosts file. Ends with its input.
 */
const HOLDER_SCRIPT = `
while ip route del default 2>/dev/null; do :; done
while ip -6 route del default 2>/dev/null; do :; done
ip route show default; ip -6 route show default
: > /etc/resolv.conf
echo ready
while IFS= read -r line; do printf '%s\\n' "$line" >> /etc/hosts; echo added; done`;

/** A closed network of the Docker backend: sandboxes join the namespace of its holder. */
export interface DockerClosedNetwork extends ClosedNetwork {
  /** For `HostConfig.NetworkMode` of a sandbox. */
  readonly networkMode: string;
  readonly name: string;
  /** The address that the service in this network must take. */
  readonly serviceAddress: string;
  /** Makes the service known inside the network. */
  announce(hostname: string): Promise<void>;
}

/**
 * Makes a network that has no way out: internal, without an address of the host, with no default route, and with
 * name resolution that ends in the network.
 *
 * @param options.image An image with `sh` and `ip`.
 */
export async function openClosedNetwork(engine: Engine, { image, runId, ulimits }: { readonly image: string; readonly runId: string; readonly ulimits: UlimitChoice }): Promise<DockerClosedNetwork> {
  const { id, name, serviceAddress } = await createNetwork(engine, runId);
  let holder: AttachedContainer | undefined;
  try {
    holder = await ulimits.take((Ulimits) => startAttached(engine, {
      Image: image,
      User: '0',
      Entrypoint: ['/bin/sh', '-c', HOLDER_SCRIPT],
      Labels: labelsOf('holder', runId),
      HostConfig: {
        NetworkMode: name,
        CapDrop: ['ALL'],
        CapAdd: ['NET_ADMIN'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: 32,
        Memory: 64 * 1024 * 1024,
        Dns: ['192.0.2.1'], // A documentation address without a route, for who asks the engine's resolver all the same.
        Ulimits,
      },
    }));
    const lines = createInterface({ input: holder.stdout })[Symbol.asyncIterator]();
    await noDefaultRoute(holder, lines);
    const held = holder;
    const announce = async (hostname: string): Promise<void> => {
      held.stdin.write(`${serviceAddress} ${hostname}\n`);
      if ((await lines.next()).value !== 'added') throw new EngineCallError('name a service', undefined, 'the holder of the network is gone');
    };
    return {
      id,
      name,
      networkMode: `container:${held.id}`,
      serviceAddress,
      announce,
      admit: async (service, hostname) => {
        await engine.call('connect a service to a network', (docker) => docker.getNetwork(id).connect({
          Container: service.id, EndpointConfig: { IPAMConfig: { IPv4Address: serviceAddress } },
        }));
        await announce(hostname);
      },
      [Symbol.asyncDispose]: async () => {
        await held[Symbol.asyncDispose]();
        await removeNetwork(engine, id);
      },
    };
  } catch (error) {
    await holder?.[Symbol.asyncDispose]();
    await removeNetwork(engine, id);
    throw error;
  }
}

async function createNetwork(engine: Engine, runId: string): Promise<{ id: string; name: string; serviceAddress: string }> {
  const first = randomInt(SUBNETS);
  for (let step = 0; step < TRIES; step += 1) {
    const index = (first + step * 61) % SUBNETS;
    const address = (host: number): string => `10.213.${index >> 4}.${(index & 15) * 16 + host}`;
    const name = `niceeval-${runId}-${index}`;
    try {
      const network = await engine.call('create a network', (docker) => docker.createNetwork({
        Name: name,
        Driver: 'bridge',
        Internal: true,
        EnableIPv6: false,
        CheckDuplicate: true,
        IPAM: { Config: [{ Subnet: `${address(0)}/28` }] },
        // No address of the host on the bridge: nothing that listens on the host can be reached through it.
        Options: { [NO_HOST_ADDRESS]: 'true' },
        Labels: labelsOf('network', runId),
      }));
      await noHostAddress(engine, network.id);
      return { id: network.id, name, serviceAddress: address(14) };
    } catch (error) {
      // 403 is how the engine answers an overlap with another network; the next subnet may be free.
      const overlap = statusCodeOf(error) === 403 || statusCodeOf(error) === 409 || /overlap/i.test(messageOf(error));
      if (!overlap) throw error;
    }
  }
  throw new EngineCallError('create a network', undefined, `none of ${TRIES} subnets of 10.213.0.0/16 was free. Remove old networks with \`niceeval clean\`.`);
}

/** Podman does not know the option and drops it; its internal networks have no address of the host of their own accord. */
async function noHostAddress(engine: Engine, id: string): Promise<void> {
  const { Options: kept, IPAM: ipam } = await engine.call<NetworkInspectInfo>('look at a network', (docker) => docker.getNetwork(id).inspect());
  if (kept?.[NO_HOST_ADDRESS] === 'true') return;
  const addresses = (ipam?.Config ?? []).flatMap(({ Gateway: gateway }) => (gateway !== undefined && isIP(gateway.replace(/\/.*/, '')) !== 0 ? [gateway] : []));
  if (addresses.length === 0) return;
  await removeNetwork(engine, id);
  throw new EngineCallError('close a network', undefined, `the host has the address ${addresses.join(', ')} in it, and the engine does not know ${NO_HOST_ADDRESS}. Use Docker 20.10 or newer.`);
}

async function noDefaultRoute(holder: AttachedContainer, lines: AsyncIterator<string>): Promise<void> {
  const routes: string[] = [];
  for (;;) {
    const line = await lines.next();
    if (line.done === true) {
      const { stderr } = await holder.ended;
      throw new EngineCallError('close a network', undefined, `its holder ended early: ${stderr.trim() || 'without a message'}`);
    }
    if (line.value === 'ready') break;
    // The `ip` of busybox tells all routes, whichever it is asked for.
    if (/(^|\s)default(\s|$)/.test(line.value)) routes.push(line.value);
  }
  if (routes.length > 0) throw new EngineCallError('close a network', undefined, `a default route stayed: ${routes.join('; ')}`);
}

async function removeNetwork(engine: Engine, id: string): Promise<void> {
  try {
    await engine.call('remove a network', (docker) => docker.getNetwork(id).remove());
  } catch (error) {
    if (statusCodeOf(error) !== 404) throw error;
  }
}
