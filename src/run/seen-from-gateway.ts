import { VENDORS, type Upstream, type Upstreams } from '../gateway/upstream.js';

/** The name of the engine's machine in the gateway's container. */
const MACHINE = 'host.docker.internal';
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * The same services as a gateway in a container finds them: what people call `localhost` is their own machine, not the container. A service
 * that listens on the loopback address alone cannot be reached from there.
 */
export function seenFromContainer(upstreams: Upstreams): Upstreams {
  return Object.fromEntries(VENDORS.flatMap((vendor) => {
    const upstream = upstreams[vendor];
    return upstream === undefined ? [] : [[vendor, moved(upstream)] as const];
  }));
}

function moved(upstream: Upstream): Upstream {
  return { ...upstream, baseUrl: elsewhere(upstream.baseUrl), ...(upstream.proxy === undefined ? {} : { proxy: elsewhere(upstream.proxy) }) };
}

function elsewhere(text: string): string {
  const url = new URL(text);
  if (!LOOPBACK.test(url.hostname)) return text;
  url.hostname = MACHINE;
  // A URL without a path is written with one; base URLs are compared and told as people wrote them.
  return /\/$/.test(text) ? url.href : url.href.replace(/\/$/, '');
}
