import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attemptFileSchema, changesFileSchema } from '../../src/record/schema.js';
import { leftovers, lineOf, openProject, type TestProject } from '../support/project.js';
import { startUpstreamModel, type UpstreamModel } from '../support/upstream-model.js';

const KEYS = { anthropic: 'sk-ant-real-key-of-this-test-0123456789', openai: 'sk-real-key-of-this-test-9876543210' };

/** What an agent can look at: its environment, that of every process, every file that it may read, and every address that it knows of. */
const LOOK = (port: number): string => [
  'env', 'cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"', 'cat ~/.codex/* ~/.claude.json ~/.claude/* 2>/dev/null',
  'grep -rlaE "real-key-of-this-test" / --exclude-dir=proc --exclude-dir=sys 2>/dev/null; echo "searched: $?"',
  `curl -sS --max-time 3 http://host.docker.internal:${port}/; echo "by name: $?"`, `for address in 172.17.0.1 10.213.0.1 10.214.0.1; do curl -sS --max-time 3 http://$address:${port}/; echo "by address: $?"; done`,
  'ip route; echo "routes told"',
].join('; ');

/** What comes out alike each time, but for dates, process numbers, names and the times that commands took. */
const WORK = 'pwd; date; hostname; echo "pid: $$"; ls -l; mktemp; sleep 0.2; env | grep -c niceeval';

const usage = (inputTokens: number, outputTokens: number): object => ({ usage: { inputTokens, outputTokens } });
const lanesOf = (tool: (command: string) => object, port: number): readonly object[] => [['look', LOOK(port)], ['work', WORK]].map(([name, command]) => ({
  name,
  when: { firstUserIncludes: `Please ${name!}` },
  turns: [
    { text: 'I begin.', toolCalls: [tool(command!)], ...usage(100, 10) },
    { toolCalls: [tool('echo done > result.txt')], ...usage(200, 20) },
    { text: 'It is done.', ...usage(300, 30) },
  ],
}));
const bash = (command: string): object => ({ name: 'Bash', input: { command, description: 'look' } });
const exec = (cmd: string): object => ({ name: 'exec_command', input: { cmd } });

const experiment = (agent: string, settings = ''): string => `import { defineExperiment, forward } from 'niceeval';
import { claudeCode, codex } from 'niceeval/adapter';
export default defineExperiment({ agent: ${agent}, timeoutMs: 90_000, ${settings} });
`;

const evalThat = (name: string): string => `import { defineEval } from 'niceeval';
import { includes } from 'niceeval/expect';
export default defineEval({ async test(t) {
  const turn = await t.send('Please ${name}, then write result.txt.');
  turn.succeeded();
  t.sandbox.fileChanged('result.txt', { status: 'added', after: includes('done') });
} });
`;

let upstream: UpstreamModel;
let project: TestProject;
let ran: { readonly exitCode: number | undefined; readonly stdout: string; readonly stderr: string };
let watched = '';

beforeAll(async () => {
  upstream = await startUpstreamModel();
  upstream.play(KEYS.anthropic, lanesOf(bash, upstream.port));
  upstream.play(KEYS.openai, lanesOf(exec, upstream.port));
  project = await openProject({
    'evals/look.eval.ts': evalThat('look'),
    'evals/work.eval.ts': evalThat('work'),
    'experiments/claude.ts': experiment('claudeCode()', "model: 'claude-sonnet-4-5'"),
    'experiments/codex.ts': experiment('codex()', "model: 'gpt-5', gateway: forward({ openai: { apiKey: { command: ['sh', '-c', 'echo $KEY_OF_TEST'] } } })"),
  });
  const running = project.niceeval(['run', '--concurrency', '2', '--json', '--record', 'tapes'], { env: { ANTHROPIC_API_KEY: KEYS.anthropic, KEY_OF_TEST: KEYS.openai, ANTHROPIC_BASE_URL: upstream.origin, OPENAI_BASE_URL: `${upstream.origin}/v1` } });
  await lineOf(running.stdout!, '"attempt.started"');
  // Until it has ended, everything that this machine tells of processes and containers is looked at.
  let isOver = false;
  void running.finally(() => { isOver = true; });
  while (!isOver) {
    const ids = (await execa('docker', ['ps', '-q', '--filter', 'label=niceeval.run'], { reject: false })).stdout.split('\n').filter((id) => id !== '');
    const [inspected, processes] = await Promise.all([execa('docker', ['inspect', ...ids], { reject: false }), execa('ps', ['-eo', 'args'], { reject: false })]);
    watched += `${inspected.stdout}\n${processes.stdout}\n`;
  }
  const { exitCode, stdout, stderr } = await running;
  ran = { exitCode, stdout: String(stdout), stderr: String(stderr) };
});
afterAll(async () => {
  await project[Symbol.asyncDispose]();
  expect(await leftovers()).toEqual([]);
});

/** Every byte below a folder, unpacked. */
async function everything(folder: string): Promise<string> {
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map(async (file) => { const bytes = await readFile(file); return `${file}\n${(file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')}`; }));
  return texts.join('\n');
}

