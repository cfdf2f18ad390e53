import { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { EngineCallError, EngineSilentError, SandboxGoneError } from '../../src/sandbox/errors.js';
import { dialectOf } from '../../src/sandbox/docker/dialect.js';
import type { Engine } from '../../src/sandbox/docker/engine.js';
import { execInContainer } from '../../src/sandbox/docker/exec.js';

beforeEach(() => { vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }); });
afterEach(() => { vi.useRealTimers(); });

/** A payload of standard output, as an engine frames it. */
function frame(text: string): Buffer {
  const head = Buffer.alloc(8);
  head[0] = 1;
  head.writeUInt32BE(text.length, 4);
  return Buffer.concat([head, Buffer.from(text)]);
}

/** An engine whose command has ended with 0 from the beginning, and whose output comes when the test says. */
function engineWith(socket: Duplex): Engine {
  const exec = { start: async () => socket, inspect: async () => ({ Running: false, ExitCode: 0, Pid: 7 }) };
  const docker = { getContainer: () => ({ exec: async () => exec }) } as unknown as Docker;
  return { docker, where: 'here', isLocal: true, dialect: dialectOf([]), call: (_what, work) => work(docker) };
}

/** Runs a command whose output comes late. @param held Whether a process lives that may hold it open. */
function late(held: boolean): { readonly socket: Duplex; readonly ended: Promise<{ readonly exitCode?: number; readonly error?: unknown; readonly text: string }> } {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  let text = '';
  const ended = execInContainer(
    { engine: engineWith(socket), containerId: 'c', endProcesses: () => Promise.resolve(), mayHoldOutput: () => Promise.resolve(held) }, ['true'],
    { user: 'agent', cwd: '/', onStdout: (chunk) => { text += Buffer.from(chunk).toString(); } },
  ).then(({ exitCode }) => ({ exitCode, text }), (error: unknown) => ({ error, text }));
  return { socket, ended };
}

describe('output that comes after its command has ended', () => {
  test('is waited for where nobody lives who could hold it open', async () => {
    const { socket, ended } = late(false);
    await vi.advanceTimersByTimeAsync(10_000);
    socket.push(frame('late'));
    await vi.advanceTimersByTimeAsync(5_000);
    socket.push(frame(', and later'));
    socket.push(null);
    await vi.advanceTimersByTimeAsync(0);
    expect(await ended).toEqual({ exitCode: 0, text: 'late, and later' });
  });

  test('is an error where it never ends and nobody holds it open: a part of it may be missing', async () => {
    const { socket, ended } = late(false);
    socket.push(frame('a part'));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await ended).toEqual({ error: new EngineSilentError('hand over the output of a command', 30_000), text: 'a part' });
  });

  test('is let go when it is quiet and somebody holds it open', async () => {
    const { socket, ended } = late(true);
    socket.push(frame('before'));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await ended).toEqual({ exitCode: 0, text: 'before' });
  });

  test('is an error where it ends in the middle of a piece', async () => {
    const { socket, ended } = late(false);
    socket.push(frame('half of it').subarray(0, 12));
    socket.push(null);
    await vi.advanceTimersByTimeAsync(1_000);
    const { error } = await ended;
    expect(error).toBeInstanceOf(EngineCallError);
    expect(String((error as Error).message)).toBe('The container engine could not hand over the whole output of a command: the stream ended in the middle of a piece');
  });
});

describe('a command whose container is removed while it runs', () => {
  /** An engine that answers about the command as `status` says, and about the container with 404. */
  function engineThatLost(status: number, containerStatus: number): Engine {
    const refusal = (statusCode: number): Error => new EngineCallError('look', statusCode, 'no such container');
    const socket = new Duplex({ read() { this.push(null); }, write: (_chunk, _encoding, done) => done() });
    const exec = { start: async () => socket, inspect: async () => { throw refusal(status); } };
    const docker = { getContainer: () => ({ exec: async () => exec, inspect: async () => { if (containerStatus !== 200) throw refusal(containerStatus); return {}; } }) } as unknown as Docker;
    return { docker, where: 'here', isLocal: true, dialect: dialectOf([]), call: (_what, work) => work(docker) };
  }
  const failureOf = (engine: Engine): Promise<unknown> => execInContainer(
    { engine, containerId: 'c', endProcesses: () => Promise.resolve(), mayHoldOutput: () => Promise.resolve(false) }, ['true'], { user: 'agent', cwd: '/' },
  ).catch((error: unknown) => error);

  test('ends with SandboxGoneError when the engine knows neither command nor container', async () => {
    expect(await failureOf(engineThatLost(404, 404))).toBeInstanceOf(SandboxGoneError);
  });

  test('and when it tells a fault of its own about the command, as Podman does, and the container is missing', async () => {
    expect(await failureOf(engineThatLost(500, 404))).toBeInstanceOf(SandboxGoneError);
  });

  test('but a fault of an engine that still has the container is a fault of the engine', async () => {
    const error = await failureOf(engineThatLost(500, 200));
    expect(error).toBeInstanceOf(EngineCallError);
    expect(error).not.toBeInstanceOf(SandboxGoneError);
  });
});
