import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../src/evidence/events.js';
import { leftovers, openProject, type TestProject } from '../support/project.js';
import { TINY_SERVER } from '../support/tiny.js';

const WORKSPACE = '/home/agent/workspace';
const script = (...turns: readonly object[]): string => JSON.stringify({ format: 'niceeval.script/v1', turns });
const used = (inputTokens: number): object => ({ usage: { inputTokens, outputTokens: 7 } });

/** What each CLI is made to try, in the same order: read, write within, write without, and the same by a shell; a temporary folder; the network. */
const TRIED = ['read', 'edit inside', 'edit outside', 'shell inside', 'shell outside', 'shell temporary', 'network'] as const;
const SHELL = ['echo x > shell-in.txt', 'echo x > "$HOME/shell-out.txt"', 'echo x > /tmp/shell-tmp.txt', 'getent hosts registry.npmjs.org'];

const bash = (command: string): object => ({ toolCalls: [{ name: 'Bash', input: { command, description: 'Run' } }] });
const write = (path: string): object => ({ toolCalls: [{ name: 'Write', input: { file_path: path, content: 'x' } }] });
const exec = (cmd: string): object => ({ toolCalls: [{ name: 'exec_command', input: { cmd } }] });
const patch = (path: string): object => ({ toolCalls: [{ name: 'apply_patch', input: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` }] });
const DONE = { text: 'Done.', ...used(321) };
const LOOK = 'cat /tmp/hooks.txt; pgrep -f "[s]erver.mjs" > /dev/null && echo served';

const hook = (name: string): string => JSON.stringify({ hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: `echo ${name} >> /tmp/hooks.txt` }] }] } });

const CLIS = {
  'claude-code': {
    agent: 'claudeCode()', model: 'claude-sonnet-4-5',
    tries: script({ toolCalls: [{ name: 'Read', input: { file_path: `${WORKSPACE}/seed.txt` } }] }, write(`${WORKSPACE}/edit-in.txt`), write('/home/agent/edit-out.txt'), ...SHELL.map(bash), DONE),
    own: `claudeCode({ settingsFile: 'hooks.json', mcpServers: [{ name: 'own', command: 'node', args: ['${WORKSPACE}/server.mjs'] }] })`,
    looks: script(bash('echo first'), bash(LOOK), DONE),
    compacting: 'claudeCode()',
    long: script({ ...bash('echo 1'), ...used(30_000) }, { ...bash('echo 2'), ...used(60_000) }, { text: 'One.', ...used(800) }, { text: 'Two.', ...used(900) }),
    // What a tool of the CLI writes is asked for where the policy forbids it; a command is tried, and the kernel refuses.
    forbidden: 'rejected',
  },
  codex: {
    agent: 'codex()', model: 'gpt-5.5',
    tries: script(exec('cat seed.txt'), patch('edit-in.txt'), patch('/home/agent/edit-out.txt'), ...SHELL.map(exec), DONE),
    own: `codex({ hooksFile: 'hooks.json', configFile: 'config.toml', mcpServers: [{ name: 'own', command: 'node', args: ['${WORKSPACE}/server.mjs'] }] })`,
    looks: script(exec('echo first'), exec(LOOK), DONE),
    compacting: `codex({ configFile: 'config.toml' })`,
    long: script({ ...exec('echo 1'), ...used(15_000) }, { ...exec('echo 2'), ...used(30_000) }, { text: 'One.', ...used(800) }, { text: 'Two.', ...used(900) }),
    forbidden: 'failed',
  },
} as const;

interface Line {
  readonly scenario_id: string;
  readonly passed: boolean;
  readonly failures: readonly string[];
  readonly event_types: readonly string[];
  readonly mcp_enabled: boolean;
  readonly hooks_enabled: boolean;
  readonly context_input_tokens?: number;
  readonly model_usage?: object;
  readonly trace: readonly { readonly event: StreamEvent }[];
}

const APPROVALS = ['never', 'on_request', 'always'] as const;
const POLICIES = ['read_only', 'workspace_write', 'full_access'] as const;

describe.each(Object.entries(CLIS))('%s in scenarios', (name, cli) => {
  let project: TestProject;
  beforeAll(async () => {
    const profile = (agent: string, model: string): string => `{ agent: ${agent}, model: '${cli.model}', gateway: scripted('${model}') }`;
    project = await openProject({
      'niceeval.config.ts': `import { defineConfig, scripted } from 'niceeval';\nimport { claudeCode, codex } from 'niceeval/adapter';\nexport default defineConfig({ profiles: { plain: ${profile(cli.agent, 'tries.json')}, own: ${profile(cli.own, 'looks.json')}, long: ${profile(cli.compacting, 'long.json')} } });\n`,
      'tries.json': cli.tries, 'looks.json': cli.looks, 'long.json': cli.long, 'hooks.json': hook('of-the-author'),
      'config.toml': `model_context_window = 100_000\n[mcp_servers.configured]\ncommand = "node"\nargs = ["${WORKSPACE}/server.mjs"]\n`,
      'ws/seed.txt': 'seed\n', 'ws/server.mjs': TINY_SERVER,
      // What the workspace itself wants to start.
      'ws/.mcp.json': JSON.stringify({ mcpServers: { theirs: { command: 'node', args: [`${WORKSPACE}/server.mjs`] } } }), 'ws/.claude/settings.json': hook('of-the-workspace'),
      'ws/.codex/config.toml': `[mcp_servers.theirs]\ncommand = "node"\nargs = ["${WORKSPACE}/server.mjs"]\n`, 'ws/.codex/hooks.json': hook('of-the-workspace'),
      'policies.jsonl': APPROVALS.flatMap((approval) => POLICIES.map((kind) => `${JSON.stringify({ id: `${approval} ${kind}`, prompt: 'try', profile: 'plain', approval_policy: approval, sandbox_policy: { kind } })}\n`)).join(''),
      'own.jsonl': `${JSON.stringify({ id: 'own', prompt: 'look', profile: 'own' })}\n`,
      'long.jsonl': `${JSON.stringify({ id: 'long', prompt: 'work', turns: ['and on'], system_instructions: 'Be brief.', profile: 'long', expected: { max_turns: 2, max_tool_failures: 0, assistant_contains: ['Two.'], min_events_of_type: { ModelRequestStarted: 4 } } })}\n`,
    });
  });
  afterAll(() => project[Symbol.asyncDispose]());

  async function run(file: string, ...args: readonly string[]): Promise<{ readonly exitCode: number | undefined; readonly stderr: string; readonly lines: readonly Line[] }> {
    const { exitCode, stderr } = await project.niceeval(['scenarios', 'run', '--scenarios', file, '--output', 'out/o.jsonl', '--summary', 'out/s.json', '--workspace', 'ws', '--include-trace', ...args], { timeoutMs: 230_000 });
    const text = await readFile(join(project.root, 'out/o.jsonl'), 'utf8').catch(() => '');
    return { exitCode, stderr, lines: text.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Line) };
  }

  it('keeps to every policy', async () => {
    const { exitCode, stderr, lines } = await run('policies.jsonl');
    expect([exitCode, lines.flatMap(({ failures }) => failures)], stderr).toEqual([0, []]);
    const inside = { read_only: [cli.forbidden, 'failed'], workspace_write: ['completed', 'completed'], full_access: ['completed', 'completed'] } as const;
    const outside = { read_only: [cli.forbidden, 'failed'], workspace_write: [cli.forbidden, 'failed'], full_access: ['completed', 'completed'] } as const;
    const expected = APPROVALS.flatMap((approval) => POLICIES.map((kind) => {
      const free = ['completed', inside[kind][0], outside[kind][0], inside[kind][1], outside[kind][1], 'completed', kind === 'full_access' ? 'completed' : 'failed'];
      return [`${approval} ${kind}`, Object.fromEntries(TRIED.map((what, index) => [what, approval === 'always' ? 'rejected' : free[index]]))];
    }));
    expect(lines.map(({ scenario_id: id, trace }) => {
      const ends = trace.flatMap(({ event }) => (event.type === 'operation.finished' ? [event.status] : []));
      return [id, Object.fromEntries(TRIED.map((what, index) => [what, ends[index]]))];
    })).toEqual(expected);
    // Leave that is refused is told as such, asked for or not.
    for (const { scenario_id: id, event_types: types, trace } of lines) {
      const refused = trace.filter(({ event }) => event.type === 'operation.finished' && event.status === 'rejected').length;
      expect([id, types.filter((type) => type === 'PermissionRequested').length, types.filter((type) => type === 'PermissionDenied').length]).toEqual([id, refused, refused]);
    }
    expect(lines[0]).toMatchObject({ context_input_tokens: 321, model_usage: { request_count: 8, output_tokens: 42 } });
  });

  it('starts no tool server and runs no hook, whoever names it, until it is told to', async () => {
    const look = ({ trace }: Line): string => JSON.stringify(trace.flatMap(({ event }) => (event.type === 'operation.finished' ? [event.output] : [])).at(-1));
    const found = async (...args: readonly string[]): Promise<readonly [boolean, boolean, boolean, boolean, boolean]> => {
      const { lines: [line], stderr } = await run('own.jsonl', '--approval-policy', 'never', ...args);
      if (line === undefined) throw new Error(stderr);
      return [look(line).includes('served'), look(line).includes('of-the-author'), look(line).includes('of-the-workspace'), line.mcp_enabled, line.hooks_enabled];
    };
    expect(await found()).toEqual([false, false, false, false, false]);
    expect(await found('--enable-mcp')).toEqual([true, false, false, true, false]);
    expect((await found('--enable-hooks')).toSpliced(2, 1)).toEqual([false, true, false, true]);
    expect(await found('--enable-mcp', '--enable-hooks')).toEqual([true, true, true, true, true]);
  });

  it('compacts when it is told to, and not before', async () => {
    const early = await run('long.jsonl', '--auto-compact-threshold', '0.2');
    expect([early.exitCode, early.lines[0]?.failures, early.lines[0]?.event_types.includes('ContextCompactionCompleted')], early.stderr).toEqual([0, [], true]);
    const late = await run('long.jsonl');
    expect([late.exitCode, late.lines[0]?.event_types.includes('ContextCompactionCompleted')], late.stderr).toEqual([0, false]);
  });

  it('is not run with what it cannot do', async () => {
    const { exitCode, stderr } = await project.niceeval(['scenarios', 'run', '--scenarios', 'long.jsonl', '--output', 'none/o', '--summary', 'none/s', '--seed-synthetic-pairs', '3']);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^niceeval: long\.jsonl:1: profile "long": .* keeps its own history and cannot be given a made-up one/)]);
  });

  it(`leaves nothing behind (${name})`, async () => {
    expect(await leftovers()).toEqual([]);
  });
});
