import { describe, expect, test } from 'vitest';
import {
  commandProjection, commandProjectionSchema, LOGICAL_COMMAND_NORMALIZER, normalizeLogicalCommand, notCommandProjection, opaqueCommandProjection,
  type LogicalCommand, type LogicalOpaqueReason, type OriginalCommand, type OriginalOpaqueReason,
} from '../../src/evidence/command-projection.js';

function stated(words: string): OriginalCommand {
  const [executable = '', ...args] = words.split(' ');
  return { state: 'available', executable, args };
}

function logical(normalization: 'identity' | 'pnpm-exec' | 'npx', words: string): LogicalCommand {
  const [executable = '', ...args] = words === '' ? [] : words.split(' ');
  return { state: 'available', normalizer: 'logical-command/v1', normalization, executable, args };
}

function opaque(reason: LogicalOpaqueReason): LogicalCommand {
  return { state: 'opaque', normalizer: 'logical-command/v1', reason };
}

test('names the version of its rules', () => {
  expect(LOGICAL_COMMAND_NORMALIZER).toBe('logical-command/v1');
});

describe('logical-command/v1', () => {
  test.each([
    ['pnpm exec niceeval view', 'pnpm-exec', 'niceeval view'],
    ['pnpm exec vitest', 'pnpm-exec', 'vitest'],
    ['pnpm exec pnpm test', 'pnpm-exec', 'pnpm test'],
    ['pnpm exec eslint --fix -- src', 'pnpm-exec', 'eslint --fix -- src'],
    ['pnpm --silent exec niceeval view', 'pnpm-exec', 'niceeval view'],
    ['npx vitest run', 'npx', 'vitest run'],
    ['npx vitest@1.6 run -y', 'npx', 'vitest@1.6 run -y'],
    ['git status', 'identity', 'git status'],
    ['ls', 'identity', 'ls'],
    ['/usr/bin/git status', 'identity', '/usr/bin/git status'],
    ['/usr/bin/pnpm exec vitest', 'identity', '/usr/bin/pnpm exec vitest'],
    ['npm exec vitest', 'identity', 'npm exec vitest'],
    ['yarn vitest run', 'identity', 'yarn vitest run'],
    ['bunx vitest run', 'identity', 'bunx vitest run'],
    ['sudo git status', 'identity', 'sudo git status'],
    ['env CI=1 git status', 'identity', 'env CI=1 git status'],
    ['bash -c git', 'identity', 'bash -c git'],
    ['time npx vitest', 'identity', 'time npx vitest'],
  ] as const)('looks through "%s" by %s', (words, normalization, inner) => {
    expect(normalizeLogicalCommand(stated(words))).toEqual(logical(normalization, inner));
  });

  test.each([
    ['pnpm -r exec vitest', 'multiple-executions'],
    ['pnpm --recursive exec vitest', 'multiple-executions'],
    ['pnpm exec -r vitest', 'multiple-executions'],
    ['pnpm exec vitest --recursive', 'multiple-executions'],
    ['pnpm -r', 'multiple-executions'],
    ['pnpm --recursive run build', 'multiple-executions'],
    ['pnpm', 'unsupported-wrapper-form'],
    ['pnpm install', 'unsupported-wrapper-form'],
    ['pnpm test', 'unsupported-wrapper-form'],
    ['pnpm run build', 'unsupported-wrapper-form'],
    ['pnpm dlx vitest', 'unsupported-wrapper-form'],
    ['pnpm --silent', 'unsupported-wrapper-form'],
    ['pnpm --silent test', 'unsupported-wrapper-form'],
    ['pnpm --silent --silent exec vitest', 'unsupported-wrapper-form'],
    ['pnpm --filter web exec vitest', 'unsupported-wrapper-form'],
    ['pnpm exec', 'ambiguous-wrapper-target'],
    ['pnpm --silent exec', 'ambiguous-wrapper-target'],
    ['pnpm exec --', 'ambiguous-wrapper-target'],
    ['pnpm exec -- vitest', 'ambiguous-wrapper-target'],
    ['pnpm exec -c vitest', 'ambiguous-wrapper-target'],
    ['pnpm exec --parallel vitest', 'ambiguous-wrapper-target'],
    ['npx', 'ambiguous-wrapper-target'],
    ['npx -y vitest', 'unsupported-wrapper-form'],
    ['npx --yes vitest run', 'unsupported-wrapper-form'],
    ['npx -p typescript tsc', 'unsupported-wrapper-form'],
    ['npx --package=typescript tsc', 'unsupported-wrapper-form'],
  ] as const)('does not say what "%s" runs: %s', (words, reason) => {
    expect(normalizeLogicalCommand(stated(words))).toEqual(opaque(reason));
  });

  test.each(['redacted', 'truncated', 'compound-shell', 'dynamic-shell', 'unsupported-protocol'] as const)(
    'does not say anything of words that are %s', (reason) => {
      expect(normalizeLogicalCommand({ state: 'opaque', reason })).toEqual(opaque('original-opaque'));
    },
  );

  test('keeps words whole that hold spaces, quotes or nothing at all', () => {
    const args = ['exec', 'echo', 'a  b', '"', '', '$(date)'];
    expect(normalizeLogicalCommand({ state: 'available', executable: 'pnpm', args })).toEqual({
      state: 'available', normalizer: 'logical-command/v1', normalization: 'pnpm-exec', executable: 'echo', args: ['a  b', '"', '', '$(date)'],
    });
  });
});

