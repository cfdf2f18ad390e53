import { describe, expect, test } from 'vitest';
import { startFailureOf } from '../../src/sandbox/docker/ending.js';
import { SandboxCommandExitError } from '../../src/sandbox/errors.js';
import { isKilled } from '../../src/sandbox/exit-facts.js';
import { sizeText } from '../../src/sandbox/size-text.js';

const GIB = 1024 ** 3;

describe('a program that the engine could not start', () => {
  const wrapped = (detail: string): string => `OCI runtime exec failed: exec failed: unable to start container process: ${detail}: unknown\r\n`;
  test.each([
    ['exec: "nosuch": executable file not found in $PATH', 127, 'not-found'],
    ['exec: "/no/such": stat /no/such: no such file or directory', 127, 'not-found'],
    ['exec: "./text": permission denied', 126, 'not-executable'],
    ['exec: "/tmp": is a directory', 126, 'not-executable'],
    ['exec /tmp/x: exec format error', 126, 'not-executable'],
    ['chdir to cwd ("/gone") set in config.json failed: no such file or directory', 126, 'not-started'],
    ['read init-p: connection reset by peer', 126, 'not-started'],
  ])('for "%s" ends with %i, %s', (detail, exitCode, ending) => {
    const told = startFailureOf('x', wrapped(detail));
    expect({ exitCode: told.exitCode, ending: told.ending }).toEqual({ exitCode, ending });
    expect(told.stderr).toBe(ending === 'not-found' ? 'the sandbox has no program "x"' : `"x" could not be started: unable to start container process: ${detail}: unknown`);
  });
});

test.each([[137, true, true], [143, true, true], [137, false, false], [0, true, false], [1, true, false], [130, true, false], [139, true, false]])(
  'the exit code %i of a command (started: %j) stands for a kill: %j', (exitCode, started, killed) => {
    expect(isKilled({ exitCode, started })).toBe(killed);
  },
);

describe('the error of a command that had to succeed', () => {
  test.each([
    [{ exitCode: 3 }, '"make it" ended with exit code 3. why'],
    [{ exitCode: 137, ending: 'out-of-memory' as const }, '"make it" was killed for want of memory: limit 4 GiB. why'],
    [{ exitCode: 137, ending: 'killed' as const }, '"make it" was killed (137). why'],
    [{ exitCode: 143, ending: 'killed' as const }, '"make it" was killed (143). why'],
    [{ exitCode: 127, ending: 'not-found' as const }, '"make it" was not found (exit code 127). why'],
    [{ exitCode: 126, ending: 'not-executable' as const }, '"make it" cannot be executed (exit code 126). why'],
    [{ exitCode: 126, ending: 'not-started' as const }, '"make it" could not be started (exit code 126). why'],
  ])('names the ending of %j', (facts, message) => {
    const error = new SandboxCommandExitError(['make', 'it'], { ...facts, stdout: 'x', stderr: 'why\n' }, { memoryLimitBytes: 4 * GIB });
    expect(error.message).toBe(message);
  });

  test('leaves out a limit that is not known', () => {
    expect(new SandboxCommandExitError(['x'], { exitCode: 137, ending: 'out-of-memory', stdout: '', stderr: '' }).message).toBe('"x" was killed for want of memory.');
  });
});

test.each([[0, '0 bytes'], [512, '512 bytes'], [1024, '1 KiB'], [1536, '1.5 KiB'], [256 * 1024 ** 2, '256 MiB'], [4 * GIB, '4 GiB'], [1024 ** 5, '1024 TiB']])('%i bytes are shown as %s', (bytes, shown) => {
  expect(sizeText(bytes)).toBe(shown);
});
