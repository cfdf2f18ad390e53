import { Scope } from '../../lifetime/scope.js';
import { allowsHost } from '../../sandbox/network-access.js';
import { DeniedLog, type DeniedDestination } from './denied.js';
import { openNameServer } from './name-server.js';
import { openRelay, type Relay, type RelayOptions } from './relay.js';

/** What one network may reach beyond the gateway, and what it tried to. */
export interface Egress extends AsyncDisposable {
  /**
   * Allows these hosts and no others from now on; open connections are cut.
   *
   * @returns what was denied since the last call.
   */
  allow(hosts: readonly string[]): readonly DeniedDestination[];
}

/** Ports of the address to listen on. 0: a free one. */
export interface EgressPorts { readonly dns: number; readonly tls: number; readonly http: number; }

const STANDARD: EgressPorts = { dns: 53, tls: 443, http: 80 };

/**
 * Begins to serve one network at the gateway's address in it. Nothing is allowed at first.
 *
 * @throws the system's error when a port cannot be had.
 */
export async function openEgress(address: string, options: { readonly ports?: EgressPorts; readonly resolve?: RelayOptions['resolve'] } = {}): Promise<Egress> {
  const ports = options.ports ?? STANDARD;
  const denied = new DeniedLog();
  let allowed: readonly string[] = [];
  const isAllowed = (host: string): boolean => allowsHost(allowed, host);
  const scope = new Scope();
  const relays: Relay[] = [];
  try {
    scope.use('stop a name server', await openNameServer({ address, port: ports.dns, isAllowed, onDenied: (name) => denied.add('dns', name) }));
    for (const protocol of ['tls', 'http'] as const) {
      relays.push(scope.use('stop a relay', await openRelay({
        address, port: ports[protocol], protocol, targetPort: STANDARD[protocol], isAllowed, onDenied: (via, host) => denied.add(via, host),
        ...(options.resolve === undefined ? {} : { resolve: options.resolve }),
      })));
    }
  } catch (error) {
    await scope.close();
    throw error;
  }
  return {
    allow(hosts) {
      allowed = [...hosts];
      for (const relay of relays) relay.cut();
      return denied.take();
    },
    [Symbol.asyncDispose]: async () => { await scope.close(); },
  };
}
