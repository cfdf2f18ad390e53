import { createServer } from 'node:http';
import { execa } from 'execa';
import { networkInterfaces } from 'node:os';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeGateway, type PlacedGateway } from '../../src/gateway/placement.js';
import type { ClosedNetwork } from '../../src/sandbox/sandbox.js';
import { openTestSandbox, type TestSandbox } from '../support/sandboxes.js';

/** The registry that the machine itself can reach: the one place of the outside that a build needs anyhow. */
const REGISTRY = 'registry.npmjs.org';

describe('the network of a living sandbox', () => {
  let open: TestSandbox;
  let network: ClosedNetwork;
  let gateway: PlacedGateway;
  const host = createServer((_req, res) => res.end('host'));
  let hostPort = 0;

  beforeAll(async () => {
    await new Promise<void>((resolve) => { host.listen(0, '0.0.0.0', resolve); });
    hostPort = (host.address() as AddressInfo).port;
    open = await openTestSandbox({ closed: true, onNetwork: async (made, provider) => {
      network = made;
      gateway = await placeGateway(provider, made);
    } });
  });
  afterAll(async () => {
    host.close();
    await open[Symbol.asyncDispose]();
  });

  const curl = (...args: string[]) => open.sandbox.runCommand('curl', ['-sS', '--noproxy', '*', '--max-time', '10', ...args]);
  const defaultRoutes = async (): Promise<string> => (await open.sandbox.runCommand('ip', ['route', 'show', 'default'])).stdout;
  const reachesGateway = async (): Promise<boolean> => (await curl('-o', '/dev/null', `${gateway.origin}/v1/models`)).exitCode === 0;
  /** Whether anything of the host answers, whatever it is. A certificate that is not trusted in here is an answer. */
  const reaches = async (url: string): Promise<boolean> => (await curl('-k', '-o', '/dev/null', url)).exitCode === 0;

  it('begins closed: the gateway answers, names do not exist and are told', async () => {
    expect(await gateway.control.allow(network.serviceAddress, [])).toEqual([]);
    expect(await reachesGateway()).toBe(true);
    expect(await defaultRoutes()).toBe('');
    expect((await open.sandbox.runCommand('getent', ['hosts', 'canary.invalid'])).exitCode).toBe(2);
    expect(await reaches(`https://${REGISTRY}/`)).toBe(false);
    const denied = await gateway.control.allow(network.serviceAddress, []);
    expect(denied.map(({ via, host: name }) => `${via} ${name}`)).toEqual(['dns canary.invalid', `dns ${REGISTRY}`]);
  });

  it('opens: names and routes of the outside, but not the machine itself or link-local addresses', async () => {
    await network.switchTo('open');
    expect(await defaultRoutes()).toMatch(/^default via 10\.214\.\d+\.1 dev \w+ \n$/);
    expect(await reaches(`https://${REGISTRY}/is-number`)).toBe(true);
    expect(await reachesGateway()).toBe(true);
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []).filter((item) => item.family === 'IPv4' && !item.internal).map((item) => item.address);
    expect(own.length).toBeGreaterThan(0);
    const way = /via (\S+)/.exec(await defaultRoutes())?.[1] ?? '';
    for (const address of [...own, way]) {
      expect({ address, reached: await reaches(`http://${address}:${hostPort}/`) }).toEqual({ address, reached: false });
    }
    expect((await open.sandbox.runCommand('ip', ['route', 'get', '169.254.169.254'])).exitCode).not.toBe(0);
  });

  it('closes again', async () => {
    await network.switchTo('closed');
    expect(await defaultRoutes()).toBe('');
    expect((await open.sandbox.runCommand('ip', ['route', 'show', 'type', 'prohibit'])).stdout).toBe('');
    expect(await reaches(`https://${REGISTRY}/`)).toBe(false);
    expect(await reachesGateway()).toBe(true);
  });

  it('is cut: not even the gateway', async () => {
    await network.switchTo('cut');
    expect((await open.sandbox.runCommand('ip', ['route'])).stdout).toBe('');
    expect(await reachesGateway()).toBe(false);
    await network.switchTo('closed');
    expect(await reachesGateway()).toBe(true);
  });

  it('lets only the hosts of a list through, by the gateway', async () => {
    await gateway.letOut();
    await gateway.control.allow(network.serviceAddress, [REGISTRY]);
    expect(await reaches(`https://${REGISTRY}/is-number`)).toBe(true);
    expect(await reaches('https://www.npmjs.com/')).toBe(false);
    // A connection to the gateway that names another host, as if it were the allowed one.
    expect((await curl('-k', '-o', '/dev/null', '--connect-to', `www.npmjs.com:443:${REGISTRY}:443`, 'https://www.npmjs.com/')).exitCode).not.toBe(0);
    expect((await curl('-o', '/dev/null', '-H', 'Host: www.npmjs.com', `http://${REGISTRY}/`)).exitCode).not.toBe(0);
    expect(await defaultRoutes()).toBe('');
    const denied = await gateway.control.allow(network.serviceAddress, []);
    expect(denied.map(({ via, host: name }) => `${via} ${name}`)).toEqual(['dns www.npmjs.com', 'tls www.npmjs.com', 'http www.npmjs.com']);
    expect(await reaches(`https://${REGISTRY}/`)).toBe(false);
  });

  it('of a second sandbox goes although the gateway lives on', async () => {
    const second = await (open.provider.openClosedNetwork as () => Promise<ClosedNetwork>)();
    await gateway.admitTo(second);
    await second[Symbol.asyncDispose]();
    expect((await execa('docker', ['network', 'inspect', second.id], { reject: false })).exitCode).toBe(1);
    expect(await reachesGateway()).toBe(true);
  });

  it('keeps two sandboxes that are both open apart', async () => {
    await using other = await openTestSandbox({ closed: true, onNetwork: async (made) => { await made.switchTo('open'); } });
    await network.switchTo('open');
    const server = await execa('docker', ['exec', '-d', other.sandbox.id, 'node', '-e', "require('node:http').createServer((q, r) => r.end('canary')).listen(8787, '0.0.0.0', () => require('node:fs').writeFileSync('/tmp/up', ''))"]);
    expect(server.exitCode).toBe(0);
    await expect.poll(() => other.sandbox.pathExists('/tmp/up')).toBe(true);
    const addresses = (await other.sandbox.runShell("ip -4 -o addr show scope global | awk '{print $4}'")).stdout.trim().split('\n').map((line) => line.replace(/\/.*/, ''));
    expect(addresses).toHaveLength(2);
    expect((await other.sandbox.runCommand('curl', ['-s', `http://${addresses[0]}:8787/`])).stdout).toBe('canary');
    for (const address of addresses) expect({ address, reached: await reaches(`http://${address}:8787/`) }).toEqual({ address, reached: false });
    await network.switchTo('closed');
  });
});
