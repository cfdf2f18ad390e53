import { afterAll, describe, expect, it } from 'vitest';
import { runConditioned, WORKSPACE } from '../support/conditioned-run.js';
import { leftovers } from '../support/project.js';
import { TINY_SERVER } from '../support/tiny.js';

const exec = (cmd: string): object => ({ toolCalls: [{ name: 'exec_command', input: { cmd } }] });
const call = (name: string, input: object = {}): object => ({ toolCalls: [{ name, input }] });
const patch = { toolCalls: [{ name: 'apply_patch', input: '*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch' }] };
const DONE = { text: 'Done.' };
const SERVER = `${WORKSPACE}/server.mjs`;
const OWN = `codex({ mcpServers: [{ name: 'own', command: 'node', args: ['${SERVER}'] }] })`;
const READING_SERVER = TINY_SERVER
  .replace(`{ name: 'greeting'`, `{ name: 'peek', description: 'Reads', inputSchema: object(), annotations: { readOnlyHint: true } },\n  { name: 'greeting'`)
  .replace('greeting: () =>', `peek: () => say('peeked'), greeting: () =>`);

describe('codex under conditions', () => {
  it('is not asked about what is allowed, however dangerous it looks', async () => {
    const allowed = ['mkdir -p d e; touch d/a', 'rm -rf d && echo gone', '/bin/rm -rf e', "sh -c 'rm -rf f'", 'for i in 1 2; do rm -rf "d$i"; done', 'rm -rf $(echo d)', 'env rm -rf d', 'cd . && rm -fr d', 'bash -lc "rm -rf d"', 'cat seed.txt | rm -f d'];
    const { exitCode, stderr, outcomes } = await runConditioned(
      { agent: OWN, model: 'gpt-5.5', files: { 'ws/server.mjs': READING_SERVER }, script: [...allowed.map(exec), patch, call('mcp__own__add', { a: 1, b: 2 }), call('mcp__own__peek'), DONE] },
      ['never workspace_write', 'on_request workspace_write', 'never full_access', 'on_request full_access'], { args: ['--enable-mcp'] },
    );
    expect(exitCode, stderr).toBe(0);
    expect(outcomes.map(({ id, asked, operations }) => [id, asked, operations.map(({ status }) => status)])).toEqual(
      ['never workspace_write', 'on_request workspace_write', 'never full_access', 'on_request full_access'].map((id) => [id, 0, Array(13).fill('completed')]),
    );
  });

  it('asks before every action where it must, whoever is trusted with it, and has nothing that cannot ask', async () => {
    const trusted = ['/bin/cat seed.txt', 'cat seed.txt | wc -l', 'ls; pwd', 'bash -c "ls"', 'env ls', 'git status', '/usr/bin/git status', 'cd /tmp && ls', 'sed -n 1p seed.txt', "l's'", '../../../bin/ls', 'rm -rf d', 'true'];
    const { exitCode, stderr, outcomes } = await runConditioned(
      { agent: 'codex()', model: 'gpt-5.5', script: [...trusted.map(exec), patch, call('create_goal', { objective: 'x' }), call('view_image', { path: `${WORKSPACE}/seed.txt` }), call('request_user_input', { questions: [{ id: 'a', header: 'A', question: 'A?', options: [{ label: 'x', description: 'x' }, { label: 'y', description: 'y' }] }] }), DONE] },
      ['always read_only', 'always workspace_write', 'always full_access'],
    );
    expect(exitCode, stderr).toBe(0);
    for (const { id, asked, operations } of outcomes) {
      expect([id, asked, operations.slice(0, 14).map(({ status }) => status)]).toEqual([id, 14, Array(14).fill('rejected')]);
      expect(operations.slice(14).map(({ name, status, output }) => [name, status, output])).toEqual([
        ['create_goal', 'failed', '"unsupported call: create_goal"'], ['view_image', 'failed', '"unsupported call: view_image"'],
        ['request_user_input', 'failed', '"request_user_input is unavailable in Default mode"'],
      ]);
    }
  });

  it('starts no server and runs no program of its settings, however they are named, until it is told to', async () => {
    const table = (name: string): string => `[mcp_servers.${name}]\ncommand = "node"\nargs = ["${SERVER}", ${JSON.stringify(name)}]\n`;
    const files = {
      'config.toml': `notify = ["sh", "-c", "touch /tmp/notified"]\n${table('"dotted.name"')}${table(`'literal'`)}${table('bare')}[mcp_servers.bare.env]\nA = "b"\n[features]\ndefault_mode_request_user_input = true\n`,
      'ws/server.mjs': TINY_SERVER, 'ws/.codex/config.toml': table('theirs'),
    };
    const look = 'ls /tmp/*; pgrep -af "[s]erver.mjs"; true';
    const question = call('request_user_input', { questions: [{ id: 'a', header: 'A', question: 'A?', options: [{ label: 'x', description: 'x' }, { label: 'y', description: 'y' }] }] });
    const seen = async (...args: readonly string[]): Promise<readonly (readonly [string, string])[]> => {
      const { outcomes, stderr } = await runConditioned({ agent: `codex({ configFile: 'config.toml', askUser: true })`, model: 'gpt-5.5', files, script: [question, { text: 'One.' }, exec(look), DONE] }, ['never workspace_write', 'on_request workspace_write'], { args, prompts: ['ask', 'look'] });
      expect(outcomes.map(({ operations: [asked] }) => asked?.output), stderr).toEqual(Array(2).fill('"request_user_input is unavailable in Default mode"'));
      return outcomes.map(({ id, operations }) => [id, ['notified', 'dotted.name', 'literal', 'bare', 'theirs'].filter((what) => operations.at(-1)?.output.includes(what)).join(' ')]);
    };
    expect(await seen()).toEqual([['never workspace_write', ''], ['on_request workspace_write', '']]);
    expect(await seen('--enable-mcp')).toEqual([['never workspace_write', 'dotted.name literal bare theirs'], ['on_request workspace_write', 'dotted.name literal bare theirs']]);
    expect((await seen('--enable-hooks'))[0]).toEqual(['never workspace_write', 'notified']);
  });

  it('says what it cannot keep to before anything starts', async () => {
    const told = async (agent: string, pair: string, ...args: readonly string[]): Promise<readonly [number | undefined, string]> => {
      const { exitCode, stderr } = await runConditioned({ agent, model: 'gpt-5.5', script: [DONE], files: { 'config.toml': 'mcp_servers.inline.command = "node"\n', 'hooks.json': '{}' } }, [pair], { args });
      return [exitCode, stderr.replace(/^niceeval: pairs\.jsonl:1: profile "own": /, '').trim()];
    };
    expect(await told('codex()', 'always full_access', '--enable-mcp')).toEqual([1, 'Codex lists and reads what tool servers offer without asking: say another approval policy than "always" with --enable-mcp.']);
    expect(await told(`codex({ configFile: 'config.toml' })`, 'never full_access')).toEqual([1, '`configFile` names its tool servers in a way that they cannot be turned off one by one; give each a table of its own, [mcp_servers.<name>], or use `mcpServers`.']);
    expect(await told(`codex({ hooksFile: 'hooks.json' })`, 'on_request full_access', '--enable-hooks')).toEqual([1, 'Codex runs `hooksFile` only where it asks nobody: say approval policy "never" with --enable-hooks.']);
    expect(await told('codex()', 'never full_access', '--auto-compact-threshold', '0.5')).toEqual([1, 'Codex compacts from a number of tokens on; for a part of the window, put `model_context_window = <tokens>` into its `configFile`.']);
  });

  afterAll(async () => expect(await leftovers()).toEqual([]));
});
