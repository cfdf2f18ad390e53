// Bundles the gateway program, which runs alone in a container, into one file.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export async function bundleGateway(outfile) {
  await build({
    entryPoints: [fileURLToPath(new URL('../src/gateway/program.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    // Packages in the older format ask for Node's own modules by `require`.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
}
