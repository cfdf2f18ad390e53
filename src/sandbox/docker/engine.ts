import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import Docker from 'dockerode';
import { messageOf } from '../../lifetime/error.js';
import { EngineCallError, EngineSilentError, EngineUnavailableError } from '../errors.js';
import { dialectOf, type Dialect } from './dialect.js';
import { endpointAt, findEndpoint } from './endpoint.js';

/** How long the engine may take to answer one ordinary call. */
const CALL_LIMIT_MS = 60_000;

/** The connection to one container engine; every call is bounded and its failures are typed. */
export interface Engine {
  readonly docker: Docker;
  /** Where it listens, for messages. */
  readonly where: string;
  /** It listens on a socket of this machine. */
  readonly isLocal: boolean;
  readonly dialect: Dialect;
  /**
   * Makes one call.
   *
   * @param what Completes "could not ...", for instance `create a container`.
   * @throws EngineUnavailableError when nothing answers, EngineCallError on a refusal, EngineSilentError on silence.
   */
  call<T>(what: string, work: (docker: Docker) => Promise<T>, limitMs?: number): Promise<T>;
}

/**
 * Connects to the engine that the docker command would use; see `findEndpoint`.
 *
 * @param host Where it listens, as in DOCKER_HOST, instead.
 *
 * @throws EngineUnavailableError when it does not answer a ping.
 */
export async function connectEngine(host?: string): Promise<Engine> {
  const { where, options } = host !== undefined ? endpointAt(host) : findEndpoint({ env: process.env, home: homedir(), exists: existsSync, read: readFileOrNothing });
  const docker = new Docker(options);
  const call: Engine['call'] = (what, work, limitMs) => callEngine(docker, where, what, work, limitMs);
  await call('answer a ping', (d) => d.ping(), 10_000);
  const { Components: components } = await call('tell its version', (d) => d.version());
  return { docker, where, isLocal: options?.socketPath !== undefined, dialect: dialectOf(components ?? []), call };
}

function readFileOrNothing(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

async function callEngine<T>(
  docker: Docker,
  where: string,
  what: string,
  work: (docker: Docker) => Promise<T>,
  limitMs: number = CALL_LIMIT_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new EngineSilentError(what, limitMs)), limitMs);
  });
  try {
    return await Promise.race([work(docker), silence]);
  } catch (error) {
    throw asEngineError(error, where, what);
  } finally {
    clearTimeout(timer);
  }
}

/** Types whatever dockerode or the socket threw. */
export function asEngineError(error: unknown, where: string, what: string): Error {
  if (error instanceof EngineSilentError || error instanceof EngineCallError || error instanceof EngineUnavailableError) return error;
  const status = statusCodeOf(error);
  if (status !== undefined) return new EngineCallError(what, status, detailOf(error), { cause: error });
  if (isConnectionLoss(error)) return new EngineUnavailableError(where, { cause: error });
  return new EngineCallError(what, undefined, messageOf(error), { cause: error });
}

/** The HTTP status of an engine error, also behind an {@link EngineCallError}. */
export function statusCodeOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

function detailOf(error: unknown): string {
  const body = (error as { json?: { message?: unknown } }).json;
  return typeof body?.message === 'string' ? body.message : messageOf(error).trim();
}

function isConnectionLoss(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string'
    && ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'EACCES', 'ENOTFOUND', 'ETIMEDOUT', 'EHOSTUNREACH'].includes(code);
}
