import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lineOf, openProject, type TestProject } from '../support/project.js';

/** Runs on this machine, without an engine: the agent is ours. */
const HERE = ['--sandbox', 'local', '--sandbox-policy', 'full_access'] as const;
const scenario = (id: string, more: object = {}): string => `${JSON.stringify({ id, prompt: 'Say hello', profile: 'fake', ...more })}\n`;
const fails = { expected: { assistant_contains: ['text that never appears'] } };
const FILES = {
  'ok.jsonl': `# all pass\n${scenario('a', { tags: ['smoke'] })}\n${scenario('b', { tags: ['smoke', 'slow'] })}${scenario('c')}`,
  'fails.jsonl': scenario('first') + scenario('second', fails) + scenario('third'),
  'bad.jsonl': `${scenario('a')}\n{"id":"b","promt":"x"}\n`,
  'ws/seed.txt': 'seed\n',
};

const RESULT = { scenario_id: 'a', profile: 'fake', passed: true, failures: [], elapsed_ms: 1, event_types: [], tool_invocations: 0, tool_failures: 0, turns_count: 1, trajectory_actions: [], trajectory_step_count: 0 };

let project: TestProject;
beforeAll(async () => { project = await openProject(FILES); });
afterAll(() => project[Symbol.asyncDispose]());

const text = (name: string): Promise<string> => readFile(join(project.root, name), 'utf8');
const linesOf = async (name: string): Promise<readonly Readonly<Record<string, unknown>>[]> => (await text(name)).split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
const runs = (scenarios: string, ...args: readonly string[]) => project.niceeval(['scenarios', 'run', '--scenarios', scenarios, '--workspace', 'ws', ...HERE, ...args]);
const places = (name: string): readonly string[] => ['--output', `${name}.jsonl`, '--summary', `${name}-summary.json`];

