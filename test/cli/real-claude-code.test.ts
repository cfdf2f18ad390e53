import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leftovers } from '../support/project.js';
import { ask, end, hear, say, start } from '../support/told-events.js';
import { runScripted, told, type ScriptedCase, type ScriptedOutcome } from '../support/scripted-run.js';
import { TINY_HTTP_SERVER, TINY_PNG, TINY_SERVER } from '../support/tiny.js';

const bash = (command: string, more: object = {}): object => ({ name: 'Bash', input: { command, description: 'Run a command', ...more } });
const used = (inputTokens: number, outputTokens: number): object => ({ usage: { inputTokens, outputTokens } });

const CASES: Readonly<Record<string, ScriptedCase>> = {
  parallel: {
    agent: 'claudeCode()',
    turns: [{ toolCalls: [bash('sleep 0.5; echo slow'), bash('echo fast')], ...used(100, 10) }, { text: 'Both ran.', ...used(200, 20) }],
    test: `(await t.send('Run both')).succeeded();
      t.calledTool(toolMatch('shell', { status: 'completed' }), { count: 2 });`,
  },
  failing: {
    agent: 'claudeCode()',
    turns: [{ toolCalls: [bash('echo broken >&2; exit 3')] }, { text: 'It failed.' }],
    test: `(await t.send('Try')).succeeded();
      t.calledTool(toolMatch('Bash', { status: 'failed' }));`,
  },
  refused: {
    agent: `claudeCode({ permissionMode: 'dontAsk' })`,
    turns: [{ toolCalls: [bash('touch never.txt')] }, { text: 'I may not.' }],
    test: `(await t.send('Touch')).succeeded();
      t.calledTool(toolMatch('Bash', { status: 'rejected' }));
      t.sandbox.noChanges();`,
  },
  disallowed: {
    agent: `claudeCode({ disallowedTools: ['Bash'] })`,
    turns: [{ toolCalls: [bash('touch never.txt')] }, { text: 'There is no Bash.' }],
    test: `(await t.send('Touch')).succeeded();
      t.calledTool(toolMatch('Bash', { status: 'rejected' }));
      t.sandbox.noChanges();`,
  },
  approval: {
    agent: `claudeCode({ permissionMode: 'default' })`,
    turns: [
      { toolCalls: [{ name: 'Write', input: { file_path: '/home/agent/workspace/no.txt', content: 'no' } }], ...used(100, 10) },
      { toolCalls: [{ name: 'Write', input: { file_path: '/home/agent/workspace/yes.txt', content: 'yes' } }], ...used(200, 20) },
      { text: 'One of two.', ...used(300, 30) },
    ],
    test: `await t.send('Write both');
      const first = t.requireInputRequest({ action: 'Write', input: { file_path: /no\\.txt$/ }, optionIds: ['approve', 'deny'] });
      const second = await t.respond({ request: first, optionId: 'deny' });
      t.check(second.status, equals('waiting'));
      t.requireInputRequest({ action: /^Wr/, input: { file_path: /yes\\.txt$/ } });
      (await t.respondAll('approve')).succeeded();
      t.succeeded();
      t.sandbox.changedPaths(['yes.txt']);`,
  },
  question: {
    agent: 'claudeCode()',
    turns: [
      { text: 'I need to know.', toolCalls: [{ name: 'AskUserQuestion', input: { questions: [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue', description: 'Cold' }] }] } }], ...used(100, 10) },
      { toolCalls: [bash('echo blue > paint.txt')], ...used(200, 20) },
      { text: 'Blue it is.', ...used(300, 30) },
      { text: 'Still blue.', ...used(400, 40) },
    ],
    test: `const turn = await t.send('Paint it');
      t.check(turn.status, equals('waiting'));
      const request = t.requireInputRequest({ prompt: 'Which colour?', optionIds: ['Blue', 'Red'] });
      await t.sandbox.writeText('note.txt', 'of the eval');
      const answered = await t.respond('Blue');
      answered.succeeded();
      t.check(request.action, equals('AskUserQuestion'));
      const resumed = await t.send('And now?');
      resumed.succeeded();
      t.check(resumed.message, equals('Still blue.'));
      t.sandbox.changedPaths(['paint.txt']);`,
  },
  questions: {
    agent: 'claudeCode()',
    turns: [{ toolCalls: [{ name: 'AskUserQuestion', input: { questions: [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue', description: 'Cold' }] }, { question: 'Which size?', header: 'Size', multiSelect: false, options: [{ label: 'Small', description: 's' }, { label: 'Large', description: 'l' }] }] } }] }, { text: 'Thanks.' }],
    test: `await t.send('Ask twice');
      const colour = t.requireInputRequest({ prompt: 'Which colour?' });
      const size = t.requireInputRequest({ prompt: 'Which size?' });
      (await t.respond({ request: size, optionId: 'Large' }, { request: colour, text: 'Green' })).succeeded();`,
  },
  unanswered: {
    agent: 'claudeCode()',
    turns: [{ toolCalls: [{ name: 'AskUserQuestion', input: { questions: [{ question: 'Which?', header: 'H', multiSelect: false, options: [{ label: 'A', description: 'a' }, { label: 'B', description: 'b' }] }] } }] }],
    test: `(await t.send('Go')).succeeded();`,
  },
  subagent: {
    agent: 'claudeCode()',
    lanes: [
      { name: 'helper', when: { firstUserIncludes: 'SUBTASK-A' }, turns: [{ text: 'Nested start.', toolCalls: [bash('echo nested')], ...used(31, 21) }, { text: 'A is fine.', ...used(33, 23) }] },
      { name: 'main', turns: [{ text: 'Delegating.', toolCalls: [{ name: 'Agent', input: { description: 'Look at A', prompt: 'SUBTASK-A: look', subagent_type: 'general-purpose', run_in_background: false } }], ...used(101, 51) }, { text: 'The helper says A is fine.', ...used(102, 52) }] },
    ],
    test: `(await t.send('Delegate')).succeeded();
      t.calledTool(toolMatch('Bash', { status: 'completed' }), { count: 1 });`,
  },
  background: {
    agent: 'claudeCode()',
    turns: [{ toolCalls: [bash('sleep 0.3; echo late > late.txt', { run_in_background: true })] }, { text: 'It runs.' }, { text: 'It has ended.' }],
    test: `(await t.send('Start it')).succeeded();
      t.sandbox.changedPaths(['late.txt']);`,
  },
  skill: {
    agent: `claudeCode({ skills: [{ kind: 'local', path: '../skills/greet' }] })`,
    turns: [{ toolCalls: [{ name: 'Skill', input: { skill: 'greet', args: 'Bob' } }] }, { text: 'Hello Bob!' }],
    test: `(await t.send('Greet Bob')).succeeded();`,
  },
  plugin: {
    agent: `claudeCode({ plugins: ['../plugins/manners'] })`,
    turns: [{ toolCalls: [{ name: 'Skill', input: { skill: 'manners:bow' } }] }, { text: 'Bows.' }],
    test: `(await t.send('Bow')).succeeded();`,
  },
  mcp: {
    agent: `claudeCode({ mcpServers: [{ name: 'tiny', command: 'node', args: ['/home/agent/workspace/tiny.mjs'], env: { TINY_GREETING: 'hi' } }] })`,
    turns: [{ toolCalls: [{ name: 'mcp__tiny__add', input: { a: 20, b: 22 } }, { name: 'mcp__tiny__fail', input: { why: 'on purpose' } }, { name: 'mcp__tiny__greeting', input: {} }] }, { text: '42.' }],
    test: `await t.sandbox.uploadFile('../tiny.mjs', 'tiny.mjs');
      (await t.send('Add')).succeeded();`,
  },
  'mcp-http': {
    agent: `claudeCode({ mcpServers: [{ name: 'web', url: 'http://127.0.0.1:4321/mcp', headers: { 'X-Token': 'very-secret-token' } }] })`,
    turns: [{ toolCalls: [{ name: 'mcp__web__whoami', input: {} }] }, { text: 'Known.' }],
    test: `await t.sandbox.uploadFile('../web.mjs', 'web.mjs');
      await t.sandbox.runShellOrThrow('node web.mjs > web.log 2>&1 & until grep -q listening web.log; do sleep 0.1; done');
      (await t.send('Who am I?')).succeeded();
      t.check(await t.sandbox.runCommand('pgrep', ['-f', 'web.mjs']).then(({ exitCode }) => exitCode), equals(0));`,
  },
  secret: {
    agent: `claudeCode({ sensitiveValues: ['pa"ss wörd-4712'] })`,
    turns: [{ text: 'It is pa"ss wörd-4712.', toolCalls: [bash('echo \'pa"ss wörd-4712\'')] }, { text: 'Said.' }],
    test: `(await t.send('Remember pa"ss wörd-4712')).succeeded();
      t.check(t.reply, equals('Said.'));
      t.calledTool(toolMatch('shell'), { count: 1 });`,
  },
  'mcp-missing': {
    agent: `claudeCode({ mcpServers: [{ name: 'gone', command: '/nowhere/server' }] })`,
    turns: [{ text: 'Never asked.' }],
    test: `(await t.send('Add')).succeeded();`,
  },
  compaction: {
    agent: 'claudeCode()',
    turns: [{ toolCalls: [bash('echo first')], ...used(15, 30) }, { text: 'First answer.', ...used(500, 20) }, { text: 'After it.', ...used(50, 9) }],
    test: `(await t.send('Start')).succeeded();
      (await t.send('/compact keep the names')).succeeded();
      (await t.send('Go on')).succeeded();`,
  },
  killed: {
    agent: 'claudeCode()',
    turns: [{ text: 'Now.', toolCalls: [bash('echo begun > begun.txt; kill -9 $PPID; sleep 5')] }, { text: 'Never said.' }],
    test: `(await t.send('Go')).succeeded();`,
  },
  overloaded: {
    agent: 'claudeCode()',
    turns: [{ error: { status: 529 } }, { text: 'Better late.', ...used(70, 7) }],
    test: `(await t.send('Go')).succeeded();`,
  },
  structured: {
    agent: 'claudeCode()',
    turns: [{ toolCalls: [{ name: 'StructuredOutput', input: { answer: 42 } }] }, { text: 'Said.' }],
    test: `const turn = await t.send({ text: 'What is it?', schema: { type: 'object', properties: { answer: { type: 'integer' } }, required: ['answer'], additionalProperties: false } });
      turn.succeeded();
      t.check(turn.data, equals({ answer: 42 }));`,
  },
  prompts: {
    agent: `claudeCode({ systemPrompt: 'You are a parrot named Polly.', instructionsFile: '../instructions.md' })`,
    lanes: [{ name: 'told', when: { systemIncludes: 'a parrot named Polly', firstUserIncludes: 'Rule seven: whistle.' }, turns: [{ text: 'Whistles.' }] }, { name: 'not told', turns: [{ text: 'Silence.' }] }],
    test: `t.check((await t.send('Sing')).message, equals('Whistles.'));`,
  },
  settings: {
    agent: `claudeCode({ appendSystemPrompt: 'Whisper, always.', settingsFile: '../settings.json', env: (flags) => ({ SHOWN: String(flags.shown) }) })`,
    settings: `flags: { shown: 'by flag' },`,
    lanes: [{ name: 'told', when: { systemIncludes: 'Whisper, always.' }, turns: [{ toolCalls: [bash('echo "$SHOWN" > shown.txt')] }, { text: 'psst' }] }, { name: 'not told', turns: [{ text: 'LOUD' }] }],
    test: `t.check((await t.send('Speak')).message, equals('psst'));
      t.check(await t.sandbox.readText('hooked.txt'), equals('hooked\\n'));
      t.check(await t.sandbox.readText('shown.txt'), equals('by flag\\n'));`,
  },
  limited: {
    agent: 'claudeCode({ maxTurns: 1 })',
    turns: [{ toolCalls: [bash('echo one')] }, { text: 'Two.' }],
    test: `(await t.send('Go')).succeeded();`,
  },
  image: {
    agent: 'claudeCode()',
    lanes: [{ name: 'seen', when: { hasImage: true }, turns: [{ text: 'A dot.' }] }, { name: 'unseen', turns: [{ text: 'Nothing.' }] }],
    test: `t.check((await t.sendFile('../dot.png', 'What is it?')).message, equals('A dot.'));`,
  },
  unshowable: {
    agent: 'claudeCode()',
    turns: [{ text: 'Never asked.' }],
    test: `await t.send({ text: 'Hear', files: [{ name: 'song.ogg', mediaType: 'audio/ogg', data: 'AAAA' }] });`,
  },
};

const FILES = {
  'tiny.mjs': TINY_SERVER,
  'web.mjs': TINY_HTTP_SERVER,
  'dot.png': TINY_PNG,
  'instructions.md': 'Rule seven: whistle.\n',
  'settings.json': JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'echo hooked >> /home/agent/workspace/hooked.txt' }] }] } }),
  'plugins/manners/.claude-plugin/plugin.json': JSON.stringify({ name: 'manners', version: '1.0.0', description: 'Manners' }),
  'plugins/manners/skills/bow/SKILL.md': '---\nname: bow\ndescription: Bows\n---\nBow deeply.\n',
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets somebody by name\n---\nGreet $ARGUMENTS warmly.\n',
};

describe('the real Claude Code CLI in containers', () => {
  let run: Awaited<ReturnType<typeof runScripted>>;
  beforeAll(async () => { run = await runScripted(CASES, FILES); }, 420_000);
  afterAll(() => run[Symbol.asyncDispose]());

  const of = (name: string): ScriptedOutcome => run.of(name);

  const startBash = (id: string, command: string): object => start(id, 'Bash', 'shell', { command, description: 'Run a command' });

  it.each(['parallel', 'failing', 'refused', 'disallowed', 'approval', 'question', 'questions', 'subagent', 'background', 'skill', 'plugin', 'mcp', 'mcp-http', 'secret', 'compaction', 'overloaded', 'structured', 'prompts', 'settings', 'image'])('passes "%s" with every claim matched', (name) => {
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
      hear('Run both'), startBash('#1', 'sleep 0.5; echo slow'), startBash('#2', 'echo fast'),
      end('#2', 'completed', { output: 'fast', exitCode: 0 }), end('#1', 'completed', { output: 'slow', exitCode: 0 }), say('Both ran.'),
    ]);
  });

  it('tells a failed tool by its exit code, and refused ones as rejected', () => {
    expect(told(of('failing').events(1)).at(-2)).toEqual(end('#1', 'failed', { output: 'Exit code 3\nbroken', exitCode: 3 }));
    expect(told(of('refused').events(1)).at(-2)).toMatchObject(end('#1', 'rejected', {}));
    expect(told(of('disallowed').events(1)).at(-2)).toMatchObject(end('#1', 'rejected', {}));
  });

  it('asks before it writes where a person may refuse, and tells both answers', () => {
    const input = (file: string, content: string): object => ({ file_path: `/home/agent/workspace/${file}`, content });
    const options = [{ id: 'approve', label: 'Approve' }, { id: 'deny', label: 'Deny' }];
    const { attempt, events, changes } = of('approval');
    expect(attempt.turns.map(({ status, usage }) => [status, usage?.inputTokens, usage?.outputTokens])).toEqual([['waiting', 100, 10], ['waiting', 200, 20], ['completed', 300, 30]]);
    expect(told(events(1))).toEqual([hear('Write both'), start('#1', 'Write', 'file_write', input('no.txt', 'no')), ask({ action: 'Write', input: input('no.txt', 'no'), prompt: 'no.txt', options })]);
    expect(told(events(2))).toEqual([
      hear('Deny'), end('#1', 'rejected', { output: 'The user does not want this to be done.' }),
      start('#2', 'Write', 'file_write', input('yes.txt', 'yes')), ask({ action: 'Write', input: input('yes.txt', 'yes'), prompt: 'yes.txt', options }),
    ]);
    expect(told(events(3))).toEqual([hear('Approve'), { ...end('#1', 'completed'), output: expect.stringContaining('yes.txt') as string }, say('One of two.')]);
    if (changes.state !== 'available') throw new Error(changes.reason);
    expect(changes.windows.map(({ label, changes: files, flags }) => [label, files.map(({ path }) => path), flags])).toEqual([['turn1', [], ['waiting']], ['turn2', [], ['waiting']], ['turn3', ['yes.txt'], []]]);
  });

  it('stops for a question, goes on with the answer and resumes the conversation', () => {
    const questions = [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue', description: 'Cold' }] }];
    const { attempt, events, raw } = of('question');
    expect(attempt.turns.map(({ status, usage }) => [status, usage?.inputTokens, usage?.outputTokens])).toEqual([['waiting', 100, 10], ['completed', 500, 50], ['completed', 400, 40]]);
    expect(attempt.gateway).toMatchObject({ requests: 4, usage: { inputTokens: 1000, outputTokens: 100 } });
    // The CLI waits with the token of its first turn, which stands for the second one when it goes on.
    expect(attempt.gateway?.windows?.map(({ label, requests, usage }) => [label, requests, usage.inputTokens])).toEqual([['turn1', 1, 100], ['turn2', 2, 500], ['turn3', 1, 400]]);
    expect(told(events(1))).toEqual([
      hear('Paint it'), say('I need to know.'), start('#1', 'AskUserQuestion', 'unknown', { questions }),
      ask({ action: 'AskUserQuestion', input: { questions }, prompt: 'Which colour?', options: [{ id: 'Red', label: 'Red' }, { id: 'Blue', label: 'Blue' }] }),
    ]);
    expect(told(events(2))).toEqual([
      hear('Blue'), end('#1', 'completed', { output: 'Your questions have been answered: "Which colour?"="Blue". You can now continue with these answers in mind.' }),
      startBash('#2', 'echo blue > paint.txt'), end('#2', 'completed', { output: '(Bash completed with no output)', exitCode: 0 }), say('Blue it is.'),
    ]);
    expect(told(events(3))).toEqual([hear('And now?'), say('Still blue.')]);
    // One process for the question and its answer, one for the turn after.
    expect(raw.filter((name) => name.endsWith('stdout.jsonl'))).toEqual(['session1-turn1-stdout.jsonl', 'session1-turn3-stdout.jsonl']);
    expect(raw.filter((name) => name.startsWith('files/projects/-home-agent-workspace/') && name.endsWith('.jsonl'))).toHaveLength(1);
  });

  it('asks several questions at once, and takes their answers in any order', () => {
    expect(told(of('questions').events(2))).toEqual([
      hear('Which size? Large\nWhich colour? Green'),
      end('#1', 'completed', { output: 'Your questions have been answered: "Which colour?"="Green", "Which size?"="Large". You can now continue with these answers in mind.' }),
      say('Thanks.'),
    ]);
  });

  it('does not succeed while a question stands', () => {
    const { attempt } = of('unanswered');
    expect([attempt.verdict, attempt.reasons]).toEqual(['failed', ['turn 1 succeeded: expected completed, received waiting for a person']]);
  });

  it('tells a subagent with the tools inside it, and counts its tokens', () => {
    const { attempt, events } = of('subagent');
    expect(told(events(1))).toEqual([
      hear('Delegate'), say('Delegating.'), { type: 'operation.started', operationId: '#1', operation: { kind: 'subagent', name: 'general-purpose' } },
      { ...say('Nested start.'), parentOperationId: '#1' }, { ...startBash('#2', 'echo nested'), parentOperationId: '#1' },
      { ...end('#2', 'completed', { output: 'nested' }), parentOperationId: '#1' }, { ...say('A is fine.'), parentOperationId: '#1' },
      { type: 'operation.finished', operationId: '#1', kind: 'subagent', output: 'A is fine.', status: 'completed' }, say('The helper says A is fine.'),
    ]);
    expect(attempt.turns[0]?.usage).toMatchObject({ inputTokens: 101 + 31 + 33 + 102, outputTokens: 51 + 21 + 23 + 52 });
  });

  it('waits for the end of background work', () => {
    expect(told(of('background').events(1))).toEqual([
      hear('Start it'), start('#1', 'Bash', 'shell', { command: 'sleep 0.3; echo late > late.txt', description: 'Run a command', run_in_background: true }),
      say('It runs.'), end('#1', 'completed', { exitCode: 0 }), say('It has ended.'),
    ]);
  });

  it('loads a skill that the experiment gives', () => {
    expect(told(of('skill').events(1))).toEqual([
      hear('Greet Bob'), start('#1', 'Skill', 'unknown', { skill: 'greet', args: 'Bob' }), end('#1', 'completed', { output: 'Launching skill: greet' }),
      { type: 'skill.loaded', skill: 'greet', operationId: '#1' }, say('Hello Bob!'),
    ]);
    expect(told(of('plugin').events(1)).at(-2)).toEqual({ type: 'skill.loaded', skill: 'manners:bow', operationId: '#1' });
  });

  it('reaches tool servers, and asks nothing when one is missing', () => {
    expect(told(of('mcp').events(1)).slice(4, 7)).toEqual([end('#1', 'completed', { output: '42' }), end('#2', 'failed', { output: 'failed on purpose' }), end('#3', 'completed', { output: 'hi' })]);
    const { attempt } = of('mcp-missing');
    expect([attempt.verdict, attempt.error?.code, attempt.gateway?.requests]).toEqual(['errored', 'agent-send-failed', 0]);
    expect(attempt.error?.message).toContain('The MCP server "gone" is failed');
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
    expect(told(events(2))).toEqual([hear('/compact keep the names'), { type: 'compaction', reason: 'manual', tokensBefore: expect.any(Number) as number, tokensAfter: expect.any(Number) as number }]);
    // The scripted gateway charges one token each way for a compaction.
    expect(attempt.turns.map(({ usage }) => [usage?.inputTokens, usage?.outputTokens])).toEqual([[515, 50], [1, 1], [50, 9]]);
  });

  it('never takes a killed CLI for a success', () => {
    const { attempt, events } = of('killed');
    expect([attempt.verdict, attempt.error?.code, attempt.turns[0]?.failure?.kind]).toEqual(['errored', 'agent-send-failed', 'no-end']);
    expect(attempt.turns[0]?.coverage.status.status).not.toBe('complete');
    expect(told(events(1))).toEqual([hear('Go'), say('Now.'), startBash('#1', 'echo begun > begun.txt; kill -9 $PPID; sleep 5')]);
  });

  it('gets over an overloaded model', () => {
    const { attempt, events } = of('overloaded');
    expect(told(events(1))).toEqual([hear('Go'), { type: 'error', message: 'API request failed (HTTP 529, overloaded); retry 1 of 10', recovered: true }, say('Better late.')]);
    expect([attempt.gateway?.requests, attempt.turns[0]?.usage?.inputTokens, attempt.turns[0]?.usage?.outputTokens]).toEqual([2, 70, 7]);
  });

  it('fails at the limit of turns, and asks nothing about a file that cannot be shown', () => {
    expect([of('limited').attempt.verdict, of('limited').attempt.reasons]).toEqual(['failed', ['turn 1 succeeded: expected completed, received failed: Reached maximum number of turns (1)']]);
    expect([of('unshowable').attempt.verdict, of('unshowable').attempt.error?.code, of('unshowable').attempt.gateway?.requests]).toEqual(['errored', 'agent-input', 0]);
  });
});
