import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = new URL('../../', import.meta.url).pathname;
const MAIN = join(ROOT, 'dist/cli/main.js');
const claude = (name: string): string => join(ROOT, 'fixtures/agents/claude-code/2.1.197', name);
const codex = (name: string): string => join(ROOT, 'fixtures/agents/codex/0.171.0', name);

interface Told {
  readonly format: string;
  readonly cliVersion?: string;
  readonly turns: readonly { readonly status: string; readonly events: readonly { readonly type: string; readonly operation?: { readonly name: string }; readonly operationId?: string; readonly status?: string; readonly text?: string; readonly role?: string }[] }[];
  readonly usage: object;
  readonly evidenceCoverage: Record<string, { readonly status: string; readonly reason?: string }>;
  readonly unrecognised: readonly unknown[];
  readonly problems: readonly string[];
}

let scratch: string;
beforeAll(() => {
  if (!existsSync(MAIN)) spawnSync('npm', ['run', 'build'], { cwd: ROOT });
  scratch = mkdtempSync(join(tmpdir(), 'niceeval-parse-'));
}, 120_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function parse(...args: readonly string[]): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'parse', ...args], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 });
  return { status, stdout, stderr };
}

function told(stdout: string): Told {
  expect(stdout.split('\n')).toHaveLength(2);
  return JSON.parse(stdout) as Told;
}

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(scratch, name);
  writeFileSync(path, content);
  return path;
};

describe('niceeval parse --json', () => {
  it('tells a Claude Code run from its stdout and its session: the four tools of the script and what the server billed', () => {
    const run = parse(join(claude('tools-basic'), 'input.jsonl'), join(claude('tools-basic'), 'sessions'), '--json', '--exit-code', '0');
    const { format, cliVersion, turns, usage, evidenceCoverage, unrecognised, problems } = told(run.stdout);
    expect({ status: run.status, stderr: run.stderr, format, cliVersion, unrecognised, problems }).toEqual({ status: 0, stderr: '', format: 'claude-code', cliVersion: '2.1.197', unrecognised: [], problems: [] });
    expect(turns.map((turn) => turn.status)).toEqual(['completed']);
    const events = turns.flatMap((turn) => turn.events);
    expect(events.flatMap(({ operation }) => (operation === undefined ? [] : [operation.name]))).toEqual(['Write', 'Edit', 'Read', 'Bash']);
    expect(events.filter(({ type }) => type === 'operation.finished').map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'completed']);
    expect(events.flatMap(({ role, text }) => (role === 'user' ? [text] : []))).toEqual(['Make a file']);
    // source.md: "The server billed ...: input, output, cache creation, cache read = 126, 147, 770, 2550."
    expect(usage).toMatchObject({ inputTokens: 126, outputTokens: 147, cacheCreationTokens: 770, cacheReadTokens: 2550 });
    expect(Object.values(evidenceCoverage).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'complete'));
  });

  it('tells a Codex run from the stdout and rollouts in one folder, and names what else lies there', () => {
    const run = parse(codex('shell-ok'), '--json', '--exit-code', '0', '--stderr', join(codex('shell-ok'), 'stderr.txt'));
    const { format, cliVersion, turns, usage } = told(run.stdout);
    expect({ status: run.status, format, cliVersion, turns: turns.map((turn) => turn.status) }).toEqual({ status: 0, format: 'codex-exec', cliVersion: '0.171.0', turns: ['completed'] });
    // turn.completed: input_tokens 4100 of which cached_input_tokens 1920; output_tokens 55 of which 10 are reasoning.
    expect(usage).toMatchObject({ inputTokens: 2180, cacheReadTokens: 1920, outputTokens: 55, reasoningTokens: 10 });
    expect(run.stderr.split('\n')).toEqual([...['exit.json', 'expected.json', 'source.md', 'stderr.txt'].map((name) => `niceeval: ${codex('shell-ok')}/${name} is no transcript and was skipped`), '']);
  });

  it.each([
    ['claude-session', () => join(claude('tools-basic'), 'sessions')],
    ['codex-rollout', () => join(codex('shell-ok'), 'rollouts')],
    ['codex-app-server', () => join(codex('app-two-turns'), 'input.jsonl')],
  ])('recognises %s by its content', (format, path) => {
    const run = parse(path(), '--json');
    expect({ status: run.status, format: told(run.stdout).format }).toEqual({ status: 0, format });
  });

  it('says of a kept standard input in the folder that it was left out', () => {
    const folder = join(scratch, 'conversation');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'stdout.jsonl'), readFileSync(join(claude('ask-user-question'), 'input.jsonl')));
    writeFileSync(join(folder, 'stdin.jsonl'), [
      { type: 'user', message: { role: 'user', content: 'Paint it' }, parent_tool_use_id: null, session_id: '' },
      { type: 'control_response', response: { subtype: 'success', request_id: '9', response: { behavior: 'allow' } } },
    ].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const run = parse(folder, '--json');
    const { turns, unrecognised, problems } = told(run.stdout);
    expect({ status: run.status, stderr: run.stderr, turns: turns.length, unrecognised, problems }).toEqual({
      status: 0, stderr: '', turns: 1, unrecognised: [], problems: [`"${folder}/stdin.jsonl" is what the client wrote and was left out`],
    });
  });

  it('ends with 3, and lists each line, when some cannot be read', () => {
    const lines = '{"type":"thread.started","thread_id":"t"}\nnoise\n{"type":"turn.started"}\n{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}\n';
    const run = parse(file('noisy.jsonl', lines), '--json', '--exit-code', '0');
    expect({ status: run.status, unrecognised: told(run.stdout).unrecognised }).toEqual({ status: 3, unrecognised: [{ source: 'stdout', line: 2, why: 'not JSON: "noise"' }] });
  });
});

