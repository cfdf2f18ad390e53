import { describe, expect, test } from 'vitest';
import { notCommandProjection, opaqueCommandProjection, type ShellSource } from '../../src/evidence/command-projection.js';
import type { ToolOccurrence } from '../../src/evidence/occurrence.js';
import type { MatchOutcome } from '../../src/expect/match.js';
import { shellMatch, type ShellConditions } from '../../src/expect/shell-match.js';
import { ask, callOf, outcomeFor, shellCall, wordsCall } from './shell-calls.js';

type Status = MatchOutcome['status'];

describe('shellMatch finds the simple commands that a source states', () => {
  test.each<[string, string, ShellConditions, Status]>([
    ['AWS_PROFILE=p aws s3 ls', 'aws', { argsStart: ['s3', 'ls'] }, 'matched'],
    ['# run tests\nnpm test 2>&1 | tail -5', 'npm', { argsStart: ['test'] }, 'matched'],
    ['# run tests\nnpm test 2>&1 | tail -5', 'tail', { argsStart: ['-5'] }, 'matched'],
    ['# npm publish\nnpm test', 'npm', { argsStart: ['publish'] }, 'mismatched'],
    ["cat > run.sh <<'EOF'\nnpm publish\nEOF", 'npm', { argsStart: ['publish'] }, 'mismatched'],
    ["cat > run.sh <<'EOF'\nnpm publish\nEOF", 'cat', {}, 'matched'],
    ['echo "npm publish"', 'npm', {}, 'mismatched'],
    ['grep -rn "npm publish" .', 'npm', {}, 'mismatched'],
    ['git commit -m "run npm publish"', 'npm', {}, 'mismatched'],
    ['npm run dev & sleep 2; curl localhost:3000', 'npm', { argsStart: ['run', 'dev'] }, 'matched'],
    ['npm run dev & sleep 2; curl localhost:3000', 'curl', { argsInclude: ['localhost:3000'] }, 'matched'],
    ['npm \\\n  test', 'npm', { argsStart: ['test'] }, 'matched'],
    ['npm test\r\n', 'npm', { argsStart: ['test'] }, 'matched'],
    ['npm install', 'npm', { argsStart: ['test'] }, 'mismatched'],
    ['npm tests', 'npm', { argsStart: ['test'] }, 'mismatched'],
    ['npm run test', 'npm', { argsStart: ['test'] }, 'mismatched'],
    ['npm run test', 'npm', { argsInclude: ['test'] }, 'matched'],
    ['npm run test', 'npm', { argsInclude: ['run', 'lint'] }, 'mismatched'],
    ['git push --force', 'git', { argsStart: ['push'], excludes: ['--force'] }, 'mismatched'],
    ['git push --force; git push', 'git', { argsStart: ['push'], excludes: ['--force'] }, 'matched'],
    ['git push > --force', 'git', { excludes: ['--force'] }, 'matched'],
    ['(cd sub && npm test)', 'npm', { argsStart: ['test'] }, 'matched'],
    ['{ npm test; } > log', 'npm', { argsStart: ['test'] }, 'matched'],
    ['! npm test', 'npm', {}, 'matched'],
    ['time -p npm test', 'npm', { argsStart: ['test'] }, 'matched'],
    ['coproc npm test', 'npm', { argsStart: ['test'] }, 'matched'],
    ['echo "$(npm test)"', 'npm', { argsStart: ['test'] }, 'matched'],
    ['echo `npm test`', 'npm', { argsStart: ['test'] }, 'matched'],
    ['diff <(npm test) out', 'npm', { argsStart: ['test'] }, 'matched'],
    ["echo '$(npm test)'", 'npm', {}, 'mismatched'],
    ['cat <<EOF\n$(npm test)\nEOF', 'npm', {}, 'matched'],
    ["cat <<'EOF'\n$(npm test)\nEOF", 'npm', {}, 'mismatched'],
    ['[[ -n $(npm test) ]]', 'npm', {}, 'matched'],
    ['case npm in npm) echo a;; esac', 'npm', {}, 'mismatched'],
    ['for npm in a b; do echo x; done', 'npm', {}, 'mismatched'],
    ['', 'npm', {}, 'mismatched'],
    ['npm test', 'npx', {}, 'mismatched'],
  ])('%j asked for %s %j: %s', (source, executable, conditions, expected) => {
    expect(ask(source, executable, conditions)).toBe(expected);
  });
});

