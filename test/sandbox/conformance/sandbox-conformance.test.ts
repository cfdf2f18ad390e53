import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { SandboxConformanceError } from '../../../src/sandbox/conformance/errors.js';
import { sandboxConformance } from '../../../src/sandbox/conformance/sandbox-conformance.js';
import { docker } from '../../../src/sandbox/docker/spec.js';
import { CommandTimeoutError } from '../../../src/sandbox/errors.js';
import type { CommandOptions, CommandResult, OwnedSandbox } from '../../../src/sandbox/sandbox.js';
import { options, results, runFaulty, type Fault } from './broken.js';

const withoutEnding = ({ ending: _ending, ...result }: CommandResult): Partial<CommandResult> => ({ ...result, ending: undefined } as Partial<CommandResult>);
const sandbox = (change: (real: OwnedSandbox) => Partial<OwnedSandbox>): Fault => ({ sandbox: change });
const tar = (...words: readonly string[]): Readable => spawn('tar', ['--create', ...words], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout;
const tarOf = (path: string, ...words: readonly string[]): Readable => tar(...words, '--directory', posix.dirname(path), posix.basename(path));
const without = <K extends keyof CommandOptions>(key: K) => options(({ [key]: _left, ...rest }) => rest);

/** Tells that the time is up, and leaves everything running. */
const leavesProcesses = sandbox((real) => ({
  runCommand: (command, args = [], { timeoutMs, ...rest } = {}) => {
    const running = real.runCommand(command, args, rest);
    if (timeoutMs === undefined) return running;
    running.catch(() => undefined); // Gone with its sandbox.
    return new Promise((_resolve, reject) => { setTimeout(() => reject(new CommandTimeoutError([command, ...args], timeoutMs)), timeoutMs); });
  },
}));
/** Writes as a shell would. */
const writesThroughLinks = sandbox((real) => ({
  writeText: async (path, text) => { await real.runCommandOrThrow('sh', ['-c', 'mkdir -p "${1%/*}" && printf %s "$2" > "$1"', 'sh', path, text]); },
}));
const swallowsReading = sandbox((real) => ({ readText: (path) => real.readText(path).catch(() => '') }));

const FAULTS: readonly (readonly [fault: string, check: string, fault: Fault])[] = [
  ['takes a code that it does not like for 0', 'tells each exit code exactly, and that the command ended by itself', results(({ exitCode }) => (exitCode === 255 ? { exitCode: 0 } : {}))],
  ['does not tell what was killed', 'says of a command that a signal ended that it was killed', results(withoutEnding)],
  ['loses signals', 'counts any other signal as 128 and its number', results(({ exitCode }) => (exitCode > 128 ? { exitCode: 1 } : {}))],
  ['does not tell what was not found', 'says that a program is not there', results(withoutEnding)],
  ['takes what may not be executed for missing', 'says that a file may not be executed', results(({ exitCode }) => (exitCode === 126 ? { exitCode: 127 } : {}))],
  ['hands what is no program to a shell', 'says that a file is no program', sandbox((real) => ({ runCommand: (command, args = [], given) => (command.endsWith('words') ? real.runCommand('sh', [command, ...args], given) : real.runCommand(command, args, given)) }))],
  ['starts commands somewhere else', 'says that a command could not be started in a folder that is missing', without('cwd')],
  ['guesses from words', 'takes no words of a program for its own', results(({ stdout }) => (stdout.includes('not found') ? { ending: 'not-found' } : {}))],
  ['lets failures pass', 'throws with the result when a command had to succeed', sandbox((real) => ({ runShellOrThrow: (script, given) => real.runShell(script, given) }))],
  ['swallows standard error', 'keeps standard output and standard error apart', results(() => ({ stderr: '' }))],
  ['takes bytes for text', 'hands over every byte of both streams', sandbox((real) => ({ exec: (argv, given = {}) => real.exec(argv, { ...given, onStdout: (chunk) => given.onStdout?.(Buffer.from(Buffer.from(chunk).toString())) }) }))],
  ['cuts long output', 'carries 5 MB in and out unharmed', sandbox((real) => ({ exec: (argv, given = {}) => {
    let sizeBytes = 0;
    return real.exec(argv, { ...given, onStdout: (chunk) => { if ((sizeBytes += chunk.length) < 1_000_000) return given.onStdout?.(chunk); } });
  } }))],
  ['decodes each piece alone', 'keeps a character whole that comes in two pieces', sandbox((real) => ({ runShell: async (script, given = {}) => {
    let stdout = '';
    const { exitCode } = await real.exec(['sh', '-c', script], { ...given, onStdout: (chunk) => { stdout += Buffer.from(chunk).toString(); } });
    return { exitCode, stdout, stderr: '', durationMs: 0 };
  } }))],
  ['does not wait for callbacks', 'holds a command back while a callback is busy', sandbox((real) => ({ exec: (argv, given = {}) => real.exec(argv, { ...given, onStdout: (chunk) => { void given.onStdout?.(chunk); } }) }))],
  ['swallows what a callback throws', 'passes on what a callback throws', without('onStdout')],
  ['does not know secrets', 'replaces sensitive values, also where one comes in two pieces', without('sensitiveValues')],
  ['loses what was printed before a child held the output', 'returns when the command has ended, though a child of it holds the output open', results(() => ({ stdout: '' }))],
  ['gives commands sockets', 'lets a command open its standard streams by name', options(({ stdin, ...rest }) => ({ ...rest, ...(typeof stdin === 'string' ? { stdin: Readable.from([stdin]) } : {}) }))],
  ['keeps input to itself', 'gives a command its input and then the end of input', without('stdin')],
  ['tells the broken pipe', 'tells the exit code of a command that does not read its input', results(({ exitCode }) => (exitCode === 5 ? { exitCode: 141 } : {}))],
  ['runs everything in a shell', 'passes words to a program without a shell', sandbox((real) => ({ runCommand: (command, args = [], given) => real.runShell([command, ...args].join(' '), given) }))],
  ['runs nothing for no program', 'refuses a command without a program', sandbox((real) => ({ runCommand: (command, args, given) => real.runCommand(command || 'true', args, given) }))],
  ['remembers the environment', 'adds to the environment for one command only', (() => {
    let all = {};
    return options(({ env, ...rest }) => ({ ...rest, env: (all = { ...all, ...env }) }));
  })()],
  ['hands on its own environment', 'keeps the environment of the harness from commands', options((given) => ({ ...given, env: { ...process.env as Record<string, string>, ...given.env } }))],
  ['starts everything in one folder', 'starts commands in the working directory, or below it', without('cwd')],
  ['has a home that nobody may write to', 'has a working directory, a home and a folder for temporary files that the agent may write to', sandbox(() => ({ home: '/proc/self' }))],
  ['answers all with the first answer', 'runs several commands at the same time and mixes nothing up', sandbox((real) => {
    let first: Promise<CommandResult> | undefined;
    return { runShell: (script, given) => (first ??= real.runShell(script, given)) };
  })],
  ['leaves a command that ignores signals', 'ends a command that ignores signals when the time is up, and stays usable', leavesProcesses],
  ['leaves children', 'ends all that a command started when the time is up, and stays usable', leavesProcesses],
  ['keeps output to itself until the end', 'hands over what was printed before the time was up', without('onStdout')],
  ['has an error of its own for an abort', 'ends a command whose signal is aborted, and rejects with the reason', sandbox((real) => ({ runCommand: (command, args, given) => real.runCommand(command, args, given).catch(() => Promise.reject(new Error('aborted'))) }))],
  ['pays no heed to its signal', 'starts nothing when the signal is aborted already', without('signal')],
  ['reads another encoding', 'writes and reads text below folders that are missing', sandbox((real) => ({ readText: async (path) => Buffer.from(await real.readBytes(path)).toString('latin1') }))],
  ['writes files for nobody else', 'writes files and folders that belong to the agent', sandbox((real) => ({ writeText: async (path, text) => {
    await real.writeText(path, text);
    await real.runCommandOrThrow('chmod', ['600', path]);
  } }))],
  ['reads bytes as text', 'writes and reads every byte, and megabytes of them', sandbox((real) => ({ readBytes: async (path) => Buffer.from(await real.readText(path)) }))],
  ['starts relative paths at home', 'takes a relative path for one in the working directory', sandbox((real) => ({ writeText: (path, text) => real.writeText(posix.resolve(real.home, path), text) }))],
  ['mends names', 'takes any name for a name', sandbox((real) => ({ writeText: (path, text) => real.writeText(path.replaceAll('\n', ' '), text) }))],
  ['finds everything', 'tells whether a path exists', sandbox(() => ({ pathExists: () => Promise.resolve(true) }))],
  ['reads nothing where a link leads nowhere', 'follows links when it reads', swallowsReading],
  ['reads nothing where no file is', 'refuses to read what is no file', swallowsReading],
  ['writes to where a link leads', 'replaces a link by the file that is written in its place', writesThroughLinks],
  ['writes through links', 'does not write through a link on the way', writesThroughLinks],
  ['cuts a path at a NUL byte', 'refuses a path with a NUL byte', sandbox((real) => ({ readText: (path) => real.readText(path.replace(/\0.*/, '')).catch(() => '') }))],
  ['uploads without permission bits', 'uploads a file with its permission bits', sandbox((real) => ({ uploadFile: async (hostPath, path) => {
    await real.uploadFile(hostPath, path);
    await real.runCommandOrThrow('chmod', ['644', path]);
  } }))],
  ['leaves out nothing', 'uploads a folder with modes, links, empty folders and odd names, and leaves out what it is told to', sandbox((real) => ({ uploadDirectory: (hostPath, path) => real.uploadDirectory(hostPath, path) }))],
  ['clears a folder before it uploads', 'uploads into a folder that is there, and keeps what is in it', sandbox((real) => ({ uploadDirectory: async (hostPath, path = '.', given) => {
    await real.runCommandOrThrow('rm', ['-rf', path]);
    await real.uploadDirectory(hostPath, path, given);
  } }))],
  ['says nothing of the host', 'says which host path cannot be uploaded', sandbox((real) => ({ uploadFile: (hostPath, path) => real.uploadFile(hostPath, path).catch(() => Promise.reject(new Error('no'))) }))],
  ['downloads nothing where nothing is', 'downloads a file', sandbox((real) => ({ downloadFile: (path, hostPath) => real.downloadFile(path, hostPath).catch(() => undefined) }))],
  ['downloads no folder', 'downloads a folder with its links and modes, without what is neither file nor folder nor link', sandbox(() => ({ downloadDirectory: async (_path, hostPath) => { await mkdir(hostPath, { recursive: true }); } }))],
  ['copies links as they are', 'refuses to download a link that leads out of the folder, and writes nothing outside', sandbox(() => ({ downloadDirectory: async (path, hostPath) => { await execa('cp', ['-a', path, hostPath]); } }))],
  ['archives without the name of the folder', 'archives a folder under its own name, with all that is in it', sandbox(() => ({ archive: (path) => Promise.resolve(tar('--directory', path, '.')) }))],
  ['mends names in archives', 'archives names that are no text as the bytes they are', sandbox(() => ({ archive: (path) => Promise.resolve(tarOf(path, '--transform=s/[^a-z/]/_/g')) }))],
  ['leaves out what is closed', 'archives what the agent closed to others', sandbox(() => ({ archive: (path) => Promise.resolve(tarOf(path, '--exclude=a')) }))],
  ['tells the present for the past', 'archives the state that the sandbox was started from', sandbox((real) => ({ archive: (path) => real.archive(path) }))],
  ['archives nothing where nothing is', 'refuses to archive what is missing', sandbox((real) => ({ archive: (path, given) => real.archive(path, given).catch(() => Readable.from([])) }))],
  ['tells of nobody', 'tells the processes that a command left running, and ends them', sandbox(() => ({ agentProcesses: () => Promise.resolve([]) }))],
  ['spares nobody', 'spares the processes that it is told to, with what they start', sandbox((real) => ({ endAgentProcesses: () => real.endAgentProcesses() }))],
  ['tells of itself', 'tells of nobody where nobody runs, and ends nobody', sandbox(() => ({ agentProcesses: () => Promise.resolve([{ pid: '1', parent: '0', command: 'init' }]) }))],
  ['does not stop', 'is gone when it was stopped, however often, and says so to whoever asks', sandbox(() => ({ stop: () => Promise.resolve() }))],
  ['takes its own end for one of the command', 'ends the command that runs while it is stopped', sandbox((real) => ({ runShell: (script, given) => real.runShell(script, given).catch(() => ({ exitCode: 137, stdout: '', stderr: '', durationMs: 1 })) }))],
  ['has one sandbox for all', 'shows no sandbox the files and processes of another', { provider: (real) => {
    let only: Promise<OwnedSandbox> | undefined;
    return { openSandbox: (spec, given) => (only ??= real.openSandbox(spec, given)) };
  } }],
  ['lives for ever', 'ends by itself when its life is over and nobody came back', { provider: (real) => ({ openSandbox: (spec, given) => real.openSandbox(spec, { ...given, lifetimeMs: 3_600_000 }) }) }],
  ['opens in any case', 'opens nothing when the signal is aborted already', { provider: (real) => ({ openSandbox: (spec, { signal: _signal, ...given }) => real.openSandbox(spec, given) }) }],
  ['removes the living', 'leaves the living alone when it removes what the dead left', { provider: (real) => {
    const open: OwnedSandbox[] = [];
    return {
      openSandbox: async (spec, given) => {
        const opened = await real.openSandbox(spec, given);
        open.push(opened);
        return opened;
      },
      reap: async (given) => {
        for (const opened of open) await opened.stop();
        return real.reap({ ...given, dryRun: true });
      },
    };
  } }],
  ['breaks when it is asked what it used', 'tells what it used, or nothing, and never rejects', sandbox(() => ({ resources: () => Promise.reject(new Error('no')) }))],
];

const subject = { name: 'any', provider: () => Promise.reject(new Error('not opened')), spec: docker() };

describe.concurrent('the suite for sandboxes', () => {
  it.each(FAULTS)('finds the backend that %s', async (_fault, check, fault) => {
    await expect(runFaulty(check, fault)).rejects.toBeInstanceOf(SandboxConformanceError);
  });
});

describe('the list of checks', () => {
  it('has for each of its checks a fault that it finds', () => {
    const found = new Set(FAULTS.map(([, check]) => check));
    expect(sandboxConformance(subject).map(({ name }) => name).filter((name) => !found.has(name))).toStrictEqual([]);
  });

  it('names no check twice, and begins each title with the name of the subject', () => {
    const checks = sandboxConformance(subject);
    expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length);
    expect(checks.filter(({ name, title }) => title !== `any: ${name}`)).toStrictEqual([]);
  });

  it('lists a check that is skipped with the reason, and does nothing for it', async () => {
    const skips = { 'downloads a file': 'it has no files' };
    const skipped = sandboxConformance({ ...subject, skips }).filter((check) => check.skipped !== undefined);
    expect(skipped.map(({ name, skipped: reason }) => [name, reason])).toStrictEqual([['downloads a file', 'it has no files']]);
    await expect(skipped[0]?.run()).resolves.toBeUndefined();
  });

  it.each([
    ['a name that is no check', { 'flies': 'it has wings' }, 'sandboxConformance({ skips }) has "flies", which is no check. There are: "tells each exit code exactly'],
    ['no reason', { 'downloads a file': ' ' }, 'sandboxConformance({ skips }) leaves out "downloads a file" without a reason.'],
  ])('refuses a skip with %s', (_what, skips, message) => {
    expect(() => sandboxConformance({ ...subject, skips: skips as Record<string, string> })).toThrow(message);
  });

  it('says what was asked, what was expected and what came when a backend does not answer', async () => {
    const [first] = sandboxConformance(subject);
    await expect(first?.run()).rejects.toThrow('not opened');
  });
});
