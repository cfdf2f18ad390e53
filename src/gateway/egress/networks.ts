import { EgressError } from '../errors.js';
import { openEgress, type Egress } from './egress.js';

/** What the networks of a gateway may reach, by the address that the gateway has in each. */
export interface Networks extends AsyncDisposable {
  /** The network at this address; the first call begins to serve it. @throws EgressError when the address has no free ports. */
  at(address: string): Promise<Egress>;
}

/** Serves no network at first. Closing it closes all. */
export function createNetworks(): Networks {
  const open = new Map<string, Promise<Egress>>();
  return {
    at(address) {
      const egress = open.get(address) ?? openEgress(address).catch((error: Error) => {
        open.delete(address);
        throw new EgressError(address, { cause: error });
      });
      open.set(address, egress);
      return egress;
    },
    [Symbol.asyncDispose]: async () => {
      for (const egress of open.values()) await (await egress.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