describe('the name of an executable', () => {
  test.each<[string, string, Status]>([
    ['/usr/local/bin/npm test', 'npm', 'matched'],
    ['/usr/local/bin/npm test', '/usr/local/bin/npm', 'matched'],
    ['npm test', '/usr/local/bin/npm', 'mismatched'],
    ['./run.sh', './run.sh', 'matched'],
    ['./run.sh', 'run.sh', 'matched'],
    ['run.sh', './run.sh', 'mismatched'],
    ['"$DIR/bin/npm" test', 'npm', 'matched'],
    ['"$DIR/bin/npm" test', '/x/bin/npm', 'unavailable'],
    ['"$DIR/bin/npm" test', '/x/npm', 'mismatched'],
    ['~/bin/npm test', 'npm', 'matched'],
    ['$DIR/bin/npm test', 'npm', 'unavailable'],
    ['"$X.js"', 'npm', 'mismatched'],
    ['"$X.js"', 'a.js', 'unavailable'],
    ['$NPM test', 'npm', 'unavailable'],
    ['"$NPM" test', 'git', 'unavailable'],
    ['$SUDO npm test', 'npm', 'unavailable'],
    ['npm test; $X', 'npm', 'matched'],
  ])('"%s" asked for %s: %s', (source, executable, expected) => {
    expect(ask(source, executable)).toBe(expected);
  });
});

describe('what a program does inside is not stated', () => {
  test.each<[string, string, Status]>([
    ['npm test', 'vitest', 'mismatched'],
    ['pnpm test', 'vitest', 'mismatched'],
    ['yarn test', 'vitest', 'mismatched'],
    ['make check', 'vitest', 'mismatched'],
    ['./run.sh', 'vitest', 'mismatched'],
    ['node x.js', 'vitest', 'mismatched'],
    ['python x.py -c a', 'vitest', 'mismatched'],
    ['python3 -W error x.py', 'vitest', 'mismatched'],
    ['node --test', 'vitest', 'mismatched'],
    ['awk \'{print $1}\' "$FILE"', 'vitest', 'mismatched'],
    ["sed -i 's/a/the/g' x", 'vitest', 'mismatched'],
    ["sed 's/x/vitest/e' x", 'vitest', 'unavailable'],
    ['awk \'BEGIN{system("vitest")}\'', 'vitest', 'unavailable'],
    ["node -e 'x'", 'vitest', 'unavailable'],
    ["node -e 'x'", 'node', 'matched'],
    ['node --eval=x', 'vitest', 'unavailable'],
    ['node -r ./a -p 1', 'vitest', 'unavailable'],
    ['python -c "print(1)"', 'vitest', 'unavailable'],
    ['python3 -Ic "print(1)"', 'vitest', 'unavailable'],
    ["python3 - <<'PY'\nprint(1)\nPY", 'vitest', 'unavailable'],
    ["python3 <<'PY'\nprint(1)\nPY", 'vitest', 'unavailable'],
    ['cat x | python3', 'vitest', 'unavailable'],
    ["perl -pi -e 's/a/b/' x", 'vitest', 'unavailable'],
    ["ruby -e 'x'", 'vitest', 'unavailable'],
    ['python -m pytest tests', 'python', 'matched'],
    ['python -m pytest tests', 'pytest', 'unavailable'],
    ['python -mpytest tests', 'pytest', 'unavailable'],
    ['bun -e x', 'vitest', 'unavailable'],
    ['mapfile -t x < y', 'vitest', 'mismatched'],
    ['mapfile -C vitest x', 'vitest', 'unavailable'],
    ['python -m pytest tests', 'vitest', 'mismatched'],
    ['eval "$X"', 'vitest', 'unavailable'],
    ['source x', 'vitest', 'unavailable'],
    ['. x', 'vitest', 'unavailable'],
    ['bash x.sh', 'vitest', 'unavailable'],
    ['bash "$X"', 'vitest', 'unavailable'],
    ['sh < x.sh', 'vitest', 'unavailable'],
    ['bash -c "$X"', 'vitest', 'unavailable'],
    ['bash -c "vitest $X"', 'vitest', 'unavailable'],
    ['curl x | sh', 'vitest', 'unavailable'],
    ['curl x | sh', 'curl', 'matched'],
    ['fish -c vitest', 'vitest', 'unavailable'],
    ['ssh host vitest', 'vitest', 'unavailable'],
    ['docker exec c vitest', 'vitest', 'unavailable'],
    ['docker compose up -d', 'vitest', 'mismatched'],
    ['bash --version', 'vitest', 'mismatched'],
    ['bash -n x.sh', 'vitest', 'mismatched'],
  ])('"%s" asked for %s: %s', (source, executable, expected) => {
    expect(ask(source, executable)).toBe(expected);
  });

  test('python -m states python and its words', () => {
    expect(ask('python -m pytest tests', 'python', { argsStart: ['-m', 'pytest'] })).toBe('matched');
  });
});

