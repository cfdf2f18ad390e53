import { describe, expect, test } from 'vitest';
import type { ToolOccurrence } from '../../src/evidence/occurrence.js';
import type { MatchOutcome } from '../../src/expect/match.js';
import { ask, outcomeFor, shellCall } from './shell-calls.js';

type Status = MatchOutcome['status'];

describe('whether the source guarantees a command', () => {
  test.each<[string, Status]>([
    ['npm test', 'matched'],
    ['npm test && ls', 'matched'],
    ['npm test || ls', 'matched'],
    ['ls; npm test', 'matched'],
    ['ls | npm test', 'matched'],
    ['npm test &', 'matched'],
    ['(npm test)', 'matched'],
    ['{ npm test; }', 'matched'],
    ['x=$(npm test)', 'matched'],
    ['if npm test; then ls; fi', 'matched'],
    ['while npm test; do ls; done', 'matched'],
    ["bash -c 'npm test'", 'matched'],
    ['exec npm test', 'matched'],
    ['ls && npm test', 'mismatched'],
    ['ls || npm test', 'mismatched'],
    ['if ls; then npm test; fi', 'mismatched'],
    ['if ls; then :; else npm test; fi', 'mismatched'],
    ['if ls; then :; elif npm test; then :; fi', 'mismatched'],
    ['for x in a; do npm test; done', 'mismatched'],
    ['while ls; do npm test; done', 'mismatched'],
    ['until ls; do npm test; done', 'mismatched'],
    ['case a in a) npm test;; esac', 'mismatched'],
    ['exit 1; npm test', 'mismatched'],
    ['ls || exit 1; npm test', 'mismatched'],
    ['(exit 1); npm test', 'matched'],
    ['exec ls; npm test', 'mismatched'],
    ['exec > log; npm test', 'matched'],
    ['set -e; npm test', 'matched'],
    ['set -e; ls; npm test', 'mismatched'],
    ['set -e; (ls; npm test)', 'mismatched'],
    ["bash -ec 'ls; npm test'", 'mismatched'],
    ['while true; do ls; done; npm test', 'mismatched'],
    ['echo "${X:?}"; npm test', 'mismatched'],
    ['echo "${X:-$(npm test)}"', 'mismatched'],
    ['find . -exec npm test \\;', 'mismatched'],
    ['ls && npm test; npm test', 'matched'],
    ['f() { return; npm test; }; f', 'mismatched'],
    ['f() { return; }; f; npm test', 'matched'],
    ['eval "$X"', 'unavailable'],
  ])('"%s": %s', (source, expected) => {
    expect(ask(source, 'npm', { argsStart: ['test'], unconditional: true })).toBe(expected);
    expect(ask(source, 'npm', { argsStart: ['test'] })).toBe(expected === 'mismatched' ? 'matched' : expected);
  });

  test.each<[string, number, Status]>([
    ['cd a && npm test', 0, 'matched'],
    ['cd a && npm test | tail', 0, 'matched'],
    ['cd a && npm test', 1, 'mismatched'],
    ['cd a && npm test; ls', 0, 'mismatched'],
    ['cd a && npm test || true', 0, 'mismatched'],
    ['cd a && npm test || git status', 1, 'mismatched'],
    ['cd a || npm test', 1, 'matched'],
    ['cd a || npm test', 0, 'mismatched'],
    ['cd a && npm test | tail', 137, 'mismatched'],
    ['cd a || exit 1; npm test', 0, 'matched'],
    ['cd a || exit 0; npm test', 0, 'mismatched'],
    ["bash -lc 'cd a && npm test'", 0, 'matched'],
    ['! { cd a && npm test; }', 1, 'matched'],
    ['(cd a && npm test) | tail', 0, 'mismatched'],
    ['cd a && npm test &', 0, 'mismatched'],
    ["trap 'exit 0' EXIT; cd a && npm test", 0, 'mismatched'],
  ])('"%s" that ended with %i: %s', (source, exitCode, expected) => {
    const call = shellCall(source, { exitCode, status: exitCode === 0 ? 'completed' : 'failed' });
    expect(outcomeFor(call, 'npm', { argsStart: ['test'], unconditional: true }).status).toBe(expected);
  });

  test('code that is not known may end the shell, and may run the command itself', () => {
    expect(ask('source x; npm test', 'npm')).toBe('matched');
    expect(ask('source x; npm test', 'npm', { unconditional: true })).toBe('unavailable');
    expect(ask('source x && npm test', 'npm', { argsStart: ['publish'] })).toBe('unavailable');
  });

  test('the evidence says when the exit status proves it', () => {
    expect(outcomeFor(shellCall('cd a && npm test', { exitCode: 0 }), 'npm', { unconditional: true }))
      .toEqual({ status: 'matched', note: 'npm test: the exit status 0 proves that it was started' });
    expect(outcomeFor(shellCall('npm test', { exitCode: 0 }), 'npm', { unconditional: true })).toEqual({ status: 'matched' });
  });
});

