import { afterAll, describe, expect, it } from 'vitest';
import { runConditioned, WORKSPACE } from '../support/conditioned-run.js';
import { leftovers } from '../support/project.js';
import { TINY_SERVER } from '../support/tiny.js';

const call = (name: string, input: object = {}): object => ({ toolCalls: [{ name, input }] });
const bash = (command: string): object => call('Bash', { command, description: 'Run' });
const write = (path: string): object => call('Write', { file_path: path, content: 'x' });
const DONE = { text: 'Done.' };
const SERVER = `${WORKSPACE}/server.mjs`;
const server = (name: string): object => ({ mcpServers: { [name]: { command: 'node', args: [SERVER, name] } } });

/** Hooks of every kind that a turn comes by, which leave the name of who owns them. */
const hooks = (who: string): object => Object.fromEntries(['SessionStart', 'UserPromptSubmit', 'PreToolUse'].map((kind) => [kind, [{ hooks: [{ type: 'command', command: `echo ${who} >> /tmp/hooks.txt` }] }]]));
const front = (fields: string): string => `---\nname: greet\ndescription: Greets\n${fields}hooks:\n  PreToolUse:\n    - hooks:\n        - type: command\n          command: "echo ${fields === '' ? 'skill' : 'subagent'} >> /tmp/hooks.txt"\n---\nSay hello.\n`;