describe('literal code for a shell is read like the rest', () => {
  test.each([
    "bash -c 'npm test'", "/bin/bash -lc 'cd /w && npm test'", "sh -ic 'npm test'", "zsh -euo pipefail -c 'npm test' name arg", "bash -e -u -o pipefail -c 'npm test'", "bash --norc -c 'npm test'", "bash -c -- 'npm test'",
    'bash -c "npm test"', "dash +x -c 'npm test'", "bash <<'EOF'\nnpm test\nEOF", 'sh -s <<EOF\nnpm test\nEOF', "bash <<-'EOF'\n\tnpm test\n\tEOF", "bash <<< 'npm test'", "cat <<'EOF' | bash\nnpm test\nEOF", "echo 'npm test' | sh", 'echo npm test | bash -s -- a',
    "bash -c \"bash -c 'npm test'\"", "sudo bash <<'EOF'\nnpm test\nEOF", "watch -n 1 'npm test'", "trap 'npm test' EXIT", "npx -c 'npm test'", "npm exec -c 'npm test'",
  ])('%j states npm test', (source) => {
    expect(ask(source, 'npm', { argsStart: ['test'] })).toBe('matched');
    expect(ask(source, 'npm', { argsStart: ['publish'] })).toBe('mismatched');
  });

  test.each(["bash -c 'npm \"'", 'bash <<EOF\nnpm $X\nEOF', 'echo "$X" | bash', "echo 'a\\nb' | bash", "bash -Z -c 'ls'", "printf 'npm test' | sh", 'bash', "echo 'npm test' | { read x; bash; }", "echo 'npm test' | xargs -I{} bash", "f() { read x; bash; }; echo 'npm test' | f"])('%j leaves it open', (source) => {
    expect(ask(source, 'npm')).toBe('unavailable');
  });
});

