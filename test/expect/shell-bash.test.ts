import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { outcomeFor, shellCall } from './shell-calls.js';

const STUBS = ['npm', 'git', 'vitest', 'node', 'ls', 'tee', 'one', 'two', 'three'] as const;
const REAL = ['bash', 'sh', 'env', 'nice', 'timeout', 'nohup', 'xargs', 'find', 'cat', 'setsid', 'stdbuf'];

// Notes its words and its exit code, which a word `exit=N` sets.
const STUB = `#!/bin/sh
code=0
line="\${0##*/}"
for word in "$@"; do
  case $word in exit=*) code=\${word#exit=};; esac
  line="$line\x1f$word"
done
printf '%s\x1f%s\x1e' "$line" "$code" >> "$STUB_LOG"
exit "$code"
`;

interface Run { readonly name: string; readonly args: readonly string[]; readonly exitCode: number; }

let folder = '';
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'shell-match-'));
  mkdirSync(join(folder, 'bin'));
  for (const name of STUBS) {
    writeFileSync(join(folder, 'bin', name), STUB);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  for (const name of REAL) {
    const path = execFileSync('/bin/sh', ['-c', `command -v ${name} || true`], { encoding: 'utf8' }).trim();
    if (path !== '') symlinkSync(path, join(folder, 'bin', name));
    else if (name === 'bash') throw new Error('These tests ask bash itself, and there is none on PATH. Install bash.');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function runInBash(source: string): Promise<{ readonly runs: readonly Run[]; readonly exitCode: number }> {
  count += 1;
  const cwd = join(folder, `run-${count}`);
  const log = join(folder, `log-${count}`);
  mkdirSync(cwd);
  writeFileSync(log, '');
  // What runs in the background is waited for, without a word to the source itself.
  const exitCode = await new Promise<number>((resolve, reject) => {
    const child = execFile(join(folder, 'bin', 'bash'), ['-c', source], { cwd, env: { PATH: join(folder, 'bin'), STUB_LOG: log, HOME: cwd }, timeout: 10_000 }, (error) => {
      if (typeof error?.code === 'string') reject(error); // It was never started.
      else resolve(error === null ? 0 : error.code ?? 255);
    });
    child.stdin?.end();
  });
  const runs = readFileSync(log, 'utf8').split('\x1e').filter((line) => line !== '').map((line) => {
    const [name = '', ...words] = line.split('\x1f');
    return { name, args: words.slice(0, -1), exitCode: Number(words.at(-1)) };
  });
  return { runs, exitCode };
}

/** What shellMatch says that bash shows to be wrong. */
async function liesAbout(source: string): Promise<readonly string[]> {
  const { runs, exitCode } = await runInBash(source);
  const call = shellCall(source, { exitCode, status: exitCode === 0 ? 'completed' : 'failed' });
  const lies: string[] = [];
  const say = (what: string): void => void lies.push(`${what} [exit ${exitCode}, ran ${runs.map(({ name, args }) => [name, ...args].join(' ')).join('; ')}]`);
  for (const { name, args } of runs) {
    if (outcomeFor(call, name, { argsStart: args }).status === 'mismatched') say(`${name} ${args.join(' ')} ran and is mismatched`);
  }
  for (const name of STUBS) {
    const own = runs.filter((run) => run.name === name);
    if (outcomeFor(shellCall(source), name, { unconditional: true }).status === 'matched' && own.length === 0) say(`${name} is guaranteed by the source and did not run`);
    if (outcomeFor(call, name, { unconditional: true }).status === 'matched' && own.length === 0) say(`${name} is proven to have run and did not run`);
    for (const [status, fits] of [['completed', (run: Run) => run.exitCode === 0], ['failed', (run: Run) => run.exitCode !== 0]] as const) {
      const answer = outcomeFor(call, name, { status }).status;
      if (answer === 'matched' && !own.some(fits)) say(`${name} is said to have ${status} and did not`);
      if (answer === 'mismatched' && own.some(fits)) say(`${name} ${status} and is mismatched`);
    }
  }
  return lies;
}

const SOURCES = [
  'npm test', 'npm  "test"   a\\ b', 'npm t"es"t', "npm $'te\\x73t'", 'npm \\\n  test', '# npm ci\nnpm test # npm ci', 'A=b npm test', 'npm test > out 2>&1', '2>&1 npm test',
  'npm one | npm two exit=1 | npm three', 'npm one exit=1 | ls', 'set -o pipefail; npm exit=1 | ls', 'set -o pipefail; npm exit=1 | ls exit=2',
  'npm one && ls', 'npm exit=1 && ls', 'npm exit=1 || ls', 'npm one || ls', 'npm one && npm two exit=1 || ls', '! npm exit=1', '! npm one && ls', 'npm one; ls exit=1', 'npm exit=1; ls',
  'npm one & ls; wait', '(npm one; ls exit=3)', '{ npm one; ls exit=3; }', '(exit 0; npm one); ls', 'exit 0; npm one', 'exit 3; npm one', 'true && exit 0; npm one', 'false && exit 0; npm one',
  'npm exit=1 || exit 1; ls', 'npm one || exit 1; ls', 'npm exit=1 || exit 0; ls', 'set -e; npm exit=1; ls', 'set -eu; npm one; ls', 'set -e; npm exit=1 || true; ls', 'set -u; npm "$NOPE"; ls',
  'if npm one; then ls; else git; fi', 'if npm exit=1; then ls; else git; fi', 'for i in 1 2; do npm test; done', 'for i in; do npm test; done', 'while npm exit=1; do ls; done', 'until npm one; do ls; done',
  'case x in x) npm test;; y) ls;; esac', 'npm() { ls; }; npm test', 'f() { npm test; }', 'f() { npm test; return 3; ls; }; f', 'f() { npm exit=1; }; f && ls', 'f() { npm "$1"; }; f test',
  'f() { ls; }; unset -f f; f; npm test', 'f() { exit 0; }; f; npm test', '(f() { npm test; }; f); ls', 'if false; then npm() { ls; }; fi; npm test', 'npm() { command npm "$@" exit=2; }; npm test',
  "alias npm=ls\nnpm test", 'echo $(npm test)', 'echo `npm test`', 'x=$(npm test exit=1)', 'x=$(npm exit=1) ls', 'ls "$(npm test)"', 'cat <(npm test)', 'echo "${X:-$(npm test)}"', 'X=1; echo "${X:-$(npm test)}"',
  "bash -c 'npm test'", "bash -c 'npm exit=1; ls'", "bash -ec 'npm exit=1; ls'", "bash -euo pipefail -c 'npm exit=1 | ls'", "bash <<'EOF'\nnpm test\nEOF", "bash <<< 'npm test'", "echo 'npm test' | sh", "cat <<'EOF' | bash\nnpm test\nls exit=4\nEOF",
  "cat <<'EOF'\nnpm test\nEOF", 'cat <<EOF\n$(npm test)\nEOF', "cat <<-'EOF' | bash\n\tnpm test\n\tEOF", 'eval "npm test"', "X=npm; $X test", 'X="npm test"; $X', 'X=; $X npm test', 'npm "$X" "$@" x',
  'env A=b npm test', 'env -i A=b "PATH=$PATH" STUB_LOG="$STUB_LOG" npm test', 'env -u A npm exit=1', 'nice -n 5 npm test', 'nice -5 npm test', 'timeout 10 npm exit=3', 'timeout -k 5 10 npm test', 'nohup npm test', 'stdbuf -oL npm test', 'setsid -w npm exit=1',
  'command npm test', 'command -v npm', 'exec npm exit=2', 'exec npm one; ls', 'exec > log; npm test', 'time npm exit=1', 'echo a b | xargs -n1 npm', 'echo a | xargs -I{} npm x{}y', 'xargs -r npm < /dev/null',
  'find . -maxdepth 0 -exec npm {} \\;', 'find . -name nope -exec npm {} +', 'coproc npm test; wait', 'trap "npm test" EXIT; ls', "trap 'exit 0' EXIT; npm exit=1", "trap 'exit 3' EXIT; npm one", "trap 'exit 0' ERR; npm exit=1; ls", '[[ -n $(npm test) ]] || ls', '(( $(npm test; echo 1) )) && ls',
  'npm {a,b}', 'touch_nothing || npm *', 'npm ~', 'npm a=~', 'echo "npm test"', 'git commit -m "$(cat <<\'EOF\'\nrun npm test\nEOF\n)"', 'cd nowhere && npm test', 'cd . && npm test && ls', 'source nowhere; npm test', 'printf "npm test" | bash', 'bash nowhere.sh; ls', 'npm test;', 'npm one & npm two',
  '! (npm exit=1 || exit 1; ls)', '! { npm exit=1 || exit 1; ls; }', '(npm exit=1 || exit 1; ls) || git', '{ npm one; ls exit=1; } && git || node', 'if npm exit=1; then :; fi && ls', 'npm one | { ls; exit 0; git; }', 'export -f nope; npm() { ls; }; export -f npm; bash -c "npm test"', 'break; npm test', 'npm one; ls $(one | ! two)', 'npm one\nls $(one | ! two)', '! exec npm exit=1', '! exec npm one && ls', 'return 3; npm test',
];

describe('what bash really does never contradicts shellMatch', () => {
  test.each(SOURCES)('%s', async (source) => {
    expect(await liesAbout(source)).toEqual([]);
  });

  test('sources put together at random', async () => {
    const simple = fc.tuple(fc.constantFrom('npm', 'git', 'ls', 'one', 'two'), fc.constantFrom('', ' exit=1', ' a', ' "$X"')).map(([name, args]) => `${name}${args}`);
    const ending = fc.constantFrom('exit 0', 'exit 1', 'exit', 'false', 'true', 'f', 'return 1', 'set -e', 'set +e', 'f() { npm; }', 'f() { exit 0; }', 'f() { return 1; ls; }', 'unset -f f', 'npm() { two; }', 'exec three', 'set -o pipefail', "trap 'exit 0' EXIT");
    const { source } = fc.letrec<{ source: string; part: string }>((tie) => ({
      part: fc.oneof(
        { depthSize: 'small', withCrossShrink: true }, simple, simple, ending,
        tie('source').map((inner) => `(${inner})`), tie('source').map((inner) => `{ ${inner}; }`), tie('part').map((inner) => `! ${inner.replace(/^(! )+/, '')}`),
        fc.tuple(tie('source'), tie('source')).map(([test_, then]) => `if ${test_}; then ${then}; fi`),
        tie('source').map((body) => `for i in 1 2; do ${body}; done`), tie('source').map((body) => `ls $( ${body})`),
        tie('source').map((code) => `bash -c '${code.replaceAll("'", "'\\''")}'`), tie('source').map((body) => `f() { ${body}; }`),
      ),
      source: fc.oneof(
        { depthSize: 'small' }, tie('part'),
        fc.tuple(tie('part'), fc.constantFrom(' && ', ' || ', '; ', ' | '), tie('part')).map((parts) => parts.join('')),
        fc.tuple(tie('part'), fc.constantFrom(' && ', ' || ', '; '), tie('part'), fc.constantFrom(' && ', ' || ', '; '), tie('part')).map((parts) => parts.join('')),
      ),
    }));
    const sources = fc.sample(source, { seed: Number(process.env['SHELL_SEED'] ?? 20), numRuns: Number(process.env['SHELL_RUNS'] ?? 120) }).filter((text) => text.length < 300);
    const lies: string[] = [];
    for (let at = 0; at < sources.length; at += 4) {
      const found = await Promise.all(sources.slice(at, at + 4).map(async (text) => (await liesAbout(text)).map((lie) => `${text}\n   ${lie}`)));
      lies.push(...found.flat());
    }
    expect(lies).toEqual([]);
  }, 120_000);
});
