import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { BlockList, connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { readClientHello } from './client-hello.js';
import type { DeniedDestination } from './denied.js';
import { readHttpHost } from './http-host.js';

/** Passes connections on to the hosts that they name. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Cuts every connection. */
  cut(): void;
}

export interface RelayOptions {
  readonly address: string;
  readonly port: number;
  readonly protocol: 'tls' | 'http';
  /** The port of the hosts. */
  readonly targetPort: number;
  readonly isAllowed: (host: string) => boolean;
  readonly onDenied: (via: DeniedDestination['via'], host: string) => void;
  /** Where a host is. Default: what the system's resolver says. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** A client must say where it wants to go within this time. */
const HEAD_LIMIT_MS = 15_000;
const LONGEST_HEAD = 32 * 1024;
/** Connections at once to one relay; an agent must not fill the gateway's memory. */
const MOST_CONNECTIONS = 512;

/** Addresses that no name of the outside stands for: a name that leads there would open the relay's own machine. */
const NEVER = new BlockList();
for (const [net, bits] of [['0.0.0.0', 8], ['127.0.0.0', 8], ['169.254.0.0', 16], ['10.213.0.0', 16], ['10.214.0.0', 16], ['224.0.0.0', 3]] as const) NEVER.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of [['::', 127], ['fe80::', 10], ['ff00::', 8]] as const) NEVER.addSubnet(net, bits, 'ipv6');

/**
 * Starts to listen on one address. The host is the one that the client names in its TLS hello or its Host field; nothing is
 * decrypted, so what is said inside of TLS to an allowed host is not seen.
 *
 * @throws the system's error when the port cannot be had.
 */
export async function openRelay(options: RelayOptions): Promise<Relay> {
  const open = new Set<Socket>();
  const keep = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  };
  const server: Server = createServer({ allowHalfOpen: true }, (client) => {
    keep(client);
    void relay(client, options, keep).catch(() => client.destroy());
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(options.port, options.address);
  await once(server, 'listening');
  const cut = (): void => { for (const socket of open) socket.destroy(); };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}

async function relay(client: Socket, options: RelayOptions, keep: (socket: Socket) => void): Promise<void> {
  const { host, head } = await headOf(client, options.protocol);
  if (host === undefined || !options.isAllowed(host)) {
    options.onDenied(options.protocol, host ?? '');
    client.destroy();
    return;
  }
  const addresses = await (options.resolve ?? resolved)(host);
  const target = addresses.find((address) => !NEVER.check(address, address.includes(':') ? 'ipv6' : 'ipv4'));
  if (target === undefined) {
    options.onDenied(options.protocol, host);
    client.destroy();
    return;
  }
  const server = connect({ host: target, port: options.targetPort, allowHalfOpen: true });
  keep(server);
  server.write(head);
  // Each direction ends by itself; a break of one breaks both.
  await Promise.all([pipeline(client, server), pipeline(server, client)]);
}

/** Reads as much as it takes to know the host. `head` is all that was read. */
async function headOf(client: Socket, protocol: RelayOptions['protocol']): Promise<{ readonly host: string | undefined; readonly head: Buffer }> {
  const deadline = setTimeout(() => client.destroy(), HEAD_LIMIT_MS);
  try {
    let head = Buffer.alloc(0);
    for await (const chunk of client.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      head = Buffer.concat([head, chunk]);
      const said = protocol === 'tls' ? readClientHello(head) : readHttpHost(head);
      if (said.kind === 'unfinished' && head.length <= LONGEST_HEAD) continue;
      if (said.kind === 'hello') return { host: said.serverName, head };
      return { host: said.kind === 'host' ? said.host : undefined, head };
    }
  } finally {
    clearTimeout(deadline);
  }
  throw new Error('The client said nothing of where it wants to go.');
}

async function resolved(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