describe('scenarios run', () => {
  it('writes a line for each in the order of the file, the summary to its file and to standard output, and nothing else there', async () => {
    const { exitCode, stdout, stderr } = await runs('ok.jsonl', '--output', 'deep/er/ok.jsonl', '--summary', 'deep/s.json', '--concurrency', '3');
    expect({ exitCode, stderr: /error|warning: (?!.*local)/i.exec(stderr) }).toEqual({ exitCode: 0, stderr: null });
    expect(await linesOf('deep/er/ok.jsonl')).toMatchObject(['a', 'b', 'c'].map((id) => ({
      scenario_id: id, profile: 'fake', passed: true, failures: [], assistant_response: 'hello from Kairox', tool_invocations: 0, tool_failures: 0, turns_count: 1, trajectory_actions: [], trajectory_step_count: 0,
      event_types: ['SessionInitialized', 'UserMessageAdded', 'ModelRequestStarted', 'AssistantMessageCompleted', 'ModelUsageRecorded'], mcp_enabled: false, hooks_enabled: false,
    })));
    const summary = JSON.parse(await text('deep/s.json')) as unknown;
    expect(summary).toMatchObject({ total: 3, passed: 3, failed: 0, success_rate: 1, total_tool_invocations: 0 });
    expect(JSON.parse(stdout)).toEqual(summary);
    expect(stdout).toBe(`${JSON.stringify(summary, null, 2)}`);
  });

  it('ends with 2 when one failed, and names what was expected and seen', async () => {
    const { exitCode } = await runs('fails.jsonl', ...places('two'));
    expect(exitCode).toBe(2);
    expect((await linesOf('two.jsonl')).map(({ scenario_id: id, passed, failures }) => [id, passed, failures])).toEqual([
      ['first', true, []], ['second', false, ['assistant_contains[0]: expected a reply that contains "text that never appears", saw "hello from Kairox"']], ['third', true, []],
    ]);
  });

  it('stops after the first that failed', async () => {
    const { exitCode } = await runs('fails.jsonl', ...places('fast'), '--fail-fast', '--concurrency', '1');
    expect([exitCode, (await linesOf('fast.jsonl')).map(({ scenario_id: id }) => id), JSON.parse(await text('fast-summary.json'))]).toMatchObject([2, ['first', 'second'], { total: 2, passed: 1, failed: 1, success_rate: 0.5 }]);
  });

  it.each([[['--tags', 'slow, none'], ['b']], [['--tag', 'smoke', '--exclude-tag', 'slow'], ['a']], [['--exclude-tag', 'smoke'], ['c']]])('filters by %j', async (args, ids) => {
    expect((await runs('ok.jsonl', ...places('tags'), ...args)).exitCode).toBe(0);
    expect((await linesOf('tags.jsonl')).map(({ scenario_id: id }) => id)).toEqual(ids);
  });

  it('writes nothing when no scenario is left', async () => {
    const { exitCode, stdout, stderr } = await runs('ok.jsonl', ...places('none'), '--tags', 'nobody');
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/No scenario of ok\.jsonl is left: none fits the tags/);
    await expect(text('none.jsonl')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('writes only result lines to standard output with --output -', async () => {
    const { exitCode, stdout, stderr } = await runs('fails.jsonl', '--output', '-', '--summary', 'dash.json');
    expect([exitCode, stdout.split('\n').map((line) => (JSON.parse(line) as { scenario_id: string }).scenario_id)]).toEqual([2, ['first', 'second', 'third']]);
    expect(stderr).toContain((await text('dash.json')).trim());
  });

  it('replaces what an earlier run left, and never adds to it', async () => {
    await runs('ok.jsonl', ...places('again'));
    await runs('ok.jsonl', ...places('again'), '--tags', 'slow');
    expect((await linesOf('again.jsonl')).map(({ scenario_id: id }) => id)).toEqual(['b']);
  });

  it('makes a report that can be compared, with the lines as they are', async () => {
    await runs('fails.jsonl', ...places('r1'), '--report', 'report1.json');
    const report = JSON.parse(await text('report1.json')) as { summary: unknown; results: unknown };
    expect([report.results, report.summary]).toEqual([await linesOf('r1.jsonl'), JSON.parse(await text('r1-summary.json'))]);
    await writeFile(join(project.root, 'ok2.jsonl'), scenario('first', fails) + scenario('second'));
    await runs('ok2.jsonl', ...places('r2'), '--report', 'report2.json');
    const { exitCode, stdout } = await project.niceeval(['scenarios', 'compare', '--baseline', 'report1.json', '--candidate', 'report2.json', '--output', 'cmp/out.json']);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([3, { regressions: expect.arrayContaining([{ scenario_id: 'first', kind: 'passed_to_failed' }]) as unknown, only_in_baseline: ['third'], only_in_candidate: [] }]);
    expect(JSON.parse(await text('cmp/out.json'))).toEqual(JSON.parse(stdout));
    expect((await project.niceeval(['scenarios', 'compare', '--baseline', 'report1.json', '--candidate', 'report1.json'])).exitCode).toBe(0);
  });

  it('has all events in a line with --include-trace', async () => {
    await runs('ok.jsonl', ...places('trace'), '--include-trace', '--tags', 'slow');
    expect(await linesOf('trace.jsonl')).toMatchObject([{ trace: [{ turn: 1, event: { type: 'message', role: 'user', text: 'Say hello' } }, { turn: 1, event: { type: 'message', role: 'assistant', text: 'hello from Kairox' } }] }]);
  });

  it('sends further messages in the same session, with a made-up history that is compacted', async () => {
    await writeFile(join(project.root, 'talk.jsonl'), scenario('long', { turns: ['And now?'], system_instructions: 'Be brief.', expected: { min_events_of_type: { ContextCompactionCompleted: 1, UserMessageAdded: 2, AssistantMessageCompleted: 2 }, max_turns: 2 } }));
    const { exitCode } = await runs('talk.jsonl', ...places('long'), '--seed-synthetic-pairs', '30', '--auto-compact-threshold', '0.5');
    expect([exitCode, (await linesOf('long.jsonl'))[0]]).toMatchObject([0, { passed: true, turns_count: 2, context_window: 4096, event_types: [
      'SessionInitialized', 'UserMessageAdded', 'ContextCompactionStarted', 'ContextCompactionCompleted', 'ModelRequestStarted', 'AssistantMessageCompleted', 'ModelUsageRecorded',
      'UserMessageAdded', 'ModelRequestStarted', 'AssistantMessageCompleted', 'ModelUsageRecorded',
    ] }]);
    expect((await runs('talk.jsonl', ...places('short'), '--seed-synthetic-pairs', '30')).exitCode).toBe(2);
  });

  it('really makes the tool call of the fake agent, and counts it', async () => {
    const call = (id: string, args: object): readonly string[] => ['--fake-emit-tool-call', '--fake-tool-id', id, '--fake-tool-arguments', JSON.stringify(args)];
    await writeFile(join(project.root, 'tool.jsonl'), scenario('t', { expected: { workspace_files: [{ path: 'new/file.txt', contains: ['made'] }], post_run_commands: [{ program: 'cat', args: ['file.txt'], cwd: 'new', stdout_contains: ['made'] }, { program: 'false', exit_code: 1 }] } }));
    const made = await runs('tool.jsonl', ...places('tool1'), ...call('fs.write', { path: 'new/file.txt', content: 'made' }), '--allow-post-run-commands');
    expect([made.exitCode, (await linesOf('tool1.jsonl'))[0]]).toMatchObject([0, { passed: true, tool_invocations: 1, trajectory_actions: ['fs.write'] }]);
    await expect(text('ws/new/file.txt')).rejects.toMatchObject({ code: 'ENOENT' }); // The workspace here is only read.
    const refused = await runs('tool.jsonl', ...places('tool2'), ...call('shell.exec', { command: 'mkdir new; printf made > new/file.txt; exit 3' }));
    const [line] = await linesOf('tool2.jsonl');
    expect([refused.exitCode, line]).toMatchObject([2, {
      tool_invocations: 1, tool_failures: 1, trajectory_actions: ['shell.exec'], trajectory_step_count: 1, failures: [
        'post_run_commands[0]: expected "cat" to be run, saw nothing that allows it: give --allow-post-run-commands', 'post_run_commands[1]: expected "false" to be run, saw nothing that allows it: give --allow-post-run-commands',
      ],
    }]);
  });

  it('makes a failed line of a scenario that takes too long, with what was seen until then', async () => {
    const slow = ['--fake-emit-tool-call', '--fake-tool-id', 'shell.exec', '--fake-tool-arguments', '{"command":"sleep 60"}'];
    await writeFile(join(project.root, 'one.jsonl'), scenario('slow'));
    const seen = { passed: false, event_types: ['SessionInitialized', 'UserMessageAdded', 'ModelRequestStarted', 'ModelToolCallRequested', 'ToolInvocationStarted', 'ModelUsageRecorded'], tool_invocations: 1 };
    const whole = await runs('one.jsonl', ...places('late'), ...slow, '--scenario-timeout-ms', '2500');
    expect([whole.exitCode, (await linesOf('late.jsonl'))[0]]).toMatchObject([2, { ...seen, failures: ['time: expected an end within 2500 ms (--scenario-timeout-ms), saw none'] }]);
    const answer = await runs('one.jsonl', ...places('late'), ...slow, '--wait-timeout-ms', '700');
    expect([answer.exitCode, (await linesOf('late.jsonl'))[0]]).toMatchObject([2, { ...seen, failures: [expect.stringMatching(/^time: expected an answer in time, saw none: .*--wait-timeout-ms/)] }]);
  });

  it.each([['SIGKILL'], ['SIGINT']] as const)('leaves whole lines behind when it is ended by %s', async (signal) => {
    await writeFile(join(project.root, 'many.jsonl'), Array.from({ length: 30 }, (_none, index) => scenario(`s${index}`)).join(''));
    await writeFile(join(project.root, 'cut-summary.json'), '{"of":"an earlier run"}');
    const started = runs('many.jsonl', ...places('cut'), '--include-trace', '--fake-emit-tool-call', '--fake-tool-id', 'shell.exec', '--fake-tool-arguments', JSON.stringify({ command: 'head -c 19000 /dev/zero | tr "\\0" x; sleep 0.1' }));
    await lineOf(started.stderr, '[3/30]');
    started.kill(signal);
    const { exitCode } = await started;
    const lines = await linesOf('cut.jsonl');
    expect(lines.length).toBeGreaterThanOrEqual(3);
    expect(lines.map(({ scenario_id: id }) => id)).toEqual(lines.map((_line, index) => `s${index}`));
    expect((await text('cut.jsonl')).endsWith('\n')).toBe(true);
    if (signal === 'SIGINT') expect(exitCode).toBe(130);
    // What an earlier run had told of is not taken for this one's.
    await expect(text('cut-summary.json')).rejects.toMatchObject({ code: 'ENOENT' });
    await project.niceeval(['clean', '--sandbox', 'local']);
  });

  it('runs as what the configuration says where a scenario does not', async () => {
    await using own = await openProject({ ...FILES, 'plain.jsonl': '{"id":"a","prompt":"p"}\n', 'niceeval.config.ts': "import { defineConfig } from 'niceeval';\nconsole.log('noise');\nexport default defineConfig({ defaultProfile: 'fake' });\n" });
    const { exitCode, stdout } = await own.niceeval(['scenarios', 'run', '--scenarios', 'plain.jsonl', '--workspace', 'ws', ...HERE, '--output', '-', '--summary', 's.json']);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([0, { scenario_id: 'a', profile: 'fake' }]);
  });
});

describe('what is refused before anything starts', () => {
  it.each<[string, readonly string[], RegExp]>([
    ['no file of scenarios', ['run', '--output', 'o', '--summary', 's'], /required option '--scenarios <file>'/],
    ['no summary', ['run', '--scenarios', 'ok.jsonl', '--output', 'o'], /required option '--summary <file>'/],
    ['an unknown option', ['run', '--scenarios', 'ok.jsonl', ...places('x'), '--fail-fats'], /unknown option '--fail-fats'/],
    ['a missing file', ['run', '--scenarios', 'none.jsonl', ...places('x')], /none\.jsonl cannot be read: ENOENT/],
    ['a folder', ['run', '--scenarios', 'ws', ...places('x')], /is a folder, and must be a file of scenarios/],
    ['a bad line', ['run', '--scenarios', 'bad.jsonl', ...places('x')], /bad\.jsonl:3: promt: there is no such field; did you mean "prompt"\?/],
    ['an unknown profile', ['run', '--scenarios', 'no-profile.jsonl', ...places('x'), '--profile', 'nobody'], /--profile nobody: there is no profile "nobody"; there are fake/],
    ['no profile', ['run', '--scenarios', 'no-profile.jsonl', ...places('x')], /no-profile\.jsonl:1: profile: it names no profile: give it one, or --profile, or `defaultProfile`/],
    ['an approval policy that is none', ['run', '--scenarios', 'ok.jsonl', ...places('x'), '--approval-policy', 'sometimes'], /--approval-policy sometimes means nothing: it must be never, on_request or always/],
    ['a sandbox policy that is none', ['run', '--scenarios', 'ok.jsonl', ...places('x'), '--sandbox-policy', '{"kind":1}'], /--sandbox-policy \{"kind":1\} means nothing/],
    ['a tool that the fake agent has not', ['run', '--scenarios', 'ok.jsonl', ...places('x'), '--fake-emit-tool-call', '--fake-tool-id', 'fs.remove'], /there is no tool "fs\.remove"; the fake agent has fs\.list, fs\.read, fs\.write, shell\.exec/],
    ['arguments that do not fit it', ['run', '--scenarios', 'ok.jsonl', ...places('x'), '--fake-emit-tool-call', '--fake-tool-id', 'fs.write'], /the arguments of fs\.write do not fit at "content"/],
    ['arguments that are no JSON', ['run', '--scenarios', 'ok.jsonl', ...places('x'), '--fake-emit-tool-call', '--fake-tool-arguments', '{'], /--fake-tool-arguments is no JSON/],
    ['a workspace that is none', ['run', '--scenarios', 'ok.jsonl', ...places('x'), '--workspace', 'ok.jsonl'], /--workspace ok\.jsonl is not a folder/],
    ['results over the scenarios', ['run', '--scenarios', 'ok.jsonl', '--output', 'ok.jsonl', '--summary', 's'], /--output and --scenarios are the same file/],
    ['results over the summary', ['run', '--scenarios', 'ok.jsonl', '--output', 'o', '--summary', './o'], /--summary and --output are the same file/],
    ['results in a folder', ['run', '--scenarios', 'ok.jsonl', '--output', 'ws', '--summary', 's'], /--output ws cannot be written: .*ws is a folder/],
    ['a threshold beyond all', ['run', '--scenarios', 'ok.jsonl', ...places('x'), '--auto-compact-threshold', '1.5'], /above 0, and 1 at the most/],
    ['a negative time', ['run', '--scenarios', 'ok.jsonl', ...places('x'), '--scenario-timeout-ms', '-5'], /whole number of at least 1/],
    ['a policy that this backend cannot keep', ['run', '--scenarios', 'ok.jsonl', ...places('x'), '--sandbox', 'local'], /--sandbox local cannot give the limits of what may be written .*say --sandbox-policy full_access/],
    ['a list of a bad file', ['list', '--scenarios', 'bad.jsonl'], /bad\.jsonl:3: promt/],
    ['a list in another format', ['list', '--scenarios', 'ok.jsonl', '--format', 'xml'], /Allowed choices are text, json/],
    ['a report that is missing', ['compare', '--baseline', 'none.json', '--candidate', 'none.json'], /The report none\.json cannot be read/],
    ['a report that is none', ['compare', '--baseline', 'ws/seed.txt', '--candidate', 'ws/seed.txt'], /ws\/seed\.txt is no JSON/],
    ['a report of something else', ['compare', '--baseline', 'other.json', '--candidate', 'other.json'], /other\.json is no report of scenarios: summary: it is missing\. Give a file/],
    ['a report with two results of one id', ['compare', '--baseline', 'twice.json', '--candidate', 'twice.json'], /twice\.json is no report of scenarios: results\[1\]\.scenario_id: it is also that of results\[0\]/],
    ['an unknown command', ['walk'], /unknown command 'walk'/],
  ])('%s', async (_what, args, told) => {
    await writeFile(join(project.root, 'no-profile.jsonl'), '{"id":"a","prompt":"p"}\n');
    await writeFile(join(project.root, 'other.json'), '{"results":[]}');
    await writeFile(join(project.root, 'twice.json'), JSON.stringify({ summary: { total: 0, passed: 0, failed: 0, success_rate: 0, total_elapsed_ms: 0, avg_elapsed_ms: 0, total_tool_invocations: 0, total_tool_failures: 0 }, results: [RESULT, RESULT] }));
    const { exitCode, stdout, stderr } = await project.niceeval(['scenarios', ...args]);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(told);
    await expect(text('x.jsonl')).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('results over the scenarios by another name', async () => {
    await mkdir(join(project.root, 'links'), { recursive: true });
    await symlink('../ok.jsonl', join(project.root, 'links/out.jsonl')).catch(() => undefined);
    const { exitCode, stderr } = await runs('ok.jsonl', '--output', 'links/out.jsonl', '--summary', 's');
    expect([exitCode, await text('ok.jsonl')]).toEqual([1, FILES['ok.jsonl']]);
    expect(stderr).toMatch(/--output and --scenarios are the same file/);
  });
});

describe('scenarios list', () => {
  it.each([
    [[], 'a\nb\nc'],
    [['--tags', 'slow'], 'b'],
    [['--tags', 'nobody'], ''],
    [['--tags', 'nobody', '--format', 'json'], '[]'],
    [['--exclude-tag', 'slow', '--format', 'json'], JSON.stringify(['a', 'c'], null, 2)],
  ])('%j', async (args, told) => {
    const { exitCode, stdout } = await project.niceeval(['scenarios', 'list', '--scenarios', 'ok.jsonl', ...args]);
    expect([exitCode, stdout]).toEqual([0, told]);
  });

  it('prints an id as it can be printed', async () => {
    await writeFile(join(project.root, 'odd.jsonl'), scenario('a\u001b[31m\n"&\''));
    const { stdout } = await project.niceeval(['scenarios', 'list', '--scenarios', 'odd.jsonl']);
    expect(stdout.split('\n')).toHaveLength(1);
    expect(stdout).not.toContain('\u001b');
  });

  it('validates every line and the profiles that are named', async () => {
    const good = await project.niceeval(['scenarios', 'list', '--scenarios', 'ok.jsonl', '--validate']);
    expect([good.exitCode, good.stdout, good.stderr]).toEqual([0, '', 'niceeval: 3 scenarios, all valid']);
    await writeFile(join(project.root, 'who.jsonl'), scenario('a') + scenario('b', { profile: 'who' }));
    const bad = await project.niceeval(['scenarios', 'list', '--scenarios', 'who.jsonl', '--validate']);
    expect([bad.exitCode, bad.stdout, bad.stderr]).toEqual([1, '', 'niceeval: who.jsonl:2: profile: there is no profile "who"; there are fake.']);
  });
});
