import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DockerOptions } from 'dockerode';
import { z } from 'zod';
import { EngineContextError } from '../errors.js';

/** What the search for an engine looks at. */
export interface EndpointWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The home folder of the user. */
  readonly home: string;
  /** The bytes of a file. `undefined`: there is none that can be read. */
  readonly read: (path: string) => Buffer | undefined;
  readonly exists: (path: string) => boolean;
}

/** Where an engine listens. */
export interface EngineEndpoint {
  /** For messages. */
  readonly where: string;
  /** Who says so. */
  readonly source: 'DOCKER_HOST' | 'context' | 'default';
  /** For dockerode. `undefined`: it reads the environment itself. */
  readonly options: DockerOptions | undefined;
}

const configSchema = z.object({ currentContext: z.string().optional() });
const metaSchema = z.object({ Endpoints: z.object({ docker: z.object({ Host: z.string(), SkipTLSVerify: z.boolean().optional() }) }) });

const SYSTEM_SOCKET = '/var/run/docker.sock';

/**
 * Finds the engine as the docker command does: `DOCKER_HOST`, then the context (`DOCKER_CONTEXT`, or `currentContext` of
 * `~/.docker/config.json`), then the system's socket. Where that is not there: the socket of Docker Desktop, of a rootless
 * engine, of Podman.
 *
 * @throws EngineContextError for a context that is named and not there, or that names a place nobody knows how to reach.
 */
export function findEndpoint(world: EndpointWorld): EngineEndpoint {
  const { env, home, exists } = world;
  if (env['DOCKER_HOST'] !== undefined && env['DOCKER_HOST'] !== '') return { where: env['DOCKER_HOST'], source: 'DOCKER_HOST', options: undefined };
  const folder = env['DOCKER_CONFIG'] ?? join(home, '.docker');
  const context = contextNameOf(world, folder);
  if (context !== undefined && context !== 'default') return ofContext(world, folder, context);
  const runtime = env['XDG_RUNTIME_DIR'];
  const sockets = [
    SYSTEM_SOCKET, join(home, '.docker/run/docker.sock'), ...(runtime === undefined ? [] : [join(runtime, 'docker.sock'), join(runtime, 'podman/podman.sock')]), '/run/podman/podman.sock',
  ];
  const socketPath = sockets.find(exists) ?? SYSTEM_SOCKET;
  return { where: `unix://${socketPath}`, source: 'default', options: { socketPath } };
}

/** An engine at a place that was named. @throws EngineContextError for one that nobody knows how to reach. */
export function endpointAt(host: string): EngineEndpoint {
  return { where: host, source: 'DOCKER_HOST', options: optionsOf(host, { name: host, ca: undefined, cert: undefined, key: undefined, skips: false, sshAgent: process.env['SSH_AUTH_SOCK'] }) };
}

function contextNameOf({ env, read }: EndpointWorld, folder: string): string | undefined {
  if (env['DOCKER_CONTEXT'] !== undefined && env['DOCKER_CONTEXT'] !== '') return env['DOCKER_CONTEXT'];
  const config = configSchema.safeParse(jsonOf(read(join(folder, 'config.json'))));
  return config.success ? config.data.currentContext : undefined;
}

function ofContext({ read, env }: EndpointWorld, folder: string, name: string): EngineEndpoint {
  // The docker command keeps a context in a folder that is called by the SHA-256 of its name.
  const id = createHash('sha256').update(name).digest('hex');
  const meta = metaSchema.safeParse(jsonOf(read(join(folder, 'contexts/meta', id, 'meta.json'))));
  if (!meta.success) throw new EngineContextError(name, `cannot be read below ${folder}.`);
  const { Host: host, SkipTLSVerify: skips } = meta.data.Endpoints.docker;
  const pem = (file: string): Buffer | undefined => read(join(folder, 'contexts/tls', id, 'docker', file));
  return { where: `${host} (context "${name}")`, source: 'context', options: optionsOf(host, { name, ca: pem('ca.pem'), cert: pem('cert.pem'), key: pem('key.pem'), skips: skips === true, sshAgent: env['SSH_AUTH_SOCK'] }) };
}

interface TlsFiles {
  readonly name: string;
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
  readonly skips: boolean;
  readonly sshAgent: string | undefined;
}

function optionsOf(host: string, { name, ca, cert, key, skips, sshAgent }: TlsFiles): DockerOptions {
  if (host.startsWith('unix://')) return { socketPath: host.slice('unix://'.length) };
  if (host.startsWith('npipe://')) return { socketPath: host.slice('npipe://'.length) };
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (url?.protocol === 'ssh:') {
    return { protocol: 'ssh', host: url.hostname, port: url.port === '' ? 22 : Number(url.port), username: decodeURIComponent(url.username), ...(sshAgent === undefined ? {} : { sshOptions: { agent: sshAgent } }) };
  }
  if (url === undefined || !['tcp:', 'http:', 'https:'].includes(url.protocol)) {
    throw new EngineContextError(name, `names the host "${host}", which is none of unix://, tcp://, https:// and ssh://.`);
  }
  const isSecure = url.protocol === 'https:' || cert !== undefined || skips;
  return {
    protocol: isSecure ? 'https' : 'http',
    host: url.hostname,
    port: url.port === '' ? (isSecure ? 2376 : 2375) : Number(url.port),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

function jsonOf(bytes: Buffer | undefined): unknown {
  try {
    return bytes === undefined ? undefined : JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
