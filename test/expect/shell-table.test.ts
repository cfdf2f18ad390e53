import { describe, expect, test } from 'vitest';
import type { MatchOutcome } from '../../src/expect/match.js';
import { ask } from './shell-calls.js';

type Status = MatchOutcome['status'];

/** Commands that coding agents send, with the words that each states, and what is said about a program that none names. */
const COMMANDS: readonly (readonly [source: string, stated: readonly (readonly [executable: string, ...args: string[]])[], other?: Status])[] = [
  ['ls -la', [['ls', '-la']]],
  ['git status', [['git', 'status']]],
  ['git diff HEAD~1', [['git', 'diff', 'HEAD~1']]],
  ['git commit -m "Fix the parser"', [['git', 'commit', '-m', 'Fix the parser']]],
  ["git commit -m 'It'\\''s done'", [['git', 'commit', '-m', "It's done"]]],
  ['git commit -m "$(cat <<\'EOF\'\nFix\nEOF\n)"', [['git', 'commit', '-m', 'Fix'], ['cat']]],
  ['cd packages/core && npm test', [['cd', 'packages/core'], ['npm', 'test']]],
  ['npm test 2>&1 | tail -20', [['npm', 'test'], ['tail', '-20']]],
  ['npm run build', [['npm', 'run', 'build']]],
  ['npx tsc --noEmit', [['npx', 'tsc', '--noEmit'], ['tsc', '--noEmit']]],
  ['python3 -m pytest tests/ -x -q', [['python3', '-m', 'pytest', 'tests/', '-x', '-q']]],
  ['python -c "print(1)"', [['python', '-c', 'print(1)']], 'unavailable'],
  ["python3 - <<'PY'\nprint(1)\nPY", [['python3', '-']], 'unavailable'],
  ["python3 -c 'import sys; print(sys.version)'", [['python3', '-c', 'import sys; print(sys.version)']], 'unavailable'],
  ['cat package.json | jq .scripts', [['cat', 'package.json'], ['jq', '.scripts']]],
  ['grep -rn "TODO" src/', [['grep', '-rn', 'TODO', 'src/']]],
  ['grep -rn "foo|bar" --include=*.ts .', [['grep', '-rn', 'foo|bar']]],
  ["rg -n 'class \\w+' src", [['rg', '-n', 'class \\w+', 'src']]],
  ['find . -name "*.py" -not -path "./node_modules/*"', [['find', '.', '-name', '*.py', '-not', '-path', './node_modules/*']]],
  ['find . -name *.py', [['find', '.', '-name']]],
  ['rm -rf dist', [['rm', '-rf', 'dist']]],
  ['mkdir -p a/b/c', [['mkdir', '-p', 'a/b/c']]],
  ['touch {a,b}.txt', [['touch']]],
  ['echo "hello world"', [['echo', 'hello world']]],
  ['echo $HOME', [['echo']]],
  ['echo "Path: $PATH"', [['echo']]],
  ["echo 'cost: $5'", [['echo', 'cost: $5']]],
  ['FOO=bar node index.js', [['node', 'index.js']]],
  ['export FOO=bar', [['export', 'FOO=bar']]],
  ["sed -i 's/a/b/g' file.txt", [['sed', '-i', 's/a/b/g', 'file.txt']]],
  ['for f in *.txt; do echo "$f"; done', [['echo']]],
  ['ls *.md', [['ls']]],
  ['cat ~/.bashrc', [['cat']]],
  ['sleep 5 &', [['sleep', '5']]],
  ['test -f x || echo missing', [['test', '-f', 'x'], ['echo', 'missing']]],
  ['! grep -q x y', [['grep', '-q', 'x', 'y']]],
  ['docker compose up -d', [['docker', 'compose', 'up', '-d']]],
  ['curl -s "http://127.0.0.1:8080/a?b=1&c=2"', [['curl', '-s', 'http://127.0.0.1:8080/a?b=1&c=2']]],
  ['curl -s http://127.0.0.1:8080/a?b=1', [['curl', '-s']]],
  ['bash -c "ls; pwd"', [['bash', '-c', 'ls; pwd'], ['ls'], ['pwd']]],
  ['timeout 10 node a.js', [['timeout', '10', 'node', 'a.js'], ['node', 'a.js']]],
  ['(cd sub && pwd)', [['cd', 'sub'], ['pwd']]],
  ['cp a\\ b.txt "c d.txt"', [['cp', 'a b.txt', 'c d.txt']]],
  ["awk '{print $1}' data", [['awk', '{print $1}', 'data']]],
  ['node --version  # check', [['node', '--version']]],
  ['git log --oneline -5\n', [['git', 'log', '--oneline', '-5']]],
  ['pwd\nls', [['pwd'], ['ls']]],
  ['tee out.txt < in.txt', [['tee', 'out.txt']]],
  ['/usr/bin/env node x.js', [['env', 'node', 'x.js'], ['/usr/bin/env', 'node', 'x.js'], ['node', 'x.js']]],
  ['source .venv/bin/activate', [['source', '.venv/bin/activate']], 'unavailable'],
];

describe('commands as coding agents send them', () => {
  test.each(COMMANDS)('%j', (source, stated, other = 'mismatched') => {
    for (const [executable, ...argsStart] of stated) {
      expect([executable, ask(source, executable, { argsStart })]).toEqual([executable, 'matched']);
      expect([executable, ask(source, executable, { argsStart: ['no such word'] })]).not.toEqual([executable, 'matched']);
    }
    expect(ask(source, 'publish-it')).toBe(other);
  });

  test.each<[string, Status]>([
    ['python3 -m pytest tests/ -x -q', 'unavailable'],
    ['touch {a,b}.txt', 'mismatched'],
  ])('"%s" asked for pytest: %s', (source, expected) => {
    expect(ask(source, 'pytest')).toBe(expected);
  });
});
