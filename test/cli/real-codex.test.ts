import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leftovers } from '../support/project.js';
import { ask, end, hear, say, start } from '../support/told-events.js';
import { runScripted, told, type ScriptedCase, type ScriptedOutcome } from '../support/scripted-run.js';
import { TINY_HTTP_SERVER, TINY_PNG, TINY_SERVER } from '../support/tiny.js';

const shell = (cmd: string, more: object = {}): object => ({ name: 'exec_command', input: { cmd, ...more } });
const used = (inputTokens: number, outputTokens: number): object => ({ usage: { inputTokens, outputTokens } });
const question = { id: 'colour', header: 'Colour', question: 'Which colour?', options: [{ label: 'Red', description: 'warm' }, { label: 'Blue', description: 'cold' }] };

const CASES: Readonly<Record<string, ScriptedCase>> = {
  parallel: {
    agent: 'codex()',
    turns: [{ toolCalls: [shell('sleep 0.8; echo slow'), shell('echo fast')], ...used(100, 10) }, { text: 'Both ran.', ...used(200, 20) }],
    test: `(await t.send('Run both')).succeeded();
      t.calledTool(toolMatch('shell', { status: 'completed' }), { count: 2 });`,
  },
  failing: {
    agent: 'codex()',
    turns: [{ toolCalls: [shell('echo broken >&2; exit 3')] }, { text: 'It failed.' }],
    test: `(await t.send('Try')).succeeded();
      t.calledTool(toolMatch('shell', { status: 'failed' }));`,
  },
  refused: {
    agent: `codex({ sandboxMode: 'workspace-write' })`,
    turns: [{ toolCalls: [shell('touch /opt/never.txt', { sandbox_permissions: 'require_escalated', justification: 'May I?' })] }, { text: 'I may not.' }],
    test: `(await t.send('Touch')).succeeded();
      t.calledTool(toolMatch('shell', { status: 'rejected' }));
      t.sandbox.noChanges();`,
  },
  approval: {
    agent: `codex({ approvalPolicy: 'on-request', sandboxMode: 'workspace-write' })`,
    turns: [
      { toolCalls: [shell('echo no > no.txt', { sandbox_permissions: 'require_escalated', justification: 'May I write no?' })], ...used(100, 10) },
      { toolCalls: [shell('echo yes > yes.txt', { sandbox_permissions: 'require_escalated', justification: 'May I write yes?' })], ...used(200, 20) },
      { text: 'One of two.', ...used(300, 30) },
    ],
    test: `await t.send('Write both');
      const first = t.requireInputRequest({ action: 'command_execution', prompt: /write no/, optionIds: ['approve', 'deny'] });
      const second = await t.respond({ request: first, optionId: 'deny' });
      t.check(second.status, equals('waiting'));
      t.requireInputRequest({ prompt: /write yes/ });
      (await t.respondAll('approve')).succeeded();
      t.succeeded();
      t.sandbox.changedPaths(['yes.txt']);`,
  },
  question: {
    agent: 'codex({ askUser: true })',
    turns: [
      { text: 'I need to know.', toolCalls: [{ name: 'request_user_input', input: { questions: [question] } }], ...used(100, 10) },
      { toolCalls: [shell('echo blue > paint.txt')], ...used(200, 20) },
      { text: 'Blue it is.', ...used(300, 30) },
      { text: 'Still blue.', ...used(400, 40) },
    ],
    test: `const turn = await t.send('Paint it');
      t.check(turn.status, equals('waiting'));
      const request = t.requireInputRequest({ prompt: 'Which colour?', optionIds: ['Blue', 'Red'] });
      await t.sandbox.writeText('note.txt', 'of the eval');
      (await t.respond({ request, text: 'Blue, a deep one' })).succeeded();
      const resumed = await t.send('And now?');
      resumed.succeeded();
      t.check(resumed.message, equals('Still blue.'));
      t.sandbox.changedPaths(['paint.txt']);`,
  },
  questions: {
    agent: 'codex({ askUser: true })',
    turns: [{ toolCalls: [{ name: 'request_user_input', input: { questions: [question, { id: 'size', header: 'Size', question: 'Which size?', options: [{ label: 'Small', description: 's' }, { label: 'Large', description: 'l' }] }] } }] }, { text: 'Thanks.' }],
    test: `await t.send('Ask twice');
      const colour = t.requireInputRequest({ prompt: 'Which colour?' });
      const size = t.requireInputRequest({ prompt: 'Which size?' });
      (await t.respond({ request: size, optionId: 'Large' }, { request: colour, text: 'Green' })).succeeded();`,
  },
  patch: {
    agent: `codex({ approvalPolicy: 'on-request', sandboxMode: 'read-only' })`,
    turns: [{ toolCalls: [{ name: 'apply_patch', input: '*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch' }], ...used(100, 10) }, { text: 'Added.', ...used(200, 20) }],
    test: `await t.send('Add a file');
      t.requireInputRequest({ action: 'file_change' });
      t.calledTool('file_write', { count: 1 });
      (await t.respondAll('approve')).succeeded();
      t.calledTool(toolMatch('file_write', { status: 'completed' }), { count: 1 });
      t.sandbox.changedPaths(['new.txt']);`,
  },
  hooks: {
    agent: `codex({ hooksFile: '../hooks.json' })`,
    turns: [{ toolCalls: [shell('echo one')] }, { text: 'Done.' }],
    test: `(await t.send('Go')).succeeded();
      t.check(await t.sandbox.readText('hooked.txt'), equals('hooked\\n'));`,
  },
  unanswered: {
    agent: 'codex({ askUser: true })',
    turns: [{ toolCalls: [{ name: 'request_user_input', input: { questions: [question] } }] }],
    test: `(await t.send('Go')).succeeded();`,
  },
  'app-server': {
    agent: `codex({ transport: 'app-server' })`,
    turns: [{ toolCalls: [shell('echo one')], ...used(100, 10) }, { text: 'One.', ...used(200, 20) }, { text: 'Two.', ...used(300, 30) }],
    test: `(await t.send('First')).succeeded();
      (await t.send('Second')).succeeded();`,
  },
  resume: {
    agent: 'codex()',
    turns: [{ text: 'One.', ...used(100, 10) }, { text: 'Two.', ...used(200, 20) }, { text: 'Other.', ...used(300, 30) }],
    test: `(await t.send('First')).succeeded();
      (await t.send('Second')).succeeded();
      const other = t.newSession();
      (await other.send('Third')).succeeded();
      t.check(other.sessionId === t.sessionId, equals(false));`,
  },
  subagent: {
    agent: 'codex()',
    lanes: [
      { name: 'child', when: { firstUserIncludes: 'Task name: /root/look_at_a' }, turns: [{ toolCalls: [shell('echo nested')], ...used(31, 21) }, { text: 'A is fine.', ...used(33, 23) }] },
      { name: 'main', turns: [
        { toolCalls: [{ name: 'spawn_agent', input: { task_name: 'look_at_a', message: 'SUBTASK-A: look', fork_turns: 'none' } }], ...used(101, 51) },
        { toolCalls: [{ name: 'wait_agent', input: { timeout_ms: 10_000 } }], ...used(102, 52) },
        { text: 'The helper says A is fine.', ...used(103, 53) },
      ] },
    ],
    test: `(await t.send('Delegate')).succeeded();`,
  },
  skill: {
    agent: `codex({ skills: [{ kind: 'local', path: '../skills/greet' }] })`,
    turns: [{ text: 'Hello Bob!' }],
    test: `(await t.send('$greet Bob')).succeeded();`,
  },
  mcp: {
    agent: `codex({ mcpServers: [{ name: 'tiny', command: 'node', args: ['/home/agent/workspace/tiny.mjs'], env: { TINY_GREETING: 'hi' } }] })`,
    turns: [{ toolCalls: [{ name: 'mcp__tiny__add', input: { a: 20, b: 22 } }, { name: 'mcp__tiny__fail', input: { why: 'on purpose' } }, { name: 'mcp__tiny__greeting', input: {} }] }, { text: '42.' }],
    test: `await t.sandbox.uploadFile('../tiny.mjs', 'tiny.mjs');
      (await t.send('Add')).succeeded();`,
  },
  'mcp-http': {
    agent: `codex({ mcpServers: [{ name: 'web', url: 'http://127.0.0.1:4321/mcp', headers: { 'X-Token': 'very-secret-token' } }] })`,
    turns: [{ toolCalls: [{ name: 'mcp__web__whoami', input: {} }] }, { text: 'Known.' }],
    test: `await t.sandbox.uploadFile('../web.mjs', 'web.mjs');
      await t.sandbox.runShellOrThrow('node web.mjs > web.log 2>&1 & until grep -q listening web.log; do sleep 0.1; done');
      (await t.send('Who am I?')).succeeded();
      t.check(await t.sandbox.runCommand('pgrep', ['-f', 'web.mjs']).then(({ exitCode }) => exitCode), equals(0));`,
  },
  secret: {
    agent: `codex({ sensitiveValues: ['pa"ss wörd-4712'] })`,
    turns: [{ text: 'It is pa"ss wörd-4712.', toolCalls: [shell('echo \'pa"ss wörd-4712\'')] }, { text: 'Said.' }],
    test: `(await t.send('Remember pa"ss wörd-4712')).succeeded();
      t.check(t.reply, equals('Said.'));
      t.calledTool(toolMatch('shell'), { count: 1 });`,
  },
  'mcp-missing': {
    agent: `codex({ mcpServers: [{ name: 'gone', command: '/nowhere/server' }] })`,
    turns: [{ text: 'Never asked.' }],
    test: `(await t.send('Add')).succeeded();`,
  },
  compaction: {
    agent: `codex({ args: ['-c', 'model_auto_compact_token_limit=20000'] })`,
    turns: [{ toolCalls: [shell('echo first')], ...used(30_000, 40) }, { toolCalls: [shell('echo second')], ...used(15_000, 40) }, { text: 'After it.', ...used(16_000, 10) }],
    test: `(await t.send('Start')).succeeded();`,
  },
  killed: {
    agent: 'codex()',
    turns: [{ text: 'Now.', toolCalls: [shell('echo begun > begun.txt; pkill -9 -x codex; sleep 5')] }, { text: 'Never said.' }],
    test: `(await t.send('Go')).succeeded();`,
  },
  overloaded: {
    agent: 'codex()',
    turns: [{ error: { status: 529 } }, { text: 'Better late.', ...used(70, 7) }],
    test: `(await t.send('Go')).succeeded();`,
  },
  structured: {
    agent: 'codex()',
    turns: [{ text: '{"answer":42}' }],
    test: `const turn = await t.send({ text: 'What is it?', schema: { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'], additionalProperties: false } });
      turn.succeeded();
      t.check(turn.data, equals({ answer: 42 }));`,
  },
  unstructured: {
    agent: 'codex()',
    turns: [{ text: '{"answer":"many"}' }],
    test: `const turn = await t.send({ text: 'What is it?', schema: { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'], additionalProperties: false } });
      t.check(turn.data, equals({ answer: 'many' }));
      turn.succeeded();`,
  },
  prompts: {
    agent: `codex({ systemPrompt: 'You are a parrot named Polly.', instructionsFile: '../instructions.md' })`,
    lanes: [{ name: 'told', when: { systemIncludes: 'a parrot named Polly', firstUserIncludes: 'Rule seven: whistle.' }, turns: [{ text: 'Whistles.' }] }, { name: 'not told', turns: [{ text: 'Silence.' }] }],
    test: `t.check((await t.send('Sing')).message, equals('Whistles.'));`,
  },
  settings: {
    agent: `codex({ appendSystemPrompt: 'Whisper, always. "Quoted" \\\\ and ü.', configFile: '../config.toml', env: (flags) => ({ SHOWN: String(flags.shown) }) })`,
    settings: `flags: { shown: 'by flag' },`,
    lanes: [{ name: 'told', when: { systemIncludes: 'Whisper, always. "Quoted" \\ and ü.' }, turns: [{ toolCalls: [shell('echo "$SHOWN" "$CONFIGURED" > shown.txt')] }, { text: 'psst' }] }, { name: 'not told', turns: [{ text: 'LOUD' }] }],
    test: `t.check((await t.send('Speak')).message, equals('psst'));
      t.check(await t.sandbox.readText('shown.txt'), equals('by flag by config\\n'));`,
  },
  image: {
    agent: 'codex()',
    lanes: [{ name: 'seen', when: { hasImage: true }, turns: [{ text: 'A dot.' }] }, { name: 'unseen', turns: [{ text: 'Nothing.' }] }],
    test: `t.check((await t.sendFile('../dot.png', 'What is it?')).message, equals('A dot.'));`,
  },
  unshowable: {
    agent: 'codex()',
    turns: [{ text: 'Never asked.' }],
    test: `await t.send({ text: 'Read', files: [{ name: 'paper.pdf', mediaType: 'application/pdf', data: 'AAAA' }] });`,
  },
};

