import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ClosedNetwork, SandboxProvider } from '../sandbox/sandbox.js';
import { createGatewayControl, type GatewayControl } from './control.js';
import { GatewayGoneError } from './errors.js';

/** The name under which a sandbox in a closed network finds the gateway. */
export const GATEWAY_HOST = 'gateway';

const READY_LIMIT_MS = 60_000;

/** The gateway of one run, as a service of the backend. */
export interface PlacedGateway extends AsyncDisposable {
  readonly control: GatewayControl;
  /** What sandboxes ask, those in a closed network once it is admitted, for instance `http://gateway:8787`. */
  readonly origin: string;
  /** Lets the sandbox of a network reach the gateway. */
  admitTo(network: ClosedNetwork): Promise<void>;
  /** Gives it a way out, for networks that are allowed hosts. Once; later calls wait for the first. */
  letOut(): Promise<void>;
}

/**
 * Starts the gateway program as a service of the backend.
 *
 * @param network The first network that it is in. Absent where the backend can close none.
 * @throws GatewayGoneError when the program ends before it listens.
 */
export async function placeGateway(provider: SandboxProvider, network?: ClosedNetwork): Promise<PlacedGateway> {
  const service = await provider.openService({ program: bundledProgram(), name: 'gateway', hostname: GATEWAY_HOST, ...(network === undefined ? {} : { network }) });
  const control = createGatewayControl(service.stdin, service.stdout);
  try {
    const { port } = await readySoon(control, service.ended);
    let out: Promise<void> | undefined;
    return {
      control,
      origin: `http://${service.hostname}:${port}`,
      admitTo: (next) => next.admit(service, GATEWAY_HOST),
      letOut: () => {
        out ??= provider.letOut?.(service) ?? Promise.resolve();
        out.catch(() => { out = undefined; });
        return out;
      },
      [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
    };
  } catch (error) {
    await service[Symbol.asyncDispose]();
    throw error;
  }
}

async function readySoon(control: GatewayControl, ended: Promise<{ readonly stderr: string }>): Promise<{ readonly port: number }> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new GatewayGoneError('listen', `it said nothing for ${READY_LIMIT_MS} ms`)), READY_LIMIT_MS);
  });
  const gone = ended.then(({ stderr }) => { throw new GatewayGoneError('listen', stderr.trim().slice(-500) || 'it ended without a message'); });
  gone.catch(() => undefined);
  try {
    return await Promise.race([control.ready, silence, gone]);
  } finally {
    clearTimeout(timer);
  }
}

/** The program as one file. From the sources it is the one that the last build made. */
function bundledProgram(): string {
  const candidates = ['./program.bundle.mjs', '../../dist/gateway/program.bundle.mjs'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) throw new GatewayGoneError('start', 'its program was not built; run `npm run build`');
  return found;
}