describe('commandProjection', () => {
  test('keeps the original words beside the logical ones', () => {
    expect(commandProjection(stated('pnpm exec niceeval view'))).toEqual({
      classification: 'command',
      original: { state: 'available', executable: 'pnpm', args: ['exec', 'niceeval', 'view'] },
      logical: logical('pnpm-exec', 'niceeval view'),
    });
  });

  test.each<[string, unknown]>([
    ['no executable', { state: 'available', args: [] }],
    ['an empty executable', { state: 'available', executable: '', args: [] }],
    ['args that are one text', { state: 'available', executable: 'git', args: 'status' }],
    ['an argument that is no text', { state: 'available', executable: 'git', args: [1] }],
    ['a reason that the standard does not have', { state: 'opaque', reason: 'secret' }],
    ['shell text', 'git status'],
  ])('refuses %s', (_what, original) => {
    expect(() => commandProjection(original as OriginalCommand)).toThrow(new TypeError(
      'commandProjection needs {state: "available", executable, args} with a non-empty executable and string args, '
        + 'or {state: "opaque", reason}. For shell text use opaqueCommandProjection(reason, {source}).',
    ));
  });
});

describe('opaqueCommandProjection', () => {
  test.each<OriginalOpaqueReason>(['redacted', 'truncated', 'compound-shell', 'dynamic-shell', 'unsupported-protocol'])('says why: %s', (reason) => {
    expect(opaqueCommandProjection(reason)).toEqual({
      classification: 'command', original: { state: 'opaque', reason }, logical: opaque('original-opaque'),
    });
  });

  test('keeps the exact shell source beside it', () => {
    const source = '  npm test\n\t&& echo "done"  ';
    expect(opaqueCommandProjection('unsupported-protocol', { source, shell: '/bin/bash', truncated: true })).toEqual({
      classification: 'command',
      original: { state: 'opaque', reason: 'unsupported-protocol' },
      logical: opaque('original-opaque'),
      shell: { source, shell: '/bin/bash', truncated: true },
    });
  });
});

test('notCommandProjection says no more than that it is no command', () => {
  expect(notCommandProjection()).toEqual({ classification: 'not-command' });
});

test.each([
  notCommandProjection(),
  commandProjection(stated('npx -y vitest')),
  commandProjection(stated('git status')),
  opaqueCommandProjection('truncated', { source: 'npm te', truncated: true }),
])('the schema accepts what the constructors make: %j', (projection) => {
  expect(commandProjectionSchema.parse(projection)).toEqual(projection);
});
