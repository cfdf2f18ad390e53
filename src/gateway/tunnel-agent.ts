import type { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';

type ConnectOptions = Parameters<HttpsProxyAgent<string>['connect']>[1];

/** What a tunnel agent is made with. */
export interface TunnelOptions {
  /** Certificates that are trusted, as PEM, for the proxy and behind it. Default: the well-known ones. */
  readonly ca?: readonly string[];
  readonly keepAlive: boolean;
  /** Milliseconds that a connection is kept without being used. */
  readonly timeout: number;
  readonly maxFreeSockets: number;
  readonly noDelay: boolean;
}

/** Emit it on a request that nobody waits for: one without a socket tells nobody that it was destroyed. */
export const ABANDONED = Symbol('abandoned');

/** How long a proxy may take to open a tunnel. */
const TUNNEL_LIMIT_MS = 30_000;

/**
 * Connections through tunnels (CONNECT) that a proxy opens, to HTTP and HTTPS alike. Beyond what HttpsProxyAgent does: certificates hold
 * behind the proxy too, also for addresses, which it would take a certificate of `localhost` for; and a tunnel that nobody waits for any longer, or that does not open, is given up.
 */
export class TunnelAgent extends HttpsProxyAgent<string> {
  readonly #secure: { readonly ca?: string[] };

  constructor(proxy: string, { ca, ...kept }: TunnelOptions) {
    const secure = ca === undefined ? {} : { ca: [...ca] };
    super(proxy, { ...kept, ...secure });
    this.#secure = secure;
  }

  override async connect(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    const waiting = new AbortController();
    const leave = (): void => waiting.abort();
    const silence = setTimeout(leave, TUNNEL_LIMIT_MS);
    request.once(ABANDONED, leave);
    // The options of the way to the proxy are the agent's own; those of this one tunnel have its end as well.
    const tunnel = Object.assign(Object.create(this) as this, { connectOpts: { ...this.connectOpts, signal: waiting.signal } });
    try {
      return await super.connect.call(tunnel, request, { ...options, ...this.#secure, checkServerIdentity: (_name: string, certificate: PeerCertificate) => checkServerIdentity(options.host ?? '', certificate) });
    } finally {
      clearTimeout(silence);
      request.removeListener(ABANDONED, leave);
    }
  }
}