describe('programs that start the command in their words', () => {
  test.each([
    'env npm test', 'env -i A=b npm test', 'env -u A -u B A=b npm test', '/usr/bin/env npm test', 'env A="$X" npm test', 'sudo npm test', 'sudo -u me -E A=b npm test', 'sudo -nH -- npm test', 'doas -u me npm test',
    'timeout 10 npm test', 'timeout -k 5 --signal=KILL 10 npm test', 'nice npm test', 'nice -n 5 npm test', 'nice -10 npm test', 'ionice -c2 -n 0 npm test', 'nohup npm test &', 'stdbuf -oL -eL npm test', 'setsid -w npm test',
    'command npm test', 'command -p npm test', 'builtin npm test', 'exec npm test', 'exec -a x npm test', '\\time -v npm test', 'echo a | xargs npm test', 'echo a | xargs -0 -n 1 -P4 npm test', 'echo a | xargs -I{} npm test {}',
    'find . -name x -exec npm test {} \\;', 'find . -execdir npm test +', 'fd -e ts -x npm test', 'cross-env CI=1 npm test', 'watch -x npm test', 'corepack npm test', 'git bisect run npm test', 'taskset -c 0 npm test', 'sudo env A=b timeout 10 nice npm test',
  ])('"%s" states npm test', (source) => {
    expect(ask(source, 'npm', { argsStart: ['test'] })).toBe('matched');
    expect(ask(source, 'npm', { argsStart: ['publish'] })).not.toBe('matched');
  });

  test.each(["env -S 'npm test'", 'sudo --nope npm test', 'sudo $OPTIONS npm test', 'timeout $T npm test', 'timeout "$T" npm test', 'env "$X" npm test', 'xargs --nope npm test', 'find . $X', 'nice --nope npm test'])('"%s" leaves it open', (source) => {
    expect(ask(source, 'npm')).toBe('unavailable');
  });

  test.each<[string, string]>([
    ['command -v npm', 'npm'], ['sudo -l npm', 'npm'], ['sudo -v', 'npm'], ['env', 'npm'], ['xargs', 'npm'], ['find . -name npm', 'npm'], ['ionice -p 10', 'npm'], ['timeout 10 git status', 'npm'], ['git bisect start', 'npm'],
  ])('"%s" does not state %s', (source, executable) => {
    expect(ask(source, executable)).toBe('mismatched');
  });

  test('only the first words of a command behind xargs are known', () => {
    expect(ask('ls | xargs npm run', 'npm', { argsStart: ['run'] })).toBe('matched');
    expect(ask('ls | xargs npm run', 'npm', { argsStart: ['run', 'test'] })).toBe('unavailable');
    expect(ask('ls | xargs npm run', 'npm', { argsStart: ['test'] })).toBe('mismatched');
    expect(ask('ls | xargs -I{} npm run {}', 'npm', { argsStart: ['run', 'test'] })).toBe('unavailable');
    expect(ask('ls | xargs -I{} npm run a{}', 'npm', { argsStart: ['run', 'test'] })).toBe('mismatched');
  });
});

describe('package runners', () => {
  test.each([
    'npx -y vitest@1.6 run', 'npx vitest run', 'npx --yes -- vitest run', 'npx -p vitest vitest run', 'pnpm exec vitest run', 'pnpm --silent exec vitest run', 'pnpm --filter web exec vitest run', 'pnpm dlx vitest run', 'pnpm vitest run', 'npm exec -- vitest run',
    'npm exec --yes vitest run', 'npm x vitest run', 'yarn vitest run', 'yarn run vitest run', 'yarn exec vitest run', 'yarn dlx vitest run', 'yarn workspace web vitest run', 'bunx vitest run', 'bun x vitest run', 'bun run vitest run', './node_modules/.bin/vitest run',
    'CI=1 timeout 60 npx vitest run', 'uv run vitest run', 'uvx vitest run', 'uv tool run vitest run', 'poetry run vitest run', 'pipx run vitest run', 'bundle exec vitest run', 'conda run -n x vitest run',
  ])('"%s" states vitest run', (source) => {
    expect(ask(source, 'vitest', { argsStart: ['run'] })).toBe('matched');
    expect(ask(source, 'vitest', { argsStart: ['watch'] })).toBe('mismatched');
    expect(ask(source, 'jest')).toBe('mismatched');
  });

  test.each([['npx -y vitest@1.6 run', 'npx'], ['pnpm exec vitest run', 'pnpm'], ['yarn vitest run', 'yarn'], ['uv run pytest', 'uv']])('"%s" states %s too', (source, launcher) => {
    expect(ask(source, launcher)).toBe('matched');
  });

  test.each(['npx --nope vitest', 'npx $X', 'pnpm --nope exec vitest', 'yarn --nope vitest', 'uv run --nope vitest'])('"%s" leaves it open', (source) => {
    expect(ask(source, 'vitest')).toBe('unavailable');
  });

  test('the version that a runner is told is noted', () => {
    expect(outcomeFor(shellCall('npx -y vitest@1.6 run'), 'vitest')).toEqual({ status: 'matched', note: 'vitest@1.6 run: version 1.6 was asked for' });
    expect(ask('npx -y vitest@1.6 run', 'vitest@1.6')).toBe('mismatched');
  });

  test('npm takes options behind the command for itself, up to a --', () => {
    expect(ask('npm exec vitest --run', 'vitest', { argsInclude: ['--run'] })).toBe('unavailable');
    expect(ask('npm exec -- vitest --run', 'vitest', { argsInclude: ['--run'] })).toBe('matched');
  });
});

