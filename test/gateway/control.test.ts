import { PassThrough } from 'node:stream';
import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createGatewayControl } from '../../src/gateway/control.js';
import { controlLine, linesOf, type ProgramLine } from '../../src/gateway/control-lines.js';
import { GatewayGoneError, GatewayRefusedError } from '../../src/gateway/errors.js';
import { parseScript } from '../../src/gateway/script.js';

const script = parseScript('{"format": "niceeval.script/v1", "turns": [{"text": "Hello."}]}', 'test.json');
const session = { id: 'one', token: 'token-of-session-one', mode: { kind: 'scripted' as const, script } };
const summary = { requests: 0, usage: {}, lanes: [] };

/** A program that says what the test says. */
function fakeProgram() {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const control = createGatewayControl(stdin, stdout);
  return { stdin, stdout, control, say: (line: ProgramLine) => stdout.write(controlLine(line)) };
}

test('rejects calls that wait when the program goes away, and calls after that', async () => {
  const { stdout, control } = fakeProgram();
  const opening = control.open(session);
  stdout.end();
  const reason = 'its stdout ended';
  await expect(opening).rejects.toThrow(
    'The gateway was gone before it could open session "one": its stdout ended. Read its stderr for the cause, then start the run again.',
  );
  await expect(control.ready).rejects.toThrow(GatewayGoneError);
  await expect(control.close('one')).rejects.toThrow(GatewayGoneError);
  expect(await control.closed).toEqual({ reason });
});

test('gives up a program that writes anything else on its stdout', async () => {
  const { stdout, control } = fakeProgram();
  stdout.write('Debugger attached.\n');
  expect(await control.closed).toEqual({ reason: 'it wrote "Debugger attached.", which is no line of the control protocol' });
});

test('gives up a program whose stdin breaks', async () => {
  const { stdin, control } = fakeProgram();
  stdin.destroy(new Error('write EPIPE'));
  expect(await control.closed).toEqual({ reason: 'its stdin broke (write EPIPE)' });
});

test('passes on why the program cannot start', async () => {
  const { control, say } = fakeProgram();
  say({ type: 'refused', message: 'it cannot listen.' });
  await expect(control.ready).rejects.toThrow(new GatewayRefusedError('start', 'it cannot listen.'));
});

test('answers calls for different sessions in any order', async () => {
  const { control, say } = fakeProgram();
  const calls = ['a', 'b'].map((id) => control.open({ ...session, id }));
  say({ type: 'refused', id: 'b', message: 'no.' });
  say({ type: 'opened', id: 'a' });
  await expect(calls[1]).rejects.toThrow('The gateway refused to open session "b": no.');
  await calls[0];
});

test('makes calls about one session one after the other, in their order', async () => {
  const { stdin, control, say } = fakeProgram();
  const asked: string[] = [];
  stdin.on('data', (chunk: Buffer) => asked.push(...chunk.toString().trimEnd().split('\n').map((line) => (JSON.parse(line) as { type: string }).type)));
  const opening = control.open(session);
  const renewing = control.setUpstreams('one', {});
  const closing = control.close('one');
  await tick();
  expect(asked).toEqual(['open']);
  say({ type: 'opened', id: 'one' });
  await opening;
  await tick();
  // One that is refused does not keep the next from being made.
  say({ type: 'refused', id: 'one', message: 'no' });
  await expect(renewing).rejects.toThrow('The gateway refused to change the keys of session "one": no');
  say({ type: 'closed', id: 'one', ...summary });
  expect(await closing).toEqual(summary);
  expect(asked).toEqual(['open', 'upstreams', 'close']);
});

test('hands each exchange to whoever watches its session', async () => {
  const { control, say } = fakeProgram();
  const heard: (string | null)[] = [];
  const opening = control.open(session, { onExchange: ({ sessionId }) => { heard.push(sessionId); } });
  say({ type: 'opened', id: 'one' });
  await opening;
  const exchange = {
    sessionId: 'one', protocol: 'openai-responses', method: 'POST', path: '/v1/responses', status: 200, outcome: 'played',
    startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1.5,
  } as const;
  say({ type: 'exchange', exchange });
  say({ type: 'exchange', exchange: { ...exchange, sessionId: null } });
  const closing = control.close('one');
  say({ type: 'exchange', exchange });
  say({ type: 'closed', id: 'one', ...summary });
  expect(await closing).toEqual(summary);
  say({ type: 'exchange', exchange });
  await tick();
  expect(heard).toEqual(['one', 'one']);
});

test('splits lines at line feeds only, and characters nowhere', async () => {
  const bytes = Buffer.from('{"a":"\u2028é😀"}\n\nrest without end');
  const stream = new PassThrough();
  for (const byte of bytes) stream.write(Buffer.from([byte]));
  stream.end();
  const lines: string[] = [];
  for await (const line of linesOf(stream)) lines.push(line);
  expect(lines).toEqual(['{"a":"\u2028é😀"}', '']);
});