const FILES = {
  'tiny.mjs': TINY_SERVER,
  'web.mjs': TINY_HTTP_SERVER,
  'dot.png': TINY_PNG,
  'instructions.md': 'Rule seven: whistle.\n',
  'hooks.json': JSON.stringify({ hooks: { PreToolUse: [{ matcher: '.*', hooks: [{ type: 'command', command: 'echo hooked >> /home/agent/workspace/hooked.txt' }] }] } }),
  'config.toml': '[shell_environment_policy.set]\nCONFIGURED = "by config"\n',
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets somebody by name\n---\nGreet warmly.\n',
};

describe('the real Codex CLI in containers', () => {
  let run: Awaited<ReturnType<typeof runScripted>>;
  beforeAll(async () => { run = await runScripted(CASES, FILES); }, 420_000);
  afterAll(() => run[Symbol.asyncDispose]());

  const of = (name: string): ScriptedOutcome => run.of(name);

  const startShell = (id: string, command: string): object => start(id, 'command_execution', 'shell', { command });

  it.each(['parallel', 'failing', 'refused', 'approval', 'question', 'questions', 'patch', 'hooks', 'app-server', 'resume', 'subagent', 'skill', 'mcp', 'mcp-http', 'secret', 'compaction', 'overloaded', 'structured', 'prompts', 'settings', 'image'])('passes "%s" with every claim matched', (name) => {
    const { attempt, claims } = of(name);
    expect({ verdict: attempt.verdict, reasons: attempt.reasons, diagnostics: attempt.diagnostics }).toEqual({ verdict: 'passed', reasons: [], diagnostics: [] });
    expect(claims.filter(({ state }) => state !== 'matched')).toEqual([]);
    // Every turn that ran to its end was seen whole.
    expect(attempt.turns.map(({ coverage }) => Object.values(coverage).map(({ status }) => status))).toEqual(attempt.turns.map(() => Array.from({ length: 6 }, () => 'complete')));
  });

  it('leaves nothing behind', async () => {
    expect(await leftovers()).toEqual([]);
  });

  it('tells parallel tools in the order in which they ended', () => {
    expect(told(of('parallel').events(1))).toEqual([
      hear('Run both'), startShell('#1', 'sleep 0.8; echo slow'), startShell('#2', 'echo fast'),
      end('#2', 'completed', { output: 'fast\n', exitCode: 0 }), end('#1', 'completed', { output: 'slow\n', exitCode: 0 }), say('Both ran.'),
    ]);
  });

  it('tells a failed tool by its exit code, and a refused one as rejected', () => {
    expect(told(of('failing').events(1)).at(-2)).toEqual(end('#1', 'failed', { output: 'broken\n', exitCode: 3 }));
    expect(told(of('refused').events(1)).slice(1, 3)).toEqual([
      startShell('#1', 'touch /opt/never.txt'),
      end('#1', 'rejected', { output: 'approval policy is Never; reject command — you cannot ask for escalated permissions if the approval policy is Never' }),
    ]);
  });

  it('asks before it leaves its sandbox where a person may refuse, and tells both answers', () => {
    const { attempt, events, changes } = of('approval');
    const options = [{ id: 'approve', label: 'Approve' }, { id: 'deny', label: 'Deny' }];
    const asked = (word: string): object => ask({ action: 'command_execution', input: { command: `/bin/bash -lc 'echo ${word} > ${word}.txt'`, cwd: '/home/agent/workspace' }, prompt: `May I write ${word}?`, options });
    expect(attempt.turns.map(({ status, usage }) => [status, usage?.inputTokens, usage?.outputTokens])).toEqual([['waiting', 100, 10], ['waiting', 200, 20], ['completed', 300, 30]]);
    expect(told(events(1))).toEqual([hear('Write both'), startShell('#1', 'echo no > no.txt'), asked('no')]);
    expect(told(events(2))).toEqual([
      hear('Deny'), end('#1', 'rejected', { output: 'exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }' }), startShell('#2', 'echo yes > yes.txt'), asked('yes'),
    ]);
    expect(told(events(3))).toEqual([hear('Approve'), end('#1', 'completed', { output: '', exitCode: 0 }), say('One of two.')]);
    if (changes.state !== 'available') throw new Error(changes.reason);
    expect(changes.windows.map(({ label, changes: files, flags }) => [label, files.map(({ path }) => path), flags])).toEqual([['turn1', [], ['waiting']], ['turn2', [], ['waiting']], ['turn3', ['yes.txt'], []]]);
  });

  it('stops for a question, goes on with an answer in words and resumes the conversation', () => {
    const { attempt, events, raw } = of('question');
    expect(attempt.turns.map(({ status, usage }) => [status, usage?.inputTokens, usage?.outputTokens])).toEqual([['waiting', 100, 10], ['completed', 500, 50], ['completed', 400, 40]]);
    expect(told(events(1))).toEqual([
      hear('Paint it'), say('I need to know.'), start('#1', 'request_user_input', 'unknown', { questions: [question] }),
      ask({ action: 'request_user_input', prompt: 'Which colour?', options: [{ id: 'Red', label: 'Red' }, { id: 'Blue', label: 'Blue' }] }),
    ]);
    expect(told(events(2))).toEqual([
      hear('Blue, a deep one'), end('#1', 'completed', { output: '{"answers":{"colour":{"answers":["Blue, a deep one"]}}}' }),
      startShell('#2', 'echo blue > paint.txt'), end('#2', 'completed', { output: '', exitCode: 0 }), say('Blue it is.'),
    ]);
    expect(told(events(3))).toEqual([hear('And now?'), say('Still blue.')]);
    expect(raw.filter((name) => name.endsWith('stdout.jsonl'))).toEqual(['session1-turn1-stdout.jsonl', 'session1-turn3-stdout.jsonl']);
    expect(raw.filter((name) => /^files\/sessions\/.*\/rollout-.*\.jsonl$/.test(name))).toHaveLength(1);
  });

  it('asks several questions at once, and takes their answers in any order', () => {
    const [words, answer] = told(of('questions').events(2));
    expect(words).toEqual(hear('Which size? Large\nWhich colour? Green'));
    // The CLI writes them down in an order of its own.
    expect(JSON.parse((answer as { readonly output: string }).output)).toEqual({ answers: { size: { answers: ['Large'] }, colour: { answers: ['Green'] } } });
  });

  it('does not succeed while a question stands', () => {
    const { attempt } = of('unanswered');
    expect([attempt.verdict, attempt.reasons]).toEqual(['failed', ['turn 1 succeeded: expected completed, received waiting for a person']]);
  });

  it('is the same over both transports, turn by turn', () => {
    expect(told(of('app-server').events(1))).toEqual([hear('First'), startShell('#1', 'echo one'), end('#1', 'completed', { output: 'one\n', exitCode: 0 }), say('One.')]);
    expect(of('app-server').attempt.turns.map(({ usage }) => [usage?.inputTokens, usage?.outputTokens])).toEqual([[300, 30], [300, 30]]);
    expect(of('resume').attempt.turns.map(({ session, usage }) => [session, usage?.inputTokens, usage?.outputTokens])).toEqual([[1, 100, 10], [1, 200, 20], [2, 300, 30]]);
  });

  it('tells a subagent with the tools inside it, and counts its tokens', () => {
    const { attempt, events } = of('subagent');
    const seen = told(events(1));
    expect(seen[1]).toEqual({ type: 'operation.started', operationId: '#1', operation: { kind: 'subagent', name: 'look_at_a' } });
    const nested = seen.filter((event) => (event as { parentOperationId?: string }).parentOperationId === '#1') as { readonly operationId?: string }[];
    const id = nested[0]?.operationId ?? '';
    expect(nested).toEqual([
      { ...startShell(id, 'echo nested'), parentOperationId: '#1' }, { ...end(id, 'completed', { output: 'nested\n', exitCode: 0 }), parentOperationId: '#1' }, { ...say('A is fine.'), parentOperationId: '#1' },
    ]);
    expect(seen.filter((event) => (event as { kind?: string }).kind === 'subagent')).toEqual([{ type: 'operation.finished', operationId: '#1', kind: 'subagent', output: 'A is fine.', status: 'completed' }]);
    expect(attempt.turns[0]?.usage).toMatchObject({ inputTokens: 101 + 102 + 103 + 31 + 33, outputTokens: 51 + 52 + 53 + 21 + 23 });
  });

  it('loads a skill that the experiment gives', () => {
    expect(told(of('skill').events(1))).toEqual([hear('$greet Bob'), { type: 'skill.loaded', skill: 'greet' }, say('Hello Bob!')]);
  });

  it('reaches tool servers, and asks nothing when one is missing', () => {
    const ends = told(of('mcp').events(1)).filter((event) => (event as { type: string }).type === 'operation.finished');
    expect(ends).toEqual([end('#1', 'completed', { output: '42' }), end('#2', 'failed', { output: 'failed on purpose' }), end('#3', 'completed', { output: 'hi' })]);
    const { attempt } = of('mcp-missing');
    expect([attempt.verdict, attempt.error?.code, attempt.gateway?.requests]).toEqual(['errored', 'agent-send-failed', 0]);
    expect(attempt.error?.message).toContain('required MCP servers failed to initialize: gone');
  });

  it('keeps what is sent to a tool server out of every record', async () => {
    const { events, raw, readRaw } = of('mcp-http');
    expect(told(events(1)).filter((event) => (event as { type: string }).type === 'operation.finished')).toEqual([end('#1', 'completed', { output: 'you are [redacted]' })]);
    const records = await Promise.all(raw.map(async (name) => [name, (await readRaw(name)).includes('very-secret-token')] as const));
    expect(records.filter(([, holds]) => holds)).toEqual([]);
  });

  it('keeps sensitive values out of all that is told', async () => {
    const { attempt, claims, changes, events, raw, readRaw } = of('secret');
    expect(JSON.stringify([attempt, claims, changes, events(1)])).not.toMatch(/4712/);
    expect(told(events(1)).slice(0, 2)).toEqual([hear('Remember [redacted]'), say('It is [redacted].')]);
    const records = await Promise.all(raw.map(async (name) => [name, (await readRaw(name)).includes('4712')] as const));
    expect(records.filter(([, holds]) => holds)).toEqual([]);
  });

  it('tells a compaction with its reason, and pays for it', () => {
    const { attempt, events } = of('compaction');
    expect(told(events(1)).filter((event) => (event as { type: string }).type === 'compaction')).toMatchObject([{ reason: 'auto' }]);
    // The scripted gateway charges one token each way for a compaction.
    expect(attempt.turns[0]?.usage).toMatchObject({ inputTokens: 30_000 + 1 + 15_000 + 16_000, outputTokens: 40 + 1 + 40 + 10 });
  });

  it('never takes a killed CLI for a success', () => {
    const { attempt, events } = of('killed');
    expect([attempt.verdict, attempt.error?.code, attempt.turns[0]?.failure?.kind]).toEqual(['errored', 'agent-send-failed', 'no-end']);
    expect(attempt.turns[0]?.coverage.status.status).not.toBe('complete');
    expect(told(events(1))).toEqual([hear('Go'), say('Now.'), startShell('#1', 'echo begun > begun.txt; pkill -9 -x codex; sleep 5')]);
  });

  it('gets over an overloaded model', () => {
    const { attempt, events } = of('overloaded');
    // Codex repeats a refused request without a word.
    expect(told(events(1))).toEqual([hear('Go'), say('Better late.')]);
    expect([attempt.gateway?.requests, attempt.turns[0]?.usage?.inputTokens, attempt.turns[0]?.usage?.outputTokens]).toEqual([2, 70, 7]);
  });

  it('fails a product that does not fit its schema, and shows it', () => {
    const { attempt } = of('unstructured');
    expect([attempt.verdict, attempt.reasons, attempt.turns[0]?.data]).toEqual([
      'failed', ['turn 1 succeeded: expected completed, received failed: the structured output does not fit its schema: /answer must be integer'], { answer: 'many' },
    ]);
  });

  it('asks nothing about a file that cannot be shown', () => {
    expect([of('unshowable').attempt.verdict, of('unshowable').attempt.error?.code, of('unshowable').attempt.gateway?.requests]).toEqual(['errored', 'agent-input', 0]);
  });
});
