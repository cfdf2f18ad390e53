import { describe, expect, test } from 'vitest';
import { commandProjection, notCommandProjection, opaqueCommandProjection, type CommandProjection } from '../../src/evidence/command-projection.js';
import type { ToolOccurrence } from '../../src/evidence/occurrence.js';
import { commandMatch, type CommandConditions } from '../../src/expect/command.js';
import type { MatchOutcome } from '../../src/expect/match.js';

function callOf(command: CommandProjection | undefined, status: ToolOccurrence['status'] = 'completed'): ToolOccurrence {
  return {
    operationId: 'call_1', startedIndex: 0, status,
    operation: { kind: 'tool', name: 'Bash', input: { command: 'git status' }, tool: 'shell', ...(command === undefined ? {} : { command }) },
  };
}

function stated(words: string): CommandProjection {
  const [executable = '', ...args] = words.split(' ');
  return commandProjection({ state: 'available', executable, args });
}

async function ask(query: string, conditions: CommandConditions, words: string): Promise<MatchOutcome['status']> {
  return (await commandMatch(query, conditions).evaluate(callOf(stated(words)))).status;
}

describe('commandMatch compares the original words and those behind a transparent wrapper', () => {
  test.each<[string, string, CommandConditions, MatchOutcome['status']]>([
    ['git status', 'git', {}, 'matched'],
    ['git status -s', 'git', { argsStart: ['status'] }, 'matched'],
    ['git status -s', 'git', { argsStart: ['status', '-s'] }, 'matched'],
    ['git status', 'git', { argsStart: ['status', '-s'] }, 'mismatched'],
    ['git status', 'git', { argsStart: ['stat'] }, 'mismatched'],
    ['git -C . status', 'git', { argsStart: ['status'] }, 'mismatched'],
    ['git status', 'gi', {}, 'mismatched'],
    ['/usr/bin/git status', 'git', {}, 'mismatched'],
    ['git commit -m x', 'git', { excludes: ['--amend'] }, 'matched'],
    ['git commit --amend', 'git', { excludes: ['--amend'] }, 'mismatched'],
    ['git commit --amend=x', 'git', { excludes: ['--amend'] }, 'matched'],
    ['pnpm test', 'pnpm', { argsStart: ['test'] }, 'matched'],
    ['pnpm install', 'pnpm', { argsStart: ['test'] }, 'mismatched'],
    ['pnpm exec niceeval view', 'pnpm', {}, 'matched'],
    ['pnpm exec niceeval view', 'pnpm', { argsStart: ['exec', 'niceeval'] }, 'matched'],
    ['pnpm exec niceeval view', 'niceeval', { argsStart: ['view'] }, 'matched'],
    ['pnpm --silent exec niceeval view', 'niceeval', { argsStart: ['view'] }, 'matched'],
    ['pnpm exec niceeval run', 'niceeval', { argsStart: ['view'] }, 'mismatched'],
    ['npx vitest run', 'npx', {}, 'matched'],
    ['npx vitest run', 'vitest', { argsStart: ['run'] }, 'matched'],
    ['npx vitest run', 'jest', {}, 'mismatched'],
  ])('"%s" asked for %s %j: %s', async (words, query, conditions, expected) => {
    expect(await ask(query, conditions, words)).toBe(expected);
  });
});

