import type { Exchange } from '../../src/gateway/exchange.js';
import { scriptOf } from '../../src/gateway/script.js';
import { openGatewayServer } from '../../src/gateway/server.js';
import { createSessions } from '../../src/gateway/sessions.js';

/** A model service on every address of this machine. Each key has a script of its own, and no other key is served. */
export interface UpstreamModel extends AsyncDisposable {
  readonly port: number;
  /** As a person of this machine would write it. */
  readonly origin: string;
  /** Every request that came. */
  readonly exchanges: readonly Exchange[];
  /** Starts a script at its beginning, under a new key. */
  play(key: string, lanes: readonly object[]): void;
}

export async function startUpstreamModel(): Promise<UpstreamModel> {
  const sessions = createSessions();
  const exchanges: Exchange[] = [];
  const server = await openGatewayServer({ sessions, host: '0.0.0.0', onExchange: (exchange) => { exchanges.push(exchange); }, onFault: (fault) => { throw fault; } });
  return {
    port: server.port,
    origin: `http://localhost:${server.port}`,
    exchanges,
    play(key, lanes) {
      sessions.open({ id: key.slice(-12), token: key, mode: { kind: 'scripted', script: scriptOf({ format: 'niceeval.script/v1', lanes }, 'upstream.json'), scriptName: 'upstream.json' } });
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