describe('the real CLIs in containers, with a model service that wants a real key', () => {
  test('pass, and the service is asked as often as the record says', async () => {
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ exitCode: 0 });
    for (const agent of ['claude', 'codex']) {
      const attempt = attemptFileSchema.parse(await project.attemptFile('attempt.json', `look.${agent}`));
      expect([attempt.verdict, attempt.turns[0]?.usage?.inputTokens, attempt.gateway?.windows?.[0]]).toMatchObject(['passed', 600, { label: 'turn1', requests: 3, usage: { inputTokens: 600, outputTokens: 60 } }]);
    }
    expect(upstream.exchanges.filter(({ outcome }) => outcome === 'played').map(({ protocol }) => protocol).sort()).toEqual([...Array<string>(6).fill('anthropic-messages'), ...Array<string>(6).fill('openai-responses')]);
  });

  test('never see a key, nor does anything that is kept or told of them', async () => {
    const events = await everything(project.root);
    // The search itself went as far as it should.
    expect(events).toContain('ANTHROPIC_API_KEY=niceeval-');
    expect(events).toContain('searched: ');
    expect(watched).toContain('niceeval');
    for (const key of Object.values(KEYS)) {
      const secret = key.slice(0, -4);
      expect({ record: events.includes(secret), told: (ran.stdout + ran.stderr).includes(secret), machine: watched.includes(secret) }).toEqual({ record: false, told: false, machine: false });
    }
  });

  test('reach nothing but the gateway: not the service itself, not the machine', async () => {
    const events = await everything(await project.runFolder());
    expect(events).toContain('by name: 6');
    expect(events).toContain('by address: 7');
    expect(events).not.toContain('by address: 0');
    expect(events).toContain('routes told');
    expect(events).not.toContain('default via');
  });
});

test('each request is a span below its turn', async () => {
  const { stdout } = await project.niceeval(['show', `latest/${(await readdir(join(await project.runFolder(), 'attempts'))).find((name) => name.startsWith('work.codex'))!}`, '--trace', '--json']);
  const { spans } = JSON.parse(String(stdout)) as { spans: readonly { name: string; spanId: string; parentSpanId?: string; attributes: Record<string, unknown> }[] };
  const turn = spans.find(({ name }) => name === 'turn1');
  const requests = spans.filter(({ parentSpanId }) => parentSpanId === turn?.spanId);
  expect(requests.filter(({ name }) => name === 'chat gpt-5').map(({ attributes }) => [attributes['gen_ai.usage.input_tokens'], attributes['http.response.status_code'], attributes['gen_ai.provider.name']])).toEqual([[100, 200, 'openai'], [200, 200, 'openai'], [300, 200, 'openai']]);
});

describe('what a model service answered, replayed', () => {
  /** What an Attempt came to, without ids, times and what the machine decides. */
  async function outcome(agent: string): Promise<object> {
    const folder = await project.runFolder();
    const [attempt, claims, changes] = await Promise.all(['attempt.json', 'claims.json', 'changes.json'].map((file) => project.attemptFile(file, `work.${agent}`)));
    const { verdict, reasons, usage, turns, gateway } = attemptFileSchema.parse(attempt);
    const events = (await readFile(join(folder, 'attempts', (await readdir(join(folder, 'attempts'))).find((name) => name.startsWith(`work.${agent}`))!, 'events.jsonl'), 'utf8')).trimEnd().split('\n').map((line) => {
      const { event } = JSON.parse(line) as { event: { type: string; text?: string; name?: string; status?: string } };
      return [event.type, event.name, event.status, event.type === 'message' ? event.text : undefined];
    });
    // The CLI's own files below the home folder are named by its session and the time.
    const { net } = changesFileSchema.parse(changes).changes as { readonly net: readonly unknown[] };
    return { verdict, reasons, usage, status: turns.map(({ status }) => status), requests: gateway?.requests, claims, net, events };
  }

  test('gives the same events, changes, claims and verdict, twice in a row, without a key and without a service', async () => {
    const before = { claude: await outcome('claude'), codex: await outcome('codex') };
    await upstream[Symbol.asyncDispose]();
    const asked = upstream.exchanges.length;
    for (const _time of [1, 2]) {
      const { exitCode, stdout, stderr } = await project.niceeval(['run', 'work', '--concurrency', '2', '--replay', 'tapes'], { env: { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' } });
      expect(exitCode, `${String(stdout)}${String(stderr)}`).toBe(0);
      expect({ claude: await outcome('claude'), codex: await outcome('codex') }).toEqual(before);
    }
    expect(upstream.exchanges).toHaveLength(asked);
  });

  test('says where a request differs from the nearest that was recorded, and takes it for no failure of the agent', async () => {
    const file = join(project.root, 'evals/work.eval.ts');
    await writeFile(file, (await readFile(file, 'utf8')).replace('Please work', 'Please do work'));
    const { exitCode } = await project.niceeval(['run', 'work', '--experiment', 'codex', '--replay', 'tapes', '--retries', '0']);
    const { verdict, error, failure } = attemptFileSchema.parse(await project.attemptFile('attempt.json'));
    expect([exitCode, verdict, error?.code, failure]).toEqual([1, 'errored', 'cassette-lacks', { kind: 'harness', infrastructure: true }]);
    expect(error?.message).toMatch(/^No recorded answer for POST \/v1\/responses[^]*recorded: .*Please work, then write[^]*now: .*Please do work, then write/);
  });
});

test('a key that is missing is told before anything begins', async () => {
  const { exitCode, stderr } = await project.niceeval(['run', '--experiment', 'claude'], { env: { ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: '', CLAUDE_CODE_OAUTH_TOKEN: '' } });
  expect([exitCode, String(stderr)]).toEqual([2, expect.stringContaining('claude: there is no key for the model of "claude-code". Set ANTHROPIC_API_KEY')]);
});