describe('a launcher that hides or may hide another program never gives a no for that program', () => {
  test.each([
    'pnpm test', 'pnpm run build', 'pnpm -r exec vitest', 'pnpm exec', 'pnpm exec -c vitest', 'pnpm dlx vitest', 'npx -y vitest', 'npx --package=vitest vitest', 'npm exec vitest',
    'npm exec -- vitest', 'yarn vitest', 'bunx vitest', 'sudo vitest', 'doas vitest', 'env CI=1 vitest', 'timeout 10 vitest', 'nice vitest', 'nohup vitest', 'time vitest',
    'xargs vitest', 'bash -c vitest', 'sh -c vitest', 'sh -ec vitest', 'zsh -lc vitest', 'ssh host vitest', 'docker exec box vitest', 'find . -exec vitest {} ;',
    'find . -name x -execdir vitest {} +', '/usr/bin/sudo vitest', '/bin/bash -c vitest',
    'pnpm exec env CI=1 vitest', 'npx pnpm test', 'npx bash -c vitest', 'pnpm exec pnpm test',
  ])('%s', async (words) => {
    expect(await ask('vitest', {}, words)).toBe('unavailable');
  });

  test.each<[string, string, CommandConditions]>([
    ['sudo vitest', 'sudo', { argsStart: ['jest'] }],
    ['env CI=1 vitest', 'env', { argsStart: ['CI=0'] }],
    ['npx -y vitest', 'npx', { argsStart: ['jest'] }],
  ])('but "%s" decides about %s itself', async (words, query, conditions) => {
    expect(await ask(query, {}, words)).toBe('matched');
    expect(await ask(query, conditions, words)).toBe('mismatched');
  });

  test.each(['find . -name vitest', 'docker ps', 'git vitest', 'echo vitest'])('and "%s" hides nothing', async (words) => {
    expect(await ask('vitest', {}, words)).toBe('mismatched');
  });
});

describe('what the words of a call do not tell', () => {
  test.each<[string, CommandProjection | undefined, MatchOutcome]>([
    ['a call that was not classified', undefined, { status: 'unavailable', reason: 'Bash was not classified as a command or not' }],
    ['a call that is no command', notCommandProjection(), { status: 'mismatched', expected: 'command git', received: 'Bash, which is no command' }],
    [
      'shell text, which is not looked at', opaqueCommandProjection('unsupported-protocol', { source: 'git status' }),
      { status: 'unavailable', reason: 'the words of Bash (call_1) are not stated: unsupported-protocol' },
    ],
    ['redacted words', opaqueCommandProjection('redacted'), { status: 'unavailable', reason: 'the words of Bash (call_1) are not stated: redacted' }],
  ])('%s', async (_what, command, outcome) => {
    expect(await commandMatch('git').evaluate(callOf(command))).toEqual(outcome);
  });
});

describe('the status of the call', () => {
  test.each<[ToolOccurrence['status'], string, MatchOutcome['status']]>([
    ['completed', 'git status', 'matched'],
    ['failed', 'git status', 'mismatched'],
    ['pending', 'git status', 'mismatched'],
    ['undecidable', 'git status', 'unavailable'],
    ['undecidable', 'ls', 'mismatched'],
    ['failed', 'sudo git status', 'mismatched'],
    ['completed', 'sudo git status', 'unavailable'],
  ])('a call that is %s, "%s", asked for a completed git: %s', async (status, words, expected) => {
    expect((await commandMatch('git', { status: 'completed' }).evaluate(callOf(stated(words), status))).status).toBe(expected);
  });
});

test('says in words what it asks for', () => {
  expect(commandMatch('git', { argsStart: ['push', 'origin'], excludes: ['--force', '-f'], status: 'failed' }).description)
    .toBe('command git push origin without --force, -f with status failed');
});

test.each<[string, () => unknown, string]>([
  ['no executable', () => commandMatch(''), 'commandMatch needs the name of an executable.'],
  ['an unknown condition', () => commandMatch('git', { args: ['status'] } as CommandConditions), 'commandMatch does not know the condition "args". It knows argsStart, excludes and status.'],
  ['argsStart that is one text', () => commandMatch('git', { argsStart: 'status' as unknown as string[] }), 'commandMatch needs a list of words as `argsStart`, for instance ["test"].'],
  ['excludes that is one text', () => commandMatch('git', { excludes: '-f' as unknown as string[] }), 'commandMatch needs a list of words as `excludes`, for instance ["test"].'],
  ['a status that no call has', () => commandMatch('git', { status: 'ok' as 'failed' }), 'commandMatch does not know the status "ok". It knows pending, completed, failed and rejected.'],
])('refuses %s', (_what, make, message) => {
  expect(make).toThrow(new TypeError(message));
});
