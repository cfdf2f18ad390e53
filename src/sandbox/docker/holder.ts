import { createInterface } from 'node:readline';
import { EngineCallError } from '../errors.js';
import { startAttached } from './attached.js';
import type { Engine } from './engine.js';
import { labelsOf } from './labels.js';
import { sumOf, type Traffic } from './resource-use.js';
import type { UlimitChoice } from './ulimits.js';

/**
 * Keeps a network namespace open for sandboxes to join, and is the only one who can change it: that needs NET_ADMIN, which a
 * sandbox never has. Each line of input is an order; each is answered with lines that end in `done`. Ends with its input.
 * Name resolution is a hosts file and the servers that it is told of: the engine's own resolver may ask the host's name
 * servers (CVE-2024-29018).
 */
const SCRIPT = `
close() {
  while ip route del default; do :; done
  while ip -6 route del default; do :; done
  ip route flush type prohibit
} 2>/dev/null
: > /etc/resolv.conf
echo done
while read -r order words; do
  case $order in
    host) printf '%s\\n' "$words" >> /etc/hosts ;;
    names) for server in $words; do printf 'nameserver %s\\n' "$server"; done > /etc/resolv.conf ;;
    shut) for net in $words; do ip route add prohibit "$net" 2>&1; done ;;
    close) close; ip route show default; ip -6 route show default ;;
    bytes)
      for net in /sys/class/net/eth*; do
        [ "\${net##*/}" = eth0 ] && continue
        read -r received < "$net/statistics/rx_bytes" && read -r sent < "$net/statistics/tx_bytes" && echo "$received $sent"
      done ;;
    link) ip link set eth0 "$words" 2>&1 ;;
  esac
  echo done
done`;

/** An order and its words. They are made by the harness; none may hold a line break. */
type Order = readonly ['host' | 'names' | 'shut' | 'close' | 'link', ...string[]];

/** The holder of a network. */
export interface Holder extends AsyncDisposable {
  readonly id: string;
  /** Gives an order and waits for its end. @throws EngineCallError when the holder complains, or is gone. */
  order(...order: Order): Promise<void>;
  /** What passed the way out since it was connected. @throws EngineCallError when the holder is gone. */
  passed(): Promise<Traffic>;
}

/**
 * Starts a holder in a network and takes every default route away. An internal network of Docker has one all the same (20.10).
 *
 * @param image An image with `sh` and `ip`.
 * @throws EngineCallError when a default route stays.
 */
export async function openHolder(engine: Engine, options: { readonly image: string; readonly network: string; readonly runId: string; readonly ulimits: UlimitChoice }): Promise<Holder> {
  const service = await options.ulimits.take((Ulimits) => startAttached(engine, {
    Image: options.image,
    User: '0',
    Entrypoint: ['/bin/sh', '-c', SCRIPT],
    Labels: labelsOf('holder', options.runId),
    HostConfig: {
      NetworkMode: options.network,
      CapDrop: ['ALL'],
      CapAdd: ['NET_ADMIN'],
      SecurityOpt: ['no-new-privileges'],
      PidsLimit: 32,
      Memory: 64 * 1024 * 1024,
      Dns: ['192.0.2.1'], // A documentation address without a route, for who asks the engine's resolver all the same.
      Ulimits,
    },
  }));
  const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]();
  const heard = async (order: string): Promise<readonly string[]> => {
    const said: string[] = [];
    for (;;) {
      const line = await lines.next();
      if (line.done === true) throw new EngineCallError(order, undefined, `the holder of the network is gone: ${(await service.ended).stderr.trim() || 'without a message'}`);
      if (line.value === 'done') return said;
      said.push(line.value);
    }
  };
  /** One order at a time. */
  let last: Promise<unknown> = Promise.resolve();
  const ask = (...words: Order | readonly ['bytes']): Promise<readonly string[]> => {
    const done = last.then(() => {
      service.stdin.write(`${words.join(' ')}\n`);
      return heard(`change a network (${words[0]})`);
    });
    last = done.catch(() => undefined);
    return done;
  };
  const order = async (...words: Order): Promise<void> => {
    // The `ip` of busybox tells all routes, whichever it is asked for.
    const complaints = (await ask(...words)).filter((line) => words[0] !== 'close' || /(^|\s)default(\s|$)/.test(line));
    if (complaints.length > 0) throw new EngineCallError(`change a network (${words[0]})`, undefined, complaints.join('; '));
  };
  const passed = async (): Promise<Traffic> => (await ask('bytes'))
    .map((line) => line.split(' ').map(Number))
    .map(([receivedBytes = 0, sentBytes = 0]): Traffic => ({ receivedBytes, sentBytes }))
    .reduce(sumOf, { receivedBytes: 0, sentBytes: 0 });
  try {
    await heard('hold a network');
    await order('close');
    return { id: service.id, order, passed, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
}
