import type { ReapReport } from '../sandbox.js';
import { ownerStateOf, parseOwner } from '../owner.js';
import { removeContainer } from './attached.js';
import { statusCodeOf, type Engine } from './engine.js';
import { isKeptName, LABEL, OWNER_LABEL } from './labels.js';

interface Found { readonly id: string; readonly name: string; readonly labels: Record<string, string>; readonly isRunning?: boolean; }

/** Removes containers and networks of ours whose owner is certainly dead. Others are kept and named, and so are living sandboxes for people. */
export async function reapOrphans(engine: Engine, options: { readonly dryRun?: boolean; readonly keptToo?: boolean } = {}): Promise<ReapReport> {
  const filters = JSON.stringify({ label: [LABEL] });
  const containers = (await engine.call('list containers', (docker) => docker.listContainers({ all: true, filters })))
    .map((found): Found => ({ id: found.Id, name: (found.Names[0] ?? found.Id).replace(/^\//, ''), labels: found.Labels, isRunning: found.State === 'running' }));
  const networks = (await engine.call('list networks', (docker) => docker.listNetworks({ filters })))
    .map((found): Found => ({ id: found.Id, name: found.Name, labels: found.Labels ?? {} }));
  const isOrphan = (found: Found): boolean => isOwnerDead(found) && (options.keptToo === true || !(isKeptName(found.name) && found.isRunning === true));
  const dead = { containers: containers.filter(isOrphan), networks: networks.filter(isOrphan) };
  if (options.dryRun !== true) {
    for (const { id } of dead.containers) await removeContainer(engine, id);
    for (const { id } of dead.networks) await removeNetworkIfFree(engine, id);
  }
  const name = (found: Found): string => found.name;
  return {
    containers: dead.containers.map(name),
    networks: dead.networks.map(name),
    folders: [],
    kept: [...containers, ...networks].filter((found) => !isOrphan(found)).map(name),
  };
}

function isOwnerDead(found: Found): boolean {
  const owner = parseOwner(found.labels[OWNER_LABEL]);
  return owner !== undefined && ownerStateOf(owner) === 'dead';
}

async function removeNetworkIfFree(engine: Engine, id: string): Promise<void> {
  try {
    await engine.call('remove a network', (docker) => docker.getNetwork(id).remove());
  } catch (error) {
    // 404: another reaper was faster. 403: something joined it; it will be reaped when that is gone.
    if (statusCodeOf(error) !== 404 && statusCodeOf(error) !== 403) throw error;
  }
}