describe('claude code under conditions', () => {
  it('is not asked about what is allowed, however dangerous it looks', async () => {
    const allowed = ['mkdir -p d && touch d/a', 'rm -rf d', 'rm -rf /tmp/y.txt ./*.none', 'cd /usr && ls -d lib', 'git init -q . && git status --short', 'sed -i s/seed/SEED/ seed.txt', 'for i in 1 2; do echo $i > f$i.txt; done', 'mv f1.txt /tmp/f1.txt', 'echo $(whoami) > who.txt'];
    const tools = [call('TaskCreate', { subject: 'a', description: 'b' }), call('Skill', { skill: 'greet' }), call('mcp__own__greeting'), call('mcp__theirs__greeting'), call('Read', { file_path: `${WORKSPACE}/seed.txt` }), write(`${WORKSPACE}/a/b.txt`)];
    const pairs = ['never workspace_write', 'on_request workspace_write', 'never full_access', 'on_request full_access'];
    const { exitCode, stderr, outcomes } = await runConditioned({
      agent: `claudeCode({ permissionMode: 'plan', allowedTools: ['Read'], skills: [{ kind: 'local', path: 'greet' }], mcpServers: [{ name: 'own', command: 'node', args: ['${SERVER}'] }] })`,
      model: 'claude-sonnet-4-5', script: [...allowed.map(bash), ...tools, DONE],
      files: { 'greet/SKILL.md': front(''), 'ws/server.mjs': TINY_SERVER, 'ws/.mcp.json': JSON.stringify(server('theirs')) },
    }, pairs, { args: ['--enable-mcp'] });
    expect(exitCode, stderr).toBe(0);
    expect(outcomes.map(({ id, asked, operations }) => [id, asked, operations.map(({ name, status }) => `${name} ${status}`)])).toEqual(
      pairs.map((id) => [id, 0, [...Array<string>(9).fill('Bash completed'), ...['TaskCreate', 'Skill', 'mcp__own__greeting', 'mcp__theirs__greeting', 'Read', 'Write'].map((name) => `${name} completed`)]]),
    );
  });

  it('asks before every action where it must, whatever its settings or its workspace allow', async () => {
    const asking = [
      call('Read', { file_path: `${WORKSPACE}/seed.txt` }), bash('ls'), bash('rm -rf d'), write(`${WORKSPACE}/a.txt`), write('/tmp/a.txt'), call('WebFetch', { url: 'http://example.com', prompt: 'x' }), call('Skill', { skill: 'greet' }), call('mcp__own__add', { a: 1, b: 2 }), call('mcp__theirs__greeting'),
      call('TaskCreate', { subject: 'a', description: 'b' }), call('TaskList'), call('CronCreate', { cron: '0 0 1 1 *', prompt: 'x' }), call('CronList'), call('SendMessage', { to: 'x', message: 'y', summary: 'z' }), call('EnterWorktree', { name: 'w' }),
    ];
    const lacking = [call('EnterPlanMode'), call('ExitPlanMode', { plan: 'x' }), call('AskUserQuestion', { questions: [] })];
    const allow = { permissions: { allow: ['Bash', 'Read', 'Write', 'Skill', 'TaskCreate', 'mcp__own', 'mcp__theirs'], defaultMode: 'bypassPermissions' } };
    const pairs = ['always read_only', 'always workspace_write', 'always full_access'];
    const { exitCode, stderr, outcomes } = await runConditioned({
      agent: `claudeCode({ settingsFile: 'settings.json', allowedTools: ['Bash', 'TaskCreate'], skills: [{ kind: 'local', path: 'greet' }], mcpServers: [{ name: 'own', command: 'node', args: ['${SERVER}'] }] })`,
      model: 'claude-sonnet-4-5', script: [...asking, ...lacking, DONE],
      files: { 'settings.json': JSON.stringify(allow), 'greet/SKILL.md': front(''), 'ws/server.mjs': TINY_SERVER, 'ws/.mcp.json': JSON.stringify(server('theirs')), 'ws/.claude/settings.json': JSON.stringify(allow) },
    }, pairs, { args: ['--enable-mcp'] });
    expect(exitCode, stderr).toBe(0);
    expect(outcomes.map(({ id, operations }) => [id, operations.map(({ status }) => status), operations.slice(0, 15).filter(({ output }) => output !== '"The user does not want this to be done."'), operations.slice(15).map(({ output }) => output.includes('is not enabled in this context'))])).toEqual(
      pairs.map((id) => [id, Array(18).fill('rejected'), [], [true, true, true]]),
    );
  });

  it('starts no server and runs no hook, whoever brings it, until it is told to', async () => {
    const settings = (who: string): string => JSON.stringify({ disableAllHooks: false, enableAllProjectMcpServers: true, hooks: hooks(who) });
    const look = 'sort -u /tmp/hooks.txt; pgrep -af "[s]erver.mjs"; true';
    const seen = async (...args: readonly string[]): Promise<readonly [string, string]> => {
      const { outcomes: [outcome], stderr } = await runConditioned({
        agent: `claudeCode({ settingsFile: 'settings.json', plugins: ['plug'], skills: [{ kind: 'local', path: 'greet' }] })`, model: 'claude-sonnet-4-5',
        script: { lanes: [
          { name: 'child', when: { firstUserIncludes: 'SUBTASK' }, turns: [bash(look), { text: 'Looked.' }] },
          { name: 'main', turns: [call('Skill', { skill: 'greet' }), call('Task', { subagent_type: 'greet', description: 'd', prompt: 'SUBTASK' }), bash(look), DONE] },
        ] },
        files: {
          'settings.json': settings('author'), 'greet/SKILL.md': front(''), 'ws/server.mjs': TINY_SERVER,
          'plug/.claude-plugin/plugin.json': JSON.stringify({ name: 'plug', version: '1.0.0', description: 'x' }), 'plug/hooks/hooks.json': JSON.stringify({ hooks: hooks('plugin') }), 'plug/.mcp.json': JSON.stringify(server('plugged')),
          'ws/.mcp.json': JSON.stringify(server('theirs')), 'ws/.claude/settings.json': settings('project'), 'ws/.claude/settings.local.json': settings('local'),
          'ws/.claude/agents/greet.md': front(`mcpServers:\n  - nested:\n      type: stdio\n      command: node\n      args: ["${SERVER}", "nested"]\n`),
        },
      }, ['never workspace_write'], { args });
      if (outcome === undefined) throw new Error(stderr);
      const [within, after] = outcome.operations.filter(({ name }) => name === 'Bash').map(({ output }) => output);
      const found = (output: string | undefined): string => ['author', 'plugin', 'skill', 'subagent', 'project', 'local', 'plugged', 'theirs', 'nested'].filter((what) => output?.includes(what)).join(' ');
      return [found(within), found(after)];
    };
    expect(await seen()).toEqual(['', '']);
    expect(await seen('--enable-mcp')).toEqual(['plugged theirs nested', 'plugged theirs']);
    expect((await seen('--enable-hooks'))[1]).toBe('author plugin skill subagent project local');
  });

  afterAll(async () => expect(await leftovers()).toEqual([]));
});
