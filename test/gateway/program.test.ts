import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleGateway } from '../../scripts/bundle-gateway.mjs';
import { createGatewayControl, type GatewayControl } from '../../src/gateway/control.js';
import { programLineSchema } from '../../src/gateway/control-lines.js';
import { GatewayGoneError } from '../../src/gateway/errors.js';
import type { Exchange } from '../../src/gateway/exchange.js';
import { parseScript } from '../../src/gateway/script.js';
import { eventsOf, messagesBody, post, textOf, TOKEN } from './serving.js';

let folder = '';
let bundle = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'niceeval-gateway-'));
  bundle = join(folder, 'gateway.mjs');
  await bundleGateway(bundle);
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface RunningProgram extends AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly control: GatewayControl;
  /** Everything that it wrote on its stdout. */
  readonly written: () => string;
  readonly exited: Promise<readonly [code: number | null, signal: NodeJS.Signals | null]>;
}

function startProgram(...argv: readonly string[]): RunningProgram {
  const child = spawn(process.execPath, [bundle, '--host', '127.0.0.1', '--port', '0', ...argv], { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'exit') as unknown as RunningProgram['exited'];
  let text = '';
  const stdout = new PassThrough();
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stdout.pipe(stdout);
  return {
    child,
    exited,
    control: createGatewayControl(child.stdin, stdout),
    written: () => text,
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
    },
  };
}

function sessionWith(turns: readonly object[]) {
  return { id: 'one', token: TOKEN, mode: { kind: 'scripted' as const, scriptName: 'test.json', script: parseScript(JSON.stringify({ format: 'niceeval.script/v1', turns }), 'test.json') } };
}

test('plays a session from opening to closing, and writes control lines only', async () => {
  await using program = startProgram();
  const { control } = program;
  const { port } = await control.ready;
  const exchanges: Exchange[] = [];
  await control.open(sessionWith([{ text: 'Hello.' }]), { onExchange: (exchange) => { exchanges.push(exchange); } });
  const response = await post(`http://127.0.0.1:${port}/v1/messages`, messagesBody());
  expect(await textOf(response)).toBe('Hello.');
  expect(await control.close('one')).toEqual({ requests: 1, usage: { inputTokens: 10, outputTokens: 5 }, lanes: [{ lane: 'main', played: 1, total: 1 }] });
  expect(exchanges.map(({ outcome, turn }) => ({ outcome, turn }))).toEqual([{ outcome: 'played', turn: 1 }]);
  await control[Symbol.asyncDispose]();
  expect(await program.exited).toEqual([0, null]);
  const lines = program.written().trimEnd().split('\n').map((line) => programLineSchema.parse(JSON.parse(line)).type);
  expect(lines).toEqual(['ready', 'opened', 'exchange', 'closed']);
  expect(program.written()).not.toContain(TOKEN);
});

test('exits when its host is gone, even with an answer that never ends', async () => {
  await using program = startProgram();
  const { port } = await program.control.ready;
  await program.control.open(sessionWith([{ text: 'Hello.', cutAfterEvents: 1, stall: true }]));
  const events = eventsOf(await post(`http://127.0.0.1:${port}/v1/messages`, messagesBody({ stream: true })));
  await events.next();
  program.child.stdin.end();
  expect(await program.exited).toEqual([0, null]);
  await expect(events.next()).rejects.toThrow('terminated');
  expect(await program.control.closed).toEqual({ reason: 'its stdout ended' });
});

test('rejects what waits when it is killed', async () => {
  await using program = startProgram();
  await program.control.ready;
  await program.control.open(sessionWith([{ text: 'Hello.' }]));
  program.child.kill('SIGSTOP');
  const closing = program.control.close('one');
  program.child.kill('SIGKILL');
  await expect(closing).rejects.toThrow(GatewayGoneError);
});

test('ends on SIGTERM and outlives Ctrl-C, which its host needs it for', async () => {
  await using program = startProgram();
  await program.control.ready;
  program.child.kill('SIGINT');
  await program.control.open(sessionWith([{ text: 'Hello.' }]));
  program.child.kill('SIGTERM');
  expect(await program.exited).toEqual([0, null]);
});

test('refuses what it cannot do, and goes on', async () => {
  await using program = startProgram();
  const { control } = program;
  await control.ready;
  const good = sessionWith([{ text: 'Hello.' }]);
  await expect(control.open({ ...good, mode: { ...good.mode, script: { ...good.mode.script, lanes: [] } } })).rejects.toThrow(
    'The gateway refused to open session "one": Script "test.json" cannot be played:\n  - lanes is an empty array. Write an array with at least one entry.',
  );
  await expect(control.open({ ...good, token: 'short' })).rejects.toThrow(
    'The gateway refused to open session "one": token: Make it 16 to 512 printable ASCII characters without spaces.',
  );
  await control.open(good);
  await expect(control.open(good)).rejects.toThrow(
    'The gateway refused to open session "one": Gateway session "one" is already open. Close it first, or open the new one under another id.',
  );
  await expect(control.close('two')).rejects.toThrow(
    'The gateway refused to close session "two": Gateway session "two" is not open. Open it before closing it, and close it once.',
  );
  program.child.stdin.write('no JSON\n');
  await control.close('one');
});

test('says that its port is taken', async () => {
  await using first = startProgram();
  const { port } = await first.control.ready;
  await using second = startProgram('--port', String(port));
  await expect(second.control.ready).rejects.toThrow(
    `The gateway refused to start: it cannot listen on 127.0.0.1:${port} (listen EADDRINUSE: address already in use 127.0.0.1:${port}). Give it another port with --port.`,
  );
  expect(await second.exited).toEqual([1, null]);
});
