import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leftovers, openProject, type TestProject } from '../support/project.js';

interface Line {
  readonly scenario_id: string;
  readonly passed: boolean;
  readonly failures: readonly string[];
  readonly event_types: readonly string[];
  readonly tool_invocations: number;
  readonly tool_failures: number;
}

const SMOKE = [
  '# three that need neither a key nor a CLI', '',
  '{"id":"hello","prompt":"Say hello from the configured fake model","profile":"fake","tags":["smoke"],"expected":{"assistant_contains":["Kairox"],"event_types":["UserMessageAdded","AssistantMessageCompleted"],"min_tool_invocations":0,"max_tool_failures":0}}',
  '{"id":"trace","prompt":"Say hello","profile":"fake","expected":{"event_types":["SessionInitialized","UserMessageAdded","AssistantMessageCompleted"]}}',
  '{"id":"files","prompt":"Say hello","profile":"fake","expected":{"workspace_files":[{"path":"examples/eval/smoke.jsonl","contains":["three that need"]},{"path":"seed.txt","contains":["seed"]}]}}',
].join('\n');

let project: TestProject;
beforeAll(async () => { project = await openProject({ 'examples/eval/smoke.jsonl': SMOKE, 'seed.txt': 'seed\n', 'one.jsonl': '{"id":"one","prompt":"go","profile":"fake"}\n' }); });
afterAll(() => project[Symbol.asyncDispose]());

async function lines(name: string): Promise<readonly Line[]> {
  return (await readFile(join(project.root, name), 'utf8')).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
}

describe('scenarios in real sandboxes', () => {
  it('run by the command that everybody knows', async () => {
    const { exitCode, stdout } = await project.niceeval(['scenarios', 'run', '--scenarios', 'examples/eval/smoke.jsonl', '--output', 'target/eval/results.jsonl', '--summary', 'target/eval/summary.json', '--workspace', '.']);
    const told = await lines('target/eval/results.jsonl');
    expect([exitCode, told.map(({ scenario_id: id, passed }) => [id, passed])]).toEqual([0, [['hello', true], ['trace', true], ['files', true]]]);
    expect(JSON.parse(stdout)).toMatchObject({ total: 3, passed: 3, failed: 0, success_rate: 1 });
    // They are Attempts like all others.
    const { stdout: shown } = await project.niceeval(['show', 'latest']);
    expect(shown).toContain('hello');
    expect(await leftovers()).toEqual([]);
  });

  const call = (tool: string, args: object): readonly string[] => ['--fake-emit-tool-call', '--fake-tool-id', tool, '--fake-tool-arguments', JSON.stringify(args)];
  const shell = (command: string): readonly string[] => call('shell.exec', { command });
  const DONE = { tool_invocations: 1, tool_failures: 0 };
  const FAILED = { tool_invocations: 1, tool_failures: 1 };
  const REFUSED = { tool_invocations: 0, tool_failures: 0, event_types: ['SessionInitialized', 'UserMessageAdded', 'ModelRequestStarted', 'ModelToolCallRequested', 'PermissionRequested', 'PermissionDenied', 'ModelRequestStarted', 'AssistantMessageCompleted', 'ModelUsageRecorded'] };

  it.each([
    ['read_only', 'on_request', shell('echo x > seed.txt'), FAILED],
    ['read_only', 'on_request', shell('cat seed.txt'), DONE],
    ['read_only', 'on_request', call('fs.write', { path: 'new.txt', content: 'x' }), REFUSED],
    ['read_only', 'never', call('fs.write', { path: 'new.txt', content: 'x' }), REFUSED],
    ['read_only', 'never', call('fs.write', { path: '/tmp/new.txt', content: 'x' }), DONE],
    ['workspace_write', 'on_request', call('fs.write', { path: 'a/new.txt', content: 'x' }), DONE],
    ['workspace_write', 'on_request', call('fs.write', { path: '../new.txt', content: 'x' }), REFUSED],
    ['workspace_write', 'never', shell('echo x > "$HOME/new.txt"'), FAILED],
    ['workspace_write', 'never', shell('ln -s "$HOME" way && echo x > way/new.txt'), FAILED],
    ['workspace_write', 'never', shell('getent hosts registry.npmjs.org'), FAILED],
    ['full_access', 'on_request', shell('echo x > "$HOME/new.txt"'), DONE],
    ['full_access', 'always', call('fs.list', { path: '.' }), REFUSED],
    ['full_access', 'never', call('fs.read', { path: 'nowhere' }), FAILED],
  ])('%s, %s: %j', async (sandbox, approval, tool, outcome) => {
    const { exitCode, stderr } = await project.niceeval(['scenarios', 'run', '--scenarios', 'one.jsonl', '--output', 'out/o.jsonl', '--summary', 'out/s.json', '--sandbox-policy', sandbox, '--approval-policy', approval, ...tool]);
    expect([exitCode, (await lines('out/o.jsonl'))[0]], stderr).toMatchObject([0, { passed: true, ...outcome }]);
  });

  it('leave nothing behind', async () => {
    expect(await leftovers()).toEqual([]);
  });
});
