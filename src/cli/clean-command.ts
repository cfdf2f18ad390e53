import { openDockerProvider } from '../sandbox/docker/provider.js';
import { EXIT } from './exit-codes.js';

/** `niceeval clean`. */
export async function cleanCommand(flags: { readonly dryRun?: boolean; readonly kept?: boolean }): Promise<number> {
  await using provider = await openDockerProvider({ runId: 'clean' });
  const report = await provider.reap({ ...flags, keptToo: flags.kept === true });
  const verb = flags.dryRun === true ? 'would remove' : 'removed';
  for (const name of report.containers) process.stdout.write(`${verb} container ${name}\n`);
  for (const name of report.networks) process.stdout.write(`${verb} network ${name}\n`);
  for (const name of report.kept) process.stdout.write(`kept ${name}: its owner lives or cannot be looked at from here, or it is kept for you (--kept removes it)\n`);
  process.stdout.write(`${verb} ${report.containers.length} containers and ${report.networks.length} networks, kept ${report.kept.length}\n`);
  return EXIT.ok;
}