describe('the status of a command in a call with one exit status', () => {
  test.each<[string, number, Status, Status]>([
    // source, exit code; completed; failed
    ['npm test', 0, 'matched', 'mismatched'],
    ['npm test', 1, 'mismatched', 'matched'],
    ['CI=1 timeout 60 npm test > log', 0, 'matched', 'mismatched'],
    ['sudo nice npm test', 1, 'mismatched', 'matched'],
    ["bash -c 'npm test'", 1, 'mismatched', 'matched'],
    ['npx npm test', 0, 'matched', 'mismatched'],
    ['! npm test', 0, 'mismatched', 'matched'],
    ['! npm test', 1, 'matched', 'mismatched'],
    ['cd a && npm test', 0, 'matched', 'mismatched'],
    ['cd a && npm test', 1, 'unavailable', 'unavailable'],
    ['npm test && ls', 0, 'matched', 'mismatched'],
    ['npm test && ls', 1, 'unavailable', 'unavailable'],
    ['npm test || ls', 1, 'mismatched', 'matched'],
    ['npm test || ls', 0, 'unavailable', 'unavailable'],
    ['npm test; ls', 0, 'unavailable', 'unavailable'],
    ['ls; npm test', 0, 'matched', 'mismatched'],
    ['ls; npm test', 1, 'mismatched', 'matched'],
    ['ls; npm test', 143, 'unavailable', 'unavailable'],
    ['npm test | tail', 0, 'unavailable', 'unavailable'],
    ['ls | npm test', 1, 'mismatched', 'matched'],
    ['set -o pipefail; ls | npm test', 1, 'unavailable', 'unavailable'],
    ['set -o pipefail; ls | npm test', 0, 'matched', 'mismatched'],
    ['npm test &', 0, 'unavailable', 'unavailable'],
    ['x=$(npm test)', 0, 'unavailable', 'unavailable'],
    ['npm test; exit 0', 0, 'unavailable', 'unavailable'],
    ["trap 'exit 0' EXIT; npm test", 0, 'unavailable', 'unavailable'],
    ['find . -exec npm test \\;', 0, 'unavailable', 'unavailable'],
    ['cd app && npm ci && npm test || true; echo $?', 0, 'unavailable', 'unavailable'],
  ])('"%s" that ended with %i: completed %s, failed %s', (source, exitCode, completed, failed) => {
    const call = shellCall(source, { exitCode, status: exitCode === 0 ? 'completed' : 'failed' });
    expect(outcomeFor(call, 'npm', { argsStart: ['test'], status: 'completed' }).status).toBe(completed);
    expect(outcomeFor(call, 'npm', { argsStart: ['test'], status: 'failed' }).status).toBe(failed);
  });

  test('a chain whose shared status is not that of one part lists every part', () => {
    const call = shellCall('cd app && npm ci && npm run build || true; echo $?', { exitCode: 0 });
    for (const [name, argsStart] of [['cd', ['app']], ['npm', ['ci']], ['npm', ['run', 'build']], ['true', []], ['echo', []]] as const) {
      expect(outcomeFor(call, name, { argsStart }).status).toBe('matched');
    }
    expect(outcomeFor(call, 'npm', { argsStart: ['run', 'build'], status: 'completed' }))
      .toEqual({ status: 'unavailable', code: 'shell-undecidable', reason: 'Bash (call_1): the status of the call is not that of `npm run build`' });
    expect(outcomeFor(call, 'npm', { argsStart: ['publish'], status: 'completed' }).status).toBe('mismatched');
  });

  test.each<[string, ToolOccurrence['status'], Record<'pending' | 'completed' | 'failed' | 'rejected', Status>]>([
    ['npm test', 'completed', { pending: 'mismatched', completed: 'matched', failed: 'mismatched', rejected: 'mismatched' }],
    ['npm test', 'failed', { pending: 'mismatched', completed: 'mismatched', failed: 'matched', rejected: 'mismatched' }],
    ['npm test', 'pending', { pending: 'matched', completed: 'mismatched', failed: 'mismatched', rejected: 'mismatched' }],
    ['npm test', 'rejected', { pending: 'mismatched', completed: 'mismatched', failed: 'mismatched', rejected: 'matched' }],
    ['npm test', 'undecidable', { pending: 'unavailable', completed: 'unavailable', failed: 'unavailable', rejected: 'unavailable' }],
    ['npm test; ls', 'completed', { pending: 'mismatched', completed: 'unavailable', failed: 'unavailable', rejected: 'mismatched' }],
    ['npm test; ls', 'pending', { pending: 'matched', completed: 'unavailable', failed: 'unavailable', rejected: 'mismatched' }],
    ['npm test; ls', 'rejected', { pending: 'mismatched', completed: 'mismatched', failed: 'mismatched', rejected: 'matched' }],
    ['eval "$X"', 'rejected', { pending: 'mismatched', completed: 'mismatched', failed: 'mismatched', rejected: 'unavailable' }],
    ['ls', 'undecidable', { pending: 'mismatched', completed: 'mismatched', failed: 'mismatched', rejected: 'mismatched' }],
  ])('"%s" of a call that is %s, without an exit code', (source, status, expected) => {
    const asked = ['pending', 'completed', 'failed', 'rejected'] as const;
    expect(Object.fromEntries(asked.map((wanted) => [wanted, outcomeFor(shellCall(source, { status }), 'npm', { status: wanted }).status]))).toEqual(expected);
  });

  test('a rejected call states its commands all the same', () => {
    expect(outcomeFor(shellCall('npm test', { status: 'rejected' }), 'npm').status).toBe('matched');
  });
});
