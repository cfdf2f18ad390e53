// Compiles the sources to dist/ and bundles the gateway program beside them.
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { bundleGateway } from './bundle-gateway.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
await rm(`${root}/dist`, { recursive: true, force: true });
await execa('npx', ['tsc', '-p', 'tsconfig.json'], { cwd: root, stdio: 'inherit' });
await bundleGateway(`${root}/dist/gateway/program.bundle.mjs`);
