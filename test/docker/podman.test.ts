import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { networkInterfaces, tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxConformance } from '../../src/sandbox/conformance/sandbox-conformance.js';
import { openDockerProvider, type ClosingProvider } from '../../src/sandbox/docker/provider.js';
import { docker } from '../../src/sandbox/docker/spec.js';
import { openPodmanService, type PodmanService } from '../support/podman.js';
import { STAND_IN } from '../support/stand-in.js';
import { testRunId } from '../support/sandboxes.js';

const IMAGE = 'localhost/niceeval-podman:test';
const NO_START_FACTS = "it forgets the number of an execution that has ended and writes its own messages to the command's standard error, where nothing tells them from a program's";
/** Prints what URLs answer, one line each; nothing for one that does not. */
const ASK = 'const ask = (url) => fetch(url, { signal: AbortSignal.timeout(2500) }).then((response) => response.text()).catch(() => ""); Promise.all(process.argv.slice(1).map(ask)).then((all) => console.log(all.join("\\n")))';
/** What Podman 4.3 cannot do; each was seen. */
const SKIPS = {
  'says that a program is not there': NO_START_FACTS,
  'says that a file may not be executed': NO_START_FACTS,
  'says that a file is no program': NO_START_FACTS,
  'says that a command could not be started in a folder that is missing': NO_START_FACTS,
  'takes any name for a name': 'it takes *, ?, [ and \\ in a path for a pattern, so such paths are refused',
  'archives names that are no text as the bytes they are': 'it writes U+FFFD in the place of such bytes',
};

describe('the Docker backend with Podman', () => {
  let service: PodmanService;
  let provider: ClosingProvider;
  beforeAll(async () => {
    service = await openPodmanService();
    provider = await openDockerProvider({ runId: testRunId(), host: service.host, helperImage: service.image });
  });
  afterAll(async () => {
    await provider[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });

  for (const { title, run } of sandboxConformance({ name: 'podman', provider: () => Promise.resolve(provider), spec: docker({ image: IMAGE }), skips: SKIPS })) it(title, run);

  it('refuses a path that it would take for a pattern', async () => {
    const spec = docker({ image: IMAGE });
    await using sandbox = await provider.openSandbox(spec, { image: await provider.prepareImage(spec), network: { kind: 'none' }, attemptId: 'attempt', lifetimeMs: 600_000 });
    await sandbox.runShellOrThrow("echo other > ab");
    await expect(sandbox.readText('a*')).rejects.toThrow('holds *, ?, [ or \\, which this engine takes for a pattern');
  });

  it('closes a network: the service that was let in is reached by its name, and nothing else is, the host included', async () => {
    const host = createServer((_request, response) => response.end('host'));
    await new Promise<void>((resolve) => { host.listen(0, '0.0.0.0', resolve); });
    const folder = await mkdtemp(join(tmpdir(), 'niceeval-podman-service-'));
    try {
      const program = join(folder, 'service.mjs');
      await writeFile(program, STAND_IN);
      await using network = await provider.openClosedNetwork();
      await using stood = await provider.openService({ program, name: 'stand-in', network, hostname: 'gateway' });
      await new Promise((resolve) => { stood.stdout.once('data', resolve); });
      const spec = docker({ image: IMAGE });
      await using sandbox = await provider.openSandbox(spec, { image: await provider.prepareImage(spec), network: { kind: 'closed', network }, attemptId: 'attempt', lifetimeMs: 600_000 });
      expect((await sandbox.runCommand('ip', ['route'])).stdout).toMatch(/^10\.213\.\d+\.\d+\/28 dev eth0 [^\n]*\n$/);
      const own = (await sandbox.runShell("ip -4 addr show eth0 | awk '/inet/ {print $2}'")).stdout.trim();
      const [address = ''] = own.split('/');
      const bridge = address.replace(/\d+$/, (end) => String(Math.floor(Number(end) / 16) * 16 + 1));
      const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal).map((item) => item.address);
      expect(addresses.length).toBeGreaterThan(0);
      const { port } = host.address() as AddressInfo;
      const urls = ['http://gateway:8787/', ...[...addresses, bridge].map((target) => `http://${target}:${port}/`)];
      const { stdout } = await sandbox.runCommand('node', ['-e', ASK, ...urls]);
      expect(stdout.split('\n').slice(0, urls.length)).toEqual(['here', ...urls.slice(1).map(() => '')]);
    } finally {
      host.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