describe('names that the source defines itself', () => {
  test.each<[string, string, ShellConditions, Status]>([
    ['npm() { echo no; }; npm test', 'npm', {}, 'mismatched'],
    ['npm() { echo no; }; npm test', 'echo', { argsStart: ['no'] }, 'matched'],
    ['npm test; npm() { echo no; }', 'npm', { argsStart: ['test'] }, 'matched'],
    ['npm() { echo no; }; command npm test', 'npm', { argsStart: ['test'] }, 'matched'],
    ['npm() { echo no; }; env npm test', 'npm', { argsStart: ['test'] }, 'matched'],
    ['npm() { command npm "$@" --silent; }; npm test', 'npm', { argsInclude: ['--silent'] }, 'matched'],
    ['f() { npm test; }', 'npm', {}, 'mismatched'],
    ['f() { npm test; }; f', 'npm', { argsStart: ['test'], unconditional: true }, 'matched'],
    ['f() { npm test; }; true && f', 'npm', { argsStart: ['test'], unconditional: true }, 'mismatched'],
    ['f() { f; npm test; }; f', 'npm', { argsStart: ['test'] }, 'matched'],
    ['f() { g; }; g() { f; }; f', 'npm', {}, 'mismatched'],
    ['(npm() { echo no; }); npm test', 'npm', { argsStart: ['test'] }, 'matched'],
    ['if x; then npm() { echo no; }; fi; npm test', 'npm', {}, 'unavailable'],
    ['npm() { echo no; }; unset -f npm; npm test', 'npm', {}, 'unavailable'],
    ['alias npm=echo\nnpm test', 'npm', {}, 'unavailable'],
    ['alias npm=echo\ngit status', 'npm', {}, 'mismatched'],
    ["npm() { echo no; }; bash -c 'npm test'", 'npm', { argsStart: ['test'] }, 'matched'],
    ["npm() { echo no; }; export -f npm; bash -c 'npm test'", 'npm', {}, 'unavailable'],
  ])('"%s" asked for %s %j: %s', (source, executable, conditions, expected) => {
    expect(ask(source, executable, conditions)).toBe(expected);
  });
});

describe('what the call itself tells', () => {
  test.each<[string, ToolOccurrence, MatchOutcome]>([
    ['a call that was not classified', callOf(undefined, {}), { status: 'unavailable', code: 'shell-undecidable', reason: 'Bash (call_1): it was not classified as a command or not' }],
    ['a call that is no command', callOf(notCommandProjection(), {}), { status: 'mismatched', expected: 'shell command npm test', received: 'Bash, which is no command' }],
    ['a call without words or source', callOf(opaqueCommandProjection('unsupported-protocol'), {}), { status: 'unavailable', code: 'shell-undecidable', reason: 'Bash (call_1): what it ran is not stated: unsupported-protocol' }],
    ['words', wordsCall('npm', 'test'), { status: 'matched' }],
    ['words with a shell', wordsCall('bash', '-lc', 'cd /w && npm test'), { status: 'matched' }],
    ['words that only look like a source', wordsCall('echo', 'x; npm test'), { status: 'mismatched', expected: 'shell command npm test', received: 'echo x; npm test' }],
    ['a source that was redacted', callOf(opaqueCommandProjection('redacted', { source: 'npm test' }), {}), { status: 'unavailable', code: 'shell-undecidable', reason: 'Bash (call_1): parts of its source were taken out' }],
    ['the source of another shell', shellCall('npm test', { shell: '/usr/bin/fish' }), { status: 'unavailable', code: 'shell-undecidable', reason: 'Bash (call_1): it is the source of fish, whose grammar is not read' }],
    ['the source of zsh', shellCall('npm test', { shell: '/bin/zsh' }), { status: 'matched' }],
    ['other arguments', shellCall('cd a && npm install'), { status: 'mismatched', expected: 'shell command npm test', received: 'npm install (other arguments); cd a' }],
    ['code that is not known', shellCall('eval "$X"'), { status: 'unavailable', code: 'shell-undecidable', reason: 'Bash (call_1): `eval "$X"` runs code that is not known' }],
    ['a word that expansion decides', shellCall('npm "$X"'), { status: 'unavailable', code: 'shell-undecidable', reason: 'Bash (call_1): `"$X"` in `npm "$X"` is decided by expansion' }],
  ])('%s', (_what, call, outcome) => {
    expect(outcomeFor(call, 'npm', { argsStart: ['test'] })).toEqual(outcome);
  });

  test('what was received stays short', () => {
    const outcome = outcomeFor(shellCall(Array.from({ length: 100 }, (_, index) => `echo ${'x'.repeat(100)}${index}`).join('\n')), 'npm');
    expect(outcome.status === 'mismatched' ? outcome.received.length : 0).toBeLessThanOrEqual(203);
    const few = outcomeFor(shellCall(Array.from({ length: 10 }, (_, index) => `e${index}`).join('\n')), 'npm');
    expect(few).toMatchObject({ received: 'e0; e1; e2; e3; e4; e5; e6; e7; 2 more' });
  });
});

