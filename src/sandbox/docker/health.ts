import { messageOf } from '../../lifetime/error.js';
import { freeBytesIn } from './disk.js';
import { connectEngine, type Engine } from './engine.js';
import { reapOrphans } from './reaper.js';

/** One thing that a run needs, and how it is. */
export interface HealthCheck {
  readonly name: string;
  /** `warning`: runs work, but something is missing. */
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** What to do. Absent: nothing. */
  readonly remedy?: string;
}

/** What the engine says of itself, as far as it matters. */
export interface EngineFacts {
  readonly apiVersion: string;
  readonly version: string;
  readonly storageDriver: string;
  readonly cgroupVersion: string;
  readonly limits: { readonly memory: boolean; readonly swap: boolean; readonly cpu: boolean; readonly pids: boolean };
  readonly securityOptions: readonly string[];
  readonly hasInit: boolean;
  readonly networks: number;
  /** Free bytes where the engine keeps its data. `undefined`: it is not on this machine. */
  readonly freeBytes?: number;
  readonly images: readonly string[];
  readonly leftovers: number;
}

const LEAST_API = [1, 41] as const;
const GIB = 1024 ** 3;
/** An image with both CLIs takes 1 GB, and building it as much again. */
const SCARCE_BYTES = 5 * GIB;
const TOO_LITTLE_BYTES = 1 * GIB;
/** Docker's own address pools end at about 30 networks; ours come from them as well unless the engine is told otherwise. */
const MANY_NETWORKS = 24;

/** Looks at the engine. Never rejects: what cannot be looked at is a failed check. */
export async function engineHealth(): Promise<readonly HealthCheck[]> {
  let engine: Engine;
  try {
    engine = await connectEngine();
  } catch (error) {
    return [{ name: 'engine', state: 'failed', detail: messageOf(error), remedy: 'Install Docker 20.10 or newer (on Debian: apt-get install docker.io) and start it, or set DOCKER_HOST.' }];
  }
  try {
    return checksOf(await factsOf(engine), engine.where);
  } catch (error) {
    return [{ name: 'engine', state: 'failed', detail: `${engine.where}: ${messageOf(error)}`, remedy: 'Look at the log of the engine.' }];
  }
}

async function factsOf(engine: Engine): Promise<EngineFacts> {
  const [version, info, networks, images, orphans] = await Promise.all([
    engine.call('tell its version', (docker) => docker.version()),
    engine.call('describe itself', (docker) => docker.info()) as Promise<Readonly<Record<string, unknown>>>,
    engine.call('list networks', (docker) => docker.listNetworks()),
    engine.call('list images', (docker) => docker.listImages({ filters: { label: ['niceeval'] } })),
    reapOrphans(engine, { dryRun: true }),
  ]);
  const freeBytes = await freeBytesIn(info['DockerRootDir']);
  return {
    apiVersion: version.ApiVersion,
    version: version.Version,
    storageDriver: String(info['Driver']),
    cgroupVersion: String(info['CgroupVersion'] ?? '1'),
    limits: { memory: info['MemoryLimit'] === true, swap: info['SwapLimit'] === true, cpu: info['CpuCfsQuota'] === true, pids: info['PidsLimit'] === true },
    securityOptions: Array.isArray(info['SecurityOptions']) ? info['SecurityOptions'].map(String) : [],
    hasInit: typeof info['InitBinary'] === 'string' && info['InitBinary'] !== '',
    networks: networks.length,
    ...(freeBytes === undefined ? {} : { freeBytes }),
    images: images.flatMap(({ RepoTags: tags }) => tags ?? []).filter((tag) => tag.startsWith('niceeval/sandbox:')),
    leftovers: orphans.containers.length + orphans.networks.length,
  };
}

/** What the facts mean. */
export function checksOf(facts: EngineFacts, where: string): readonly HealthCheck[] {
  const missing = Object.entries(facts.limits).filter(([, has]) => !has).map(([name]) => name);
  const hasSeccomp = facts.securityOptions.some((option) => option.includes('seccomp'));
  return [
    isRecent(facts.apiVersion)
      ? { name: 'engine', state: 'ok', detail: `${facts.version} (API ${facts.apiVersion}) at ${where}` }
      : { name: 'engine', state: 'failed', detail: `${facts.version} (API ${facts.apiVersion}) at ${where}`, remedy: `Update it: API ${LEAST_API.join('.')} is the least, which is Docker 20.10.` },
    { name: 'storage', state: 'ok', detail: `${facts.storageDriver}, cgroup v${facts.cgroupVersion}` },
    diskCheck(facts.freeBytes),
    missing.length === 0
      ? { name: 'limits', state: 'ok', detail: 'memory, swap, cpu and pids' }
      : { name: 'limits', state: 'warning', detail: `the engine cannot limit ${missing.join(', ')}`, remedy: 'Let the kernel have these cgroup controllers; until then one Attempt can take what others need.' },
    hasSeccomp
      ? { name: 'hardening', state: 'ok', detail: facts.securityOptions.join(', ') }
      : { name: 'hardening', state: 'warning', detail: 'the engine filters no system calls (seccomp)', remedy: 'Use an engine that is built with seccomp.' },
    ...(facts.hasInit ? [] : [{ name: 'init', state: 'warning', detail: 'the engine has no init program (docker-init)', remedy: 'Install tini or docker-init, so that nothing is left of ended processes.' } as const]),
    facts.networks < MANY_NETWORKS
      ? { name: 'networks', state: 'ok', detail: `${facts.networks} there` }
      : { name: 'networks', state: 'warning', detail: `${facts.networks} there; the engine's own address pools end at about 30`, remedy: 'Remove what nobody uses (docker network prune), or give the engine more by default-address-pools.' },
    facts.images.length > 0
      ? { name: 'image', state: 'ok', detail: facts.images.join(', ') }
      : { name: 'image', state: 'warning', detail: 'the sandbox image is not there yet', remedy: 'It is built by the first run, or now by `niceeval images`.' },
    facts.leftovers === 0
      ? { name: 'leftovers', state: 'ok', detail: 'none' }
      : { name: 'leftovers', state: 'warning', detail: `${facts.leftovers} containers and networks of runs that were killed`, remedy: 'The next run removes them, or now `niceeval clean`.' },
  ];
}

function diskCheck(freeBytes: number | undefined): HealthCheck {
  if (freeBytes === undefined) return { name: 'disk', state: 'ok', detail: 'not on this machine, so nobody looked' };
  const detail = `${(freeBytes / GIB).toFixed(1)} GiB free where the engine keeps its data`;
  const remedy = '`niceeval images gc` removes our images that nothing uses; `docker system df` tells what takes the space.';
  if (freeBytes < TOO_LITTLE_BYTES) return { name: 'disk', state: 'failed', detail, remedy };
  return freeBytes < SCARCE_BYTES ? { name: 'disk', state: 'warning', detail, remedy } : { name: 'disk', state: 'ok', detail };
}

function isRecent(apiVersion: string): boolean {
  const [major = 0, minor = 0] = apiVersion.split('.').map(Number);
  return major > LEAST_API[0] || (major === LEAST_API[0] && minor >= LEAST_API[1]);
}
