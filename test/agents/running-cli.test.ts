import { expect, test } from 'vitest';
import type { SandboxAgentContext } from '../../src/agents/agent.js';
import { startCli, untilRest } from '../../src/agents/running-cli.js';

/** A disk that takes so many bytes in all. */
function contextWith(room: number): SandboxAgentContext {
  let left = room;
  const write = (chunk: Uint8Array): Promise<void> => {
    left -= chunk.length;
    return left < 0 ? Promise.reject(new Error('no space left')) : Promise.resolve();
  };
  return {
    session: { ordinal: 1 },
    openRaw: () => Promise.resolve({ write, close: () => Promise.resolve() }),
    diagnostic: () => undefined,
    sandbox: {
      temporaryFolder: '/tmp',
      exec: async (_argv: unknown, options: { readonly onStdout: (chunk: Uint8Array) => Promise<void> }) => {
        await options.onStdout(Buffer.from('first\n'));
        return { exitCode: 0 };
      },
      readBytes: (path: string) => Promise.resolve(Buffer.from(path.endsWith('stdout') ? 'first\nsecond\n' : 'trouble')),
    },
  } as unknown as SandboxAgentContext;
}

const start = { argv: ['cli'], env: {}, keepInput: true };

test.each([['the followed output', 3], ['what was read back', 8], ['standard error', 14]])('a disk without room for %s ends the process for its caller, with the reason', async (_what, room) => {
  const cli = await startCli(contextWith(room), start);
  expect(await untilRest(cli, () => false)).toBe('ended');
  expect((await cli.ended).stopped).toEqual(new Error('no space left'));
});

test('with room enough everything is kept, also what was not followed', async () => {
  const cli = await startCli(contextWith(1_000), start);
  expect(await cli.ended).toEqual({ end: { exitCode: 0 }, stderr: 'trouble' });
  expect(Buffer.from(cli.takeOutput()).toString('utf8')).toBe('first\nsecond\n');
});
