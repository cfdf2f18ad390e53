// What the sandbox costs beside the bare tools, in the same run: 100 MB of output, a scan of 100,000 files.
// Prints ratios; asserts nothing.
//
//   node bench/sandbox.mjs
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { openDockerProvider } from '../dist/sandbox/docker/provider.js';
import { docker } from '../dist/sandbox/docker/spec.js';
import { createContentStore } from '../dist/workspace/content-store.js';
import { scan } from '../dist/workspace/scan.js';

const ROUNDS = 5;
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const timed = async (work) => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};
const told = (what, ours, baselines) => {
  console.log(`${what}, median of ${ROUNDS}: niceeval ${ours.toFixed(0)} ms`);
  for (const [name, ms, bar] of baselines) console.log(`  ${name} ${ms.toFixed(0)} ms   ratio ${(ours / ms).toFixed(2)} (bar ${bar})`);
};

const folder = await mkdtemp(join(tmpdir(), 'niceeval-bench-'));
const provider = await openDockerProvider({ runId: `bench-${randomBytes(3).toString('hex')}` });
try {
  const spec = docker();
  const image = await provider.prepareImage(spec);
  const sandbox = await provider.openSandbox(spec, { image, network: { kind: 'none' }, attemptId: 'bench', lifetimeMs: 3_600_000 });

  const output = { ours: [], command: [] };
  await sandbox.runShellOrThrow('head -c 100M /dev/urandom | base64 -w 0 | head -c 100M > text');
  for (let round = 0; round < ROUNDS; round += 1) {
    output.command.push(await timed(async () => {
      const file = createWriteStream(join(folder, 'output'));
      await new Promise((resolve) => { file.once('open', resolve); });
      await execa('docker', ['exec', sandbox.id, 'cat', `${sandbox.workdir}/text`], { stdout: file, buffer: false });
      file.end();
    }));
    output.ours.push(await timed(async () => {
      const { stdout } = await sandbox.runCommand('cat', ['text']);
      if (stdout.length !== 100 * 1024 ** 2) throw new Error(`${stdout.length} bytes came`);
    }));
  }
  told('100 MB of output', median(output.ours), [['docker exec > file', median(output.command), 1.5]]);

  await sandbox.runShellOrThrow('rm text; git init -q .; node -e "const fs = require(\'fs\'); for (let d = 0; d < 100; d++) { fs.mkdirSync(\'d\' + d); for (let f = 0; f < 1000; f++) fs.writeFileSync(\'d\' + d + \'/f\' + f, String(f)); }"', { timeoutMs: 600_000 });
  await sandbox.runShellOrThrow('git add -A', { timeoutMs: 600_000 });
  const store = createContentStore(join(folder, 'blobs'));
  const walk = { ours: [], find: [], git: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    walk.find.push(await timed(() => execa('docker', ['exec', sandbox.id, 'find', sandbox.workdir, '-printf', '%P\\0%y\\0%m\\0%U\\0%G\\0%s\\0%T@ %C@ %i\\0%l\\0'], { stdout: 'ignore', buffer: false })));
    walk.ours.push(await timed(async () => {
      const { size } = await scan(sandbox, sandbox.workdir, store, { alive: true });
      if (size < 100_000) throw new Error(`${size} entries were seen`);
    }));
    walk.git.push(await timed(() => sandbox.runCommandOrThrow('git', ['add', '-A'])));
  }
  told('scan of 100,000 files', median(walk.ours), [['find -printf', median(walk.find), 1.5], ['git add -A, warm', median(walk.git), 0.5]]);
  await sandbox.stop();
} finally {
  await provider[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
