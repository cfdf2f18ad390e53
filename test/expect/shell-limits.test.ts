import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ask, outcomeFor, shellCall } from './shell-calls.js';

const SOURCES = [
  'cd app && npm ci && npm run build || true; echo $?', "bash -lc 'cd /w && npm test'", 'npm run dev & sleep 2; curl localhost:3000', "cat > run.sh <<'EOF'\nnpm publish\nEOF\nnpm test", 'f() { npm test; }\nf; git status', 'if npm test; then git push; fi; npm ci',
  "cat <<'EOF' | bash\nnpm test\nEOF\ngit status", 'git commit -m "$(cat <<\'EOF\'\nIt is "done"\nEOF\n)" && git push', 'npm test \\\n  --silent; x=`git status`; echo "${x:-a}" > $(pwd)/y', 'npm $\'a\\\'b\' "c d"; case $x in a) npm ci;; esac', 'npm() { ls; }; npm test; (git a; git b) | npm c\ntimeout 10 npm test\n',
];
const NAMES = ['npm', 'git', 'bash', 'ls', 'curl', 'timeout', 'none'];

const words = fc.constantFrom(
  'npm', 'test', 'bash', '-c', 'sudo', 'env', 'xargs', 'find', '-exec', 'npx', 'python', '-m', 'if', 'then', 'fi', 'for', 'in', 'do', 'done', 'case', 'esac', 'while', 'function', 'f()', '{', '}', '(', ')', '((', '))', '[[', ']]', ';', ';;', '&', '&&', '|', '||', '|&', '!', 'time',
  '<<EOF', '<<-\'EOF\'', '<<<', 'EOF', '\n', '\r\n', '"', "'", '`', '$(', '${', '$((', "$'", '$"', '<(', '\\', '\\\n', '#', '$X', '"$@"', '*', '{a,b}', '~', '=', 'a=b', 'a=(', 'exit', 'set -e', 'eval', 'trap', 'alias a=b', 'exec', 'coproc', '-', '--', '\0', '\ud800', 'é',
);
const soup = fc.array(fc.tuple(words, fc.constantFrom('', ' ')), { maxLength: 40 }).map((parts) => parts.flat().join(''));

describe('any text', () => {
  test('is answered without an exception, and twice the same', () => {
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), soup), fc.boolean(), (source, truncated) => {
      const answer = outcomeFor(shellCall(source, { truncated }), 'npm', { argsStart: ['test'], unconditional: true, status: 'completed' });
      expect(outcomeFor(shellCall(source, { truncated }), 'npm', { argsStart: ['test'], unconditional: true, status: 'completed' })).toEqual(answer);
      if (truncated) expect(answer.status).not.toBe('mismatched');
    }), { numRuns: 1500 });
  });

  test('a cut source is never mismatched, and states nothing that the whole one does not state', () => {
    for (const source of SOURCES) {
      for (let at = 0; at <= source.length; at += 1) {
        const cut = shellCall(source.slice(0, at), { truncated: true });
        for (const name of NAMES) {
          for (const argsStart of [[], ['test']]) {
            const { status } = outcomeFor(cut, name, { argsStart });
            expect([source.slice(0, at), name, status]).not.toEqual([source.slice(0, at), name, 'mismatched']);
            if (status === 'matched') expect([source.slice(0, at), name, ask(source, name, { argsStart })]).toEqual([source.slice(0, at), name, 'matched']);
          }
        }
      }
    }
  });

  test('what a longer source states, a cut one states or leaves open', () => {
    fc.assert(fc.property(soup, fc.nat(), (source, at) => {
      const cut = source.slice(0, at % (source.length + 1));
      if (outcomeFor(shellCall(source), 'npm').status === 'matched') expect(outcomeFor(shellCall(cut, { truncated: true }), 'npm').status).not.toBe('mismatched');
    }), { numRuns: 1000 });
  });
});

describe('sources that are large or deep', () => {
  test.each<[string, string]>([
    ['brackets', `${'('.repeat(10_000)}npm${')'.repeat(10_000)}`],
    ['half a million brackets', '('.repeat(500_000)],
    ['substitutions', `echo ${'$('.repeat(10_000)}npm${')'.repeat(10_000)}`],
    ['quoted substitutions', `echo ${'"$('.repeat(5000)}npm${')"'.repeat(5000)}`],
    ['backticks', '`'.repeat(20_001)],
    ['groups', `${'{ '.repeat(20_000)}npm${'; }'.repeat(20_000)}`],
    ['sums', `echo $((${'1+'.repeat(100_000)}1))`],
    ['conditions', `${'if a; then '.repeat(5000)}npm${'; fi'.repeat(5000)}`],
    ['a list that is too long', Array(100_000).fill('a').join('; ')],
    ['functions that call each other ever more often', [...Array.from({ length: 26 }, (_, index) => `f${index}() { ${`f${index + 1}; `.repeat(20)}}`), 'f0'].join('\n')],
    ['functions with deep bodies', [...Array.from({ length: 12 }, (_, index) => `f${index}() ${'{ '.repeat(200)}f${index + 1}${'; }'.repeat(200)}`), 'f0'].join('\n')],
    ['a source of more than a million characters', 'a'.repeat(1_000_001)],
    ['wrappers in wrappers', `${'sudo '.repeat(100)}npm`],
  ])('%s: left open', (_what, source) => {
    expect(ask(source, 'npm')).toBe('unavailable');
  });

  test('thousands of here-documents are read', () => {
    const source = Array.from({ length: 3000 }, (_, index) => `cat <<E${index}\nnpm\nE${index}`).join('\n');
    expect(ask(source, 'cat')).toBe('matched');
    expect(ask(source, 'npm')).toBe('mismatched');
  });
});
