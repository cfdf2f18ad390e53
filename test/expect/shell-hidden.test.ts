import { describe, expect, test } from 'vitest';
import { shellMatch, type ShellConditions } from '../../src/expect/shell-match.js';
import type { MatchOutcome } from '../../src/expect/match.js';
import { outcomeFor, shellCall } from './shell-calls.js';

const status = (source: string, executable: string, conditions?: ShellConditions): MatchOutcome['status'] => outcomeFor(shellCall(source, { exitCode: 0 }), executable, conditions).status;

// Each of these can run any program; that none is stated says nothing of what was run.
describe('what runs code or a program that the source does not state is unavailable', () => {
  test.each([
    "python3 /dev/stdin <<'EOF'\nimport os\nEOF", "node /dev/fd/0 <<'EOF'\n1\nEOF", "nodejs -e 'x'", "perl5.36 -e 'x'", "php8.2 -r 'x'", "lua5.4 -e 'x'", "luajit -e 'x'", "R -e 'x'", "ipython -c 'x'", "zx -e 'x'",
    "swift -e 'x'", "scala -e 'x'", "mix run -e 'x'", "bun exec 'rm -rf b'", "bun - <<'EOF'\n1\nEOF", "bun run - <<'EOF'\n1\nEOF", "deno run - <<'EOF'\n1\nEOF", "uv run - <<'EOF'\n1\nEOF", "yarn node -e 'x'",
    'yarn workspaces foreach -A exec rm -rf b', 'npm explore foo -- rm x', "make -f - <<'EOF'\nall: ; rm x\nEOF", "make --eval='all: ; rm x'",
    "sed '1erm -rf b' f", "sed '/x/Ie rm y' f", "sed '\\%x%e rm y' f", "split --filter='rm $FILE' f", "tar -I 'rm x' -cf a b", "rsync -e 'rm x' a b", "sqlite3 x '.shell rm y'", "psql -c '\\! rm x'",
    "git -c diff.external='rm x' diff", "git -c core.fsmonitor='rm x' status", 'ssh-agent rm x', 'chronic rm x', "sg g -c 'rm x'", 'c8 rm x', "cross-env-shell 'rm x'", "compgen -C 'rm x'", "m4 <<'EOF'\nsyscmd(rm x)\nEOF", "dc -e '!rm x'",
    'hash -p /bin/rm foo; foo x',
  ])('%s', (source) => {
    expect(status(source, 'rm')).toBe('unavailable');
  });
});

test.each([
  "sed -n '1,5p' f", "sed -i 's/a/b/g' f", "sed 's/one/two/' f | head", "sed '/x/d' f", "git -c user.name='A B' commit -m x", 'git -c color.ui=false diff', 'make test', 'node server.js', 'python3 run.py', 'yarn workspaces list', 'tar -czf a.tgz b', 'rsync -a a b', 'split -l 10 f',
])('everyday work stays decided: %s', (source) => {
  expect(status(source, 'rm')).toBe('mismatched');
});

test.each<[string, string, MatchOutcome['status'], MatchOutcome['status']]>([
  ['set -n carries nothing out', 'set -n; npm test', 'unavailable', 'mismatched'],
  ['noexec is the same', 'set -o noexec\nnpm test', 'unavailable', 'mismatched'],
  ['the shell kills itself', 'kill $$; npm test', 'unavailable', 'mismatched'],
  ['the shell kills its group', 'kill 0; npm test', 'unavailable', 'mismatched'],
  ['sudo goes to the background', 'sudo -b npm test', 'unavailable', 'unavailable'],
  ['a name stands for another program', 'hash -p /bin/true npm; npm test', 'unavailable', 'unavailable'],
])('%s: %s', (_what, source, completed, unconditional) => {
  expect(status(source, 'npm', { argsStart: ['test'], status: 'completed' })).toBe(completed);
  expect(status(source, 'npm', { argsStart: ['test'], unconditional: true })).toBe(unconditional);
});

test('what the author changes later changes nothing', () => {
  const words = ['--force'];
  const match = shellMatch('git', { argsStart: ['push'], excludes: words });
  words.length = 0;
  expect((match.evaluate(shellCall('git push --force')) as MatchOutcome).status).toBe('mismatched');
});
