import { BACKEND_NAMES, BACKENDS, type BackendName } from '../sandbox/backend.js';
import { EXIT } from './exit-codes.js';

/** `niceeval clean`. What needs no engine comes first, so that it is done where none answers. */
export async function cleanCommand(flags: { readonly sandbox?: BackendName; readonly dryRun?: boolean; readonly kept?: boolean }): Promise<number> {
  const names = flags.sandbox === undefined ? [...BACKEND_NAMES].reverse() : [flags.sandbox];
  const verb = flags.dryRun === true ? 'would remove' : 'removed';
  const tell = (line: string): void => { process.stdout.write(`${line}\n`); };
  for (const backend of names) {
    await using provider = await BACKENDS[backend].open({ runId: 'clean' });
    const report = await provider.reap({ ...(flags.dryRun === undefined ? {} : { dryRun: flags.dryRun }), keptToo: flags.kept === true });
    for (const name of report.containers) tell(`${verb} container ${name}`);
    for (const name of report.networks) tell(`${verb} network ${name}`);
    for (const name of report.folders) tell(`${verb} folder ${name}`);
    for (const name of report.kept) tell(`kept ${name}: its owner lives or cannot be looked at from here, or it is kept for you (--kept removes it)`);
    tell(`${backend}: ${verb} ${report.containers.length} containers, ${report.networks.length} networks and ${report.folders.length} folders, kept ${report.kept.length}`);
  }
  return EXIT.ok;
}
