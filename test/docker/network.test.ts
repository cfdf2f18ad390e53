import { execa } from 'execa';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import type { AddressInfo } from 'node:net';
import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestSandbox, testRunId, type TestSandbox } from '../support/sandboxes.js';
import { STAND_IN } from '../support/stand-in.js';

describe('the network of a sandbox', () => {
  let open: TestSandbox;
  let folder: string;
  let canary: { readonly id: string; readonly address: string };
  const canaryName = `canary-${testRunId()}`;
  const host = createServer((_req, res) => res.end('host'));
  let hostPort = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'niceeval-network-'));
    const program = join(folder, 'service.mjs');
    await writeFile(program, STAND_IN);
    await new Promise<void>((resolve) => { host.listen(0, '0.0.0.0', resolve); });
    hostPort = (host.address() as AddressInfo).port;
    open = await openTestSandbox({
      closed: true,
      onNetwork: async (network, provider) => {
        const service = await provider.openService({ program, name: 'stand-in', network, hostname: 'gateway' });
        await new Promise((resolve) => { service.stdout.once('data', resolve); });
      },
    });
    // A container of our own on the ordinary bridge, which the sandbox must not reach.
    const { stdout: id } = await execa('docker', ['run', '-d', '--name', canaryName, '--label', 'niceeval-test', open.image.reference,
      'node', '-e', "require('node:http').createServer((q, r) => r.end('canary')).listen(8787, '0.0.0.0')"]);
    const { stdout: address } = await execa('docker', ['inspect', '-f', '{{.NetworkSettings.IPAddress}}', id]);
    canary = { id, address };
  });
  afterAll(async () => {
    await execa('docker', ['rm', '-f', canaryName], { reject: false });
    host.close();
    await open[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const curl = (url: string) => open.sandbox.runCommand('curl', ['-sS', '--noproxy', '*', '--max-time', '3', url]);

  it('reaches the service that was let in, by its name', async () => {
    expect((await curl('http://gateway:8787/')).stdout).toBe('here');
  });

  it('has no default route, for either protocol', async () => {
    const routes = (await open.sandbox.runCommand('ip', ['route'])).stdout;
    expect(routes).toMatch(/^10\.213\.\d+\.\d+\/28 dev eth0 [^\n]*\n$/);
    expect((await open.sandbox.runCommand('ip', ['route', 'get', '192.0.2.1'])).stderr).toContain('Network is unreachable');
    expect((await open.sandbox.runCommand('ip', ['-6', 'route', 'show', 'default'])).stdout).toBe('');
    expect((await open.sandbox.runCommand('ip', ['-6', 'route', 'get', '2001:db8::1'])).exitCode).not.toBe(0);
  });

  it('cannot set a route', async () => {
    expect((await open.sandbox.runCommand('ip', ['route', 'add', 'default', 'via', '10.213.0.1'])).exitCode).not.toBe(0);
    expect((await open.sandbox.runCommand('ip', ['route', 'add', 'default', 'dev', 'eth0'], { user: 'root' })).exitCode).not.toBe(0);
  });

  it('cannot reach a container of another network', async () => {
    expect((await execa('curl', ['-s', '--max-time', '5', `http://${canary.address}:8787/`], { reject: false })).stdout).toBe('canary');
    const tried = await curl(`http://${canary.address}:8787/`);
    expect({ exitCode: tried.exitCode === 0, stdout: tried.stdout }).toEqual({ exitCode: false, stdout: '' });
  });

  it('cannot reach any address of the host, bridges included', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []).filter((item) => item.family === 'IPv4' && !item.internal).map((item) => item.address);
    expect(addresses.length).toBeGreaterThan(0);
    const gatewayOfOwnNet = (await open.sandbox.runShell("ip -4 -o addr show eth0 | awk '{print $4}'")).stdout.trim().replace(/\d+\/28$/, (end) => String(Math.floor(Number.parseInt(end, 10) / 16) * 16 + 1));
    for (const address of [...addresses, gatewayOfOwnNet]) {
      const tried = await curl(`http://${address}:${hostPort}/`);
      expect({ address, reached: tried.exitCode === 0, stdout: tried.stdout }).toEqual({ address, reached: false, stdout: '' });
    }
  });

  it('resolves no foreign name, and says so at once', async () => {
    const asked = await open.sandbox.runCommand('getent', ['hosts', 'somewhere.invalid']);
    expect(asked.exitCode).toBe(2);
    expect(asked.durationMs).toBeLessThan(10_000);
    const byEngine = await open.sandbox.runCommand('node', ['-e', `
      const { Resolver } = require('node:dns').promises;
      const resolver = new Resolver({ timeout: 1500, tries: 1 });
      resolver.setServers(['127.0.0.11']);
      resolver.resolve4('somewhere.invalid').then(() => console.log('resolved'), (error) => console.log(error.code));`]);
    expect(byEngine.stdout.trim()).not.toBe('resolved');
  });

  it('gives the agent no capability, no way to gain one, and no engine socket', async () => {
    const { stdout } = await open.sandbox.runCommand('grep', ['-E', '^(CapInh|CapPrm|CapEff|CapAmb|NoNewPrivs):', '/proc/self/status']);
    expect(stdout.replace(/\t/g, ' ')).toBe('CapInh: 0000000000000000\nCapPrm: 0000000000000000\nCapEff: 0000000000000000\nCapAmb: 0000000000000000\nNoNewPrivs: 1\n');
    expect(await open.sandbox.pathExists('/var/run/docker.sock')).toBe(false);
    expect((await open.sandbox.runCommand('id', ['-u'])).stdout).not.toBe('0\n');
  });
});
