import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { findEndpoint, type EndpointWorld, type EngineEndpoint } from '../../src/sandbox/docker/endpoint.js';
import { EngineContextError } from '../../src/sandbox/errors.js';

type World = { readonly env?: EndpointWorld['env']; readonly files?: Readonly<Record<string, string>>; readonly sockets?: readonly string[] };

const find = ({ env = {}, files = {}, sockets = [] }: World): EngineEndpoint => findEndpoint({
  env, home: '/home/me', exists: (path) => sockets.includes(path), read: (path) => (files[path] === undefined ? undefined : Buffer.from(files[path])),
});

/** A context as the docker command writes it. */
function context(name: string, host: string, tls: Readonly<Record<string, string>> = {}, folder = '/home/me/.docker'): Readonly<Record<string, string>> {
  const id = createHash('sha256').update(name).digest('hex');
  return {
    [`${folder}/contexts/meta/${id}/meta.json`]: JSON.stringify({ Name: name, Metadata: {}, Endpoints: { docker: { Host: host, SkipTLSVerify: false } } }),
    ...Object.fromEntries(Object.entries(tls).map(([file, text]) => [`${folder}/contexts/tls/${id}/docker/${file}`, text])),
  };
}
const chosen = (name: string): Readonly<Record<string, string>> => ({ '/home/me/.docker/config.json': JSON.stringify({ auths: {}, currentContext: name }) });

describe('the engine is found as the docker command finds it', () => {
  test.each<[string, World, EngineEndpoint]>([
    ['nothing is said', {}, { where: 'unix:///var/run/docker.sock', source: 'default', options: { socketPath: '/var/run/docker.sock' } }],
    ['DOCKER_HOST wins', { env: { DOCKER_HOST: 'tcp://far:2375' }, files: { ...chosen('work'), ...context('work', 'unix:///run/work.sock') } }, { where: 'tcp://far:2375', source: 'DOCKER_HOST', options: undefined }],
    ['an empty DOCKER_HOST says nothing', { env: { DOCKER_HOST: '' } }, { where: 'unix:///var/run/docker.sock', source: 'default', options: { socketPath: '/var/run/docker.sock' } }],
    ['the current context', { files: { ...chosen('work'), ...context('work', 'unix:///run/work.sock') } }, { where: 'unix:///run/work.sock (context "work")', source: 'context', options: { socketPath: '/run/work.sock' } }],
    ['DOCKER_CONTEXT before the current one', { env: { DOCKER_CONTEXT: 'play' }, files: { ...chosen('work'), ...context('play', 'unix:///run/play.sock') } }, { where: 'unix:///run/play.sock (context "play")', source: 'context', options: { socketPath: '/run/play.sock' } }],
    ['the context that is called default', { files: chosen('default') }, { where: 'unix:///var/run/docker.sock', source: 'default', options: { socketPath: '/var/run/docker.sock' } }],
    ['another folder for the configuration', { env: { DOCKER_CONFIG: '/etc/d', DOCKER_CONTEXT: 'play' }, files: context('play', 'unix:///run/play.sock', {}, '/etc/d') }, { where: 'unix:///run/play.sock (context "play")', source: 'context', options: { socketPath: '/run/play.sock' } }],
    ['an engine over ssh', { env: { DOCKER_CONTEXT: 'far', SSH_AUTH_SOCK: '/run/agent' }, files: context('far', 'ssh://me@far.example:2222') }, { where: 'ssh://me@far.example:2222 (context "far")', source: 'context', options: { protocol: 'ssh', host: 'far.example', port: 2222, username: 'me', sshOptions: { agent: '/run/agent' } } }],
    ['an engine with certificates', { env: { DOCKER_CONTEXT: 'tls' }, files: context('tls', 'tcp://far.example:2376', { 'ca.pem': 'CA', 'cert.pem': 'CERT', 'key.pem': 'KEY' }) }, { where: 'tcp://far.example:2376 (context "tls")', source: 'context', options: { protocol: 'https', host: 'far.example', port: 2376, ca: Buffer.from('CA'), cert: Buffer.from('CERT'), key: Buffer.from('KEY') } }],
    ['an engine without, and without a port', { env: { DOCKER_CONTEXT: 'plain' }, files: context('plain', 'tcp://far.example') }, { where: 'tcp://far.example (context "plain")', source: 'context', options: { protocol: 'http', host: 'far.example', port: 2375 } }],
    ['only a rootless engine is there', { env: { XDG_RUNTIME_DIR: '/run/user/1000' }, sockets: ['/run/user/1000/docker.sock'] }, { where: 'unix:///run/user/1000/docker.sock', source: 'default', options: { socketPath: '/run/user/1000/docker.sock' } }],
    ['only Docker Desktop is there', { sockets: ['/home/me/.docker/run/docker.sock'] }, { where: 'unix:///home/me/.docker/run/docker.sock', source: 'default', options: { socketPath: '/home/me/.docker/run/docker.sock' } }],
    ['only Podman is there', { env: { XDG_RUNTIME_DIR: '/run/user/1000' }, sockets: ['/run/user/1000/podman/podman.sock'] }, { where: 'unix:///run/user/1000/podman/podman.sock', source: 'default', options: { socketPath: '/run/user/1000/podman/podman.sock' } }],
    ['the system has one as well', { env: { XDG_RUNTIME_DIR: '/run/user/1000' }, sockets: ['/var/run/docker.sock', '/run/user/1000/docker.sock'] }, { where: 'unix:///var/run/docker.sock', source: 'default', options: { socketPath: '/var/run/docker.sock' } }],
    ['a configuration that cannot be read says nothing', { files: { '/home/me/.docker/config.json': '{' } }, { where: 'unix:///var/run/docker.sock', source: 'default', options: { socketPath: '/var/run/docker.sock' } }],
  ])('%s', (_what, world, endpoint) => {
    expect(find(world)).toEqual(endpoint);
  });

  test.each<[string, World, string]>([
    ['that is not there', { env: { DOCKER_CONTEXT: 'gone' } }, 'The Docker context "gone" cannot be read below /home/me/.docker. Look at `docker context ls`, or set DOCKER_HOST.'],
    ['with a host of another kind', { env: { DOCKER_CONTEXT: 'odd' }, files: context('odd', 'fd://3') }, 'The Docker context "odd" names the host "fd://3", which is none of unix://, tcp://, https:// and ssh://. Look at `docker context ls`, or set DOCKER_HOST.'],
  ])('refuses a context %s', (_what, world, message) => {
    expect(() => find(world)).toThrow(EngineContextError);
    expect(() => find(world)).toThrow(message);
  });
});
