// Compiles the sources to dist/ and bundles the gateway program, which runs alone in a container, into one file.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';

const root = fileURLToPath(new URL('..', import.meta.url));
await rm(`${root}/dist`, { recursive: true, force: true });
await execa('npx', ['tsc', '-p', 'tsconfig.json'], { cwd: root, stdio: 'inherit' });
await build({
  entryPoints: [`${root}/src/gateway/program.ts`],
  outfile: `${root}/dist/gateway/program.bundle.mjs`,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'error',
});
