import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forwardingGateway, KEY, rawServer, recordingServer, type ForwardingGateway, type RawServer } from './raw-sockets.js';
import { failureOf, messagesBody, post } from './serving.js';

interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate that vouches for itself. */
function certificateFor(name: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'niceeval-tls-'));
  try {
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=test', '-addext', `subjectAltName=${name}`, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const certificates = { host: certificateFor('DNS:localhost'), other: certificateFor('DNS:other.example'), address: certificateFor('IP:127.0.0.1') };

async function secureService({ key, cert }: Certificate): Promise<AsyncDisposable & { readonly port: number; readonly heard: readonly string[] }> {
  const heard: string[] = [];
  const server = createHttpsServer({ key, cert }, (request, response) => {
    request.resume();
    request.on('end', () => {
      heard.push(`${request.method} ${request.url} ${request.headers.host} ${String(request.headers['x-api-key'])} ${String(request.headers['proxy-authorization'])}`);
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, heard,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A proxy that opens every tunnel to one port, whatever name it is asked for, when the credentials are right. */
function tunnelling(port: number, credentials = 'user:pass word'): Promise<RawServer> {
  const opened = new WeakSet<object>();
  return rawServer((heard, socket) => {
    if (opened.has(socket) || !heard.includes('\r\n\r\n')) return;
    opened.add(socket);
    if (!heard.includes(`\r\nProxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="x"\r\ncontent-length: 5\r\n\r\nproxy');
      return;
    }
    const far = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(far).pipe(socket);
    });
    far.on('error', () => socket.destroy());
    socket.on('close', () => far.destroy());
  });
}

const at = (proxy: RawServer, credentials = 'user:pass%20word@'): string => proxy.url.replace('://', `://${credentials}`);
const ask = (gateway: ForwardingGateway): Promise<Response> => post(`${gateway.url}/v1/messages`, messagesBody());

describe('a service behind TLS', () => {
  test.each([
    ['by its name', 'localhost', certificates.host, certificates.host.cert],
    ['by its address', '127.0.0.1', certificates.address, certificates.address.cert],
  ])('is believed %s when its certificate is given', async (_, host, certificate, ca) => {
    await using service = await secureService(certificate);
    await using gateway = await forwardingGateway(`https://${host}:${service.port}`, {}, { ca });
    expect((await ask(gateway)).status).toBe(200);
    expect(service.heard).toEqual([`POST /v1/messages ${host}:${service.port} ${KEY} undefined`]);
  });

  test.each([
    ['a certificate that nobody vouches for', 'localhost', certificates.host, undefined, 'self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    ['another certificate than the one given', 'localhost', certificates.host, certificates.other.cert, 'self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    ['a certificate of another host', 'localhost', certificates.other, certificates.other.cert, "Hostname/IP does not match certificate's altnames: Host: localhost. is not in the cert's altnames: DNS:other.example (ERR_TLS_CERT_ALTNAME_INVALID)"],
    ['a certificate of a name for an address', '127.0.0.1', certificates.host, certificates.host.cert, "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list:  (ERR_TLS_CERT_ALTNAME_INVALID)"],
  ])('is not believed with %s', async (_, host, certificate, ca, reason) => {
    await using service = await secureService(certificate);
    await using proxy = await tunnelling(service.port);
    for (const way of [{}, { proxy: at(proxy) }]) {
      await using gateway = await forwardingGateway(`https://${host}:${service.port}`, {}, { ...way, ...(ca !== undefined && { ca }) });
      const response = await ask(gateway);
      expect([response.status, await failureOf(response)]).toEqual([502, `The model service at ${host}:${service.port} could not be asked: ${reason}. See whether the base URL is right and the service is up.`]);
      expect((await gateway.exchanges(1)).map(({ outcome, sessionId }) => [outcome, sessionId])).toEqual([['upstream-failed', 'one']]);
      expect(gateway.faults).toEqual([]);
    }
    expect(service.heard).toEqual([]);
  });

  test('that speaks no TLS is a 502', async () => {
    await using service = await recordingServer();
    await using gateway = await forwardingGateway(service.url.replace('http:', 'https:'));
    const response = await ask(gateway);
    expect([response.status, await failureOf(response)]).toEqual([502, expect.stringContaining('could not be asked: ')]);
    expect(service.whole()).toEqual([]);
  });
});

describe('a proxy on the way', () => {
  test('opens a tunnel by its credentials, which the service never sees, and keeps it', async () => {
    await using service = await secureService(certificates.other);
    await using proxy = await tunnelling(service.port);
    await using gateway = await forwardingGateway('https://other.example', {}, { proxy: at(proxy), ca: certificates.other.cert });
    for (let count = 0; count < 3; count += 1) expect((await ask(gateway)).status).toBe(200);
    expect(service.heard).toEqual(Array.from({ length: 3 }, () => `POST /v1/messages other.example ${KEY} undefined`));
    const [first = '', ...others] = proxy.heard();
    expect(others).toEqual([]);
    expect(first).toMatch(/^CONNECT other\.example:443 HTTP\/1\.1\r\n/);
    expect(first).not.toContain(KEY);
  });

  test('is used for HTTP too', async () => {
    await using service = await recordingServer();
    await using proxy = await tunnelling(service.port);
    await using gateway = await forwardingGateway('http://other.example:81', {}, { proxy: at(proxy) });
    expect((await ask(gateway)).status).toBe(200);
    expect(service.whole()).toEqual([expect.stringMatching(/^POST \/v1\/messages \{/)]);
    expect(proxy.heard()[0]).toMatch(/^CONNECT other\.example:81 HTTP\/1\.1\r\n/);
    expect(service.heard().join('')).not.toMatch(/proxy-/i);
  });

  test('is verified for an address as for a name', async () => {
    await using service = await secureService(certificates.address);
    await using proxy = await tunnelling(service.port);
    await using gateway = await forwardingGateway(`https://127.0.0.1:${service.port}`, {}, { proxy: at(proxy), ca: certificates.address.cert });
    const response = await ask(gateway);
    expect([response.status, await response.text()]).toEqual([200, '{}']);
  });

  test.each([['without credentials', ''], ['with wrong ones', 'user:wrong-pass-word@']])('that refuses %s is a 502, and hears no key', async (_, credentials) => {
    await using service = await secureService(certificates.host);
    await using proxy = await tunnelling(service.port);
    await using gateway = await forwardingGateway(`https://localhost:${service.port}`, {}, { proxy: at(proxy, credentials), ca: certificates.host.cert });
    const response = await ask(gateway);
    const message = await failureOf(response);
    expect([response.status, message]).toEqual([502, `The model service at localhost:${service.port} could not be asked: the proxy on the way refused with the status 407. See whether the base URL is right and the service is up.`]);
    expect(proxy.heard().join('')).not.toContain(KEY);
    expect(message + JSON.stringify(await gateway.exchanges(1))).not.toContain('wrong-pass-word');
    expect(service.heard).toEqual([]);
  });

  test.each([['says nothing that is HTTP', 'hello\r\n\r\n'], ['goes away', ''], ['sends a head of 1 MB', `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(1_000_000)}\r\n\r\n`]])('that %s is a 502', async (_, answer) => {
    await using proxy = await rawServer((_heard, socket) => void socket.end(answer));
    await using gateway = await forwardingGateway('https://other.example', {}, { proxy: at(proxy) });
    const response = await ask(gateway);
    expect([response.status, await failureOf(response)]).toEqual([502, expect.stringMatching(/^The model service at other\.example could not be asked: /)]);
    expect(gateway.faults).toEqual([]);
  });

  test('that is not there is a 502', async () => {
    const proxy = await rawServer(() => undefined);
    await proxy[Symbol.asyncDispose]();
    await using gateway = await forwardingGateway('https://other.example', {}, { proxy: at(proxy) });
    const response = await ask(gateway);
    expect([response.status, await failureOf(response)]).toEqual([502, expect.stringContaining('ECONNREFUSED')]);
  });

  test('that never answers is left when its client leaves', async () => {
    await using proxy = await rawServer(() => undefined);
    await using gateway = await forwardingGateway('https://other.example', {}, { proxy: at(proxy) });
    const stop = new AbortController();
    const asking = post(`${gateway.url}/v1/messages`, messagesBody(), { signal: stop.signal });
    asking.catch(() => undefined);
    while (proxy.heard().join('') === '') await new Promise((resolve) => { setImmediate(resolve); });
    stop.abort();
    expect((await gateway.exchanges(1)).map(({ outcome }) => outcome)).toEqual(['aborted']);
    await proxy.closed;
  });
});
