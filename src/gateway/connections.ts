import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { rootCertificates } from 'node:tls';
import { TunnelAgent } from './tunnel-agent.js';
import type { Upstream } from './upstream.js';

/** Open connections to upstreams, kept for the next request. */
export interface Connections extends Disposable {
  /** For requests to `url` by the upstream's proxy and certificates. */
  agentFor(url: URL, upstream: Pick<Upstream, 'proxy' | 'ca'>): HttpAgent;
}

/** Shorter than services keep idle connections, so that none is asked over one that is just being closed. */
const IDLE_MS = 4_000;

/** Starts without connections. */
export function createConnections(): Connections {
  const agents = new Map<string, HttpAgent>();
  return {
    agentFor({ protocol }, { proxy, ca }) {
      const key = JSON.stringify([protocol, proxy, ca]);
      const known = agents.get(key);
      if (known !== undefined) return known;
      const kept = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 64, noDelay: true };
      const secure = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
      const agent = proxy !== undefined
        ? new TunnelAgent(proxy, { ...kept, ...secure })
        : protocol === 'https:' ? new HttpsAgent({ ...kept, ...secure }) : new HttpAgent(kept);
      agents.set(key, agent);
      return agent;
    },
    [Symbol.dispose]() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}