describe('niceeval parse for people', () => {
  it('lists turns, events on a line each, usage and coverage with its reasons, without letting the text steer the terminal', () => {
    const say = JSON.stringify({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'hi\n\u001b[2Jgone' } });
    const run = parse(file('cut.jsonl', `{"type":"thread.started","thread_id":"t"}\n{"type":"turn.started"}\n${say}\n`));
    expect(run.status).toBe(0);
    const lines = run.stdout.split('\n');
    expect(lines.slice(0, 2)).toEqual(['codex-exec: 1 turn', '']);
    expect(lines[2]).toMatch(/^turn 1: failed: /);
    expect(lines).toContain('  assistant: hi | \\u001b[2Jgone');
    expect(lines).toContain('usage: not reported');
    expect(lines.find((line) => line.startsWith('  status: '))).toMatch(/^ {2}status: (?:partial|unavailable) \(.+\)$/);
  });
});

describe('niceeval parse refuses, with 2 and nothing on standard output,', () => {
  const empty = (): string => { const folder = join(scratch, 'no-transcripts'); mkdirSync(folder, { recursive: true }); writeFileSync(join(folder, 'notes.txt'), 'hello\n'); return folder; };
  it.each<[string, () => readonly string[], RegExp]>([
    ['a file that is not there', () => [join(scratch, 'nowhere.jsonl')], /ENOENT.*nowhere\.jsonl/],
    ['an empty file', () => [file('empty.jsonl', '')], /nothing to read in .*empty\.jsonl/],
    ['binary garbage', () => [file('garbage.bin', Uint8Array.from({ length: 70_000 }, (_item, index) => (index * 7919) % 256))], /no known transcript format in .*garbage\.bin/],
    ['a folder without transcripts', () => [empty()], /notes\.txt is no transcript and was skipped\nniceeval: no transcript lies in .*no-transcripts/],
    ['JSON lines of something else', () => [file('other.jsonl', '{"level":"info","msg":"hello"}\n'.repeat(9))], /no known transcript format/],
    ['records of two CLIs', () => [join(claude('plain-text'), 'input.jsonl'), join(codex('plain-text'), 'input.jsonl')], /different CLIs/],
    ['a format that nobody knows', () => [join(claude('plain-text'), 'input.jsonl'), '--format', 'toml'], /Allowed choices are auto, claude-code/],
    ['no path', () => [], /missing required argument/],
    ['an exit code that is none', () => [join(claude('plain-text'), 'input.jsonl'), '--exit-code', 'x'], /whole number from 0 to 255/],
    ['a stderr file that is not there', () => [join(claude('plain-text'), 'input.jsonl'), '--stderr', join(scratch, 'no-stderr')], /ENOENT.*no-stderr/],
  ])('%s', (_what, args, reason) => {
    const run = parse(...args(), '--json');
    expect({ status: run.status, stdout: run.stdout }).toEqual({ status: 2, stdout: '' });
    expect(run.stderr).toMatch(reason);
  });
});
