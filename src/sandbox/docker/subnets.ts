import { randomInt } from 'node:crypto';
import type { NetworkCreateOptions } from 'dockerode';
import { messageOf } from '../../lifetime/error.js';
import { EngineCallError } from '../errors.js';
import { statusCodeOf, type Engine } from './engine.js';
import { labelsOf } from './labels.js';

const TRIES = 64;

/** A network of ours, and the addresses in it. */
export interface Subnet {
  readonly id: string;
  readonly name: string;
  /** The address of a number: 0 is the network itself. */
  readonly address: (host: number) => string;
}

/**
 * Makes a bridge network in a free subnet of a range of ours. Docker's own default pools end at about 30 networks.
 *
 * @param options.prefix The first half of the addresses, for instance `10.213`.
 * @param options.count How many subnets the range has, of `addressesEach` each, a power of two.
 * @throws EngineCallError when none is free.
 */
export async function createSubnet(engine: Engine, options: {
  readonly runId: string;
  readonly name: string;
  readonly prefix: string;
  readonly count: number;
  readonly addressesEach: number;
  readonly settings: Partial<NetworkCreateOptions>;
}): Promise<Subnet> {
  const { runId, prefix, count, addressesEach, settings } = options;
  const first = randomInt(count);
  for (let step = 0; step < Math.min(TRIES, count); step += 1) {
    const index = (first + step * 61) % count;
    const address = (host: number): string => {
      const number = index * addressesEach + host;
      return `${prefix}.${number >> 8}.${number & 255}`;
    };
    const name = `niceeval-${runId}-${options.name}${index}`;
    try {
      const network = await engine.call('create a network', (docker) => docker.createNetwork({
        Driver: 'bridge',
        EnableIPv6: false,
        CheckDuplicate: true,
        ...settings,
        Name: name,
        IPAM: { Config: [{ Subnet: `${address(0)}/${32 - Math.log2(addressesEach)}` }] },
        Labels: labelsOf('network', runId),
      }));
      return { id: network.id, name, address };
    } catch (error) {
      // 403 is how the engine answers an overlap with another network; the next subnet may be free.
      const overlap = statusCodeOf(error) === 403 || statusCodeOf(error) === 409 || /overlap/i.test(messageOf(error));
      if (!overlap) throw error;
    }
  }
  throw new EngineCallError('create a network', undefined, `none of ${TRIES} subnets of ${prefix}.0.0/16 was free. Remove old networks with \`niceeval clean\`.`);
}

/** Removes a network. One that is gone already is fine. */
export async function removeNetwork(engine: Engine, id: string): Promise<void> {
  try {
    await engine.call('remove a network', (docker) => docker.getNetwork(id).remove());
  } catch (error) {
    if (statusCodeOf(error) !== 404) throw error;
  }
}