describe('a source that is cut or cannot be read', () => {
  test.each<[string, Partial<ShellSource>, string, Status]>([
    ['npm test; git st', { truncated: true }, 'npm', 'matched'],
    ['npm test; git st', { truncated: true }, 'git', 'unavailable'],
    ['npm test; git st', { truncated: true }, 'ls', 'unavailable'],
    ['npm test', { truncated: true }, 'npm', 'unavailable'],
    ['npm test\n', { truncated: true }, 'npm', 'matched'],
    ['npm test && l', { truncated: true }, 'npm', 'matched'],
    ["npm test && echo 'x", { truncated: true }, 'npm', 'matched'],
    ['if npm test; then ls', { truncated: true }, 'npm', 'unavailable'],
    ['bash <<EOF\nnpm test', { truncated: true }, 'npm', 'unavailable'],
    ['npm test\necho "x', {}, 'npm', 'matched'],
    ['npm test; echo "x', {}, 'npm', 'unavailable'],
    ['npm test\n)', {}, 'npm', 'matched'],
    ['npm test\n)', {}, 'git', 'unavailable'],
    ["echo 'npm test", {}, 'npm', 'unavailable'],
    ['npm test &&', {}, 'npm', 'unavailable'],
  ])('%j %j asked for %s: %s', (source, facts, executable, expected) => {
    expect(outcomeFor(shellCall(source, facts), executable).status).toBe(expected);
  });
});

test.each<[string, ShellConditions, string]>([
  ['all conditions', { argsStart: ['push', 'origin'], argsInclude: ['main'], excludes: ['--force', '-f'], status: 'failed', unconditional: true }, 'shell command git push origin including main without --force, -f with status failed that is run unconditionally'],
  ['no condition', {}, 'shell command git'],
])('says in words what it asks for: %s', (_what, conditions, description) => {
  expect(shellMatch('git', conditions).description).toBe(description);
});

test.each<[string, () => unknown, string]>([
  ['no executable', () => shellMatch(''), 'shellMatch needs the name of an executable.'],
  ['an executable that is no text', () => shellMatch(1 as unknown as string), 'shellMatch needs the name of an executable.'],
  ['an unknown condition', () => shellMatch('git', { args: ['status'] } as ShellConditions), 'shellMatch does not know the condition "args". It knows argsStart, argsInclude, excludes, status and unconditional.'],
  ['argsStart that is one text', () => shellMatch('git', { argsStart: 'status' as unknown as string[] }), 'shellMatch needs a list of words as `argsStart`, for instance ["test"].'],
  ['argsInclude with a number', () => shellMatch('git', { argsInclude: [1] as unknown as string[] }), 'shellMatch needs a list of words as `argsInclude`, for instance ["test"].'],
  ['unconditional that is no boolean', () => shellMatch('git', { unconditional: 1 as unknown as boolean }), 'shellMatch needs true or false as `unconditional`.'],
  ['a status that no call has', () => shellMatch('git', { status: 'ok' as 'failed' }), 'shellMatch does not know the status "ok". It knows pending, completed, failed and rejected.'],
])('refuses %s', (_what, make, message) => {
  expect(make).toThrow(new TypeError(message));
});
