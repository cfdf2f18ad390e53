import { plainLine } from '../report/plain-text.js';
import { openDockerProvider } from '../sandbox/docker/provider.js';
import { docker } from '../sandbox/docker/spec.js';
import { EXIT } from './exit-codes.js';

/** `niceeval images`. */
export async function imagesCommand(): Promise<number> {
  await using provider = await openDockerProvider({ runId: 'images' });
  const image = await provider.prepareImage(docker(), (line) => process.stdout.write(`${plainLine(line)}\n`));
  process.stdout.write(`${image.reference} is ready: agents run as ${image.agentUser} in ${image.workdir}\n`);
  return EXIT.ok;
}
