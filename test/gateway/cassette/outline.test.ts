import { describe, expect, test } from 'vitest';
import { MOST_PARTS, outlineOf, partTextsOf, type OutlinedRequest } from '../../../src/gateway/cassette/outline.js';
import { CassetteError } from '../../../src/gateway/errors.js';
import { CAPTURED, capturedRun, requestOf } from './bodies.js';

const shaOf = (request: OutlinedRequest, options = {}): string => outlineOf(request, options).sha256;
const says = (text: string) => requestOf('anthropic-messages', { model: 'm', messages: [{ role: 'user', content: text }] });
const returns = (text: string) => requestOf('anthropic-messages', { model: 'm', messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: text }] }] });

describe('two runs of a real CLI', () => {
  test.each(CAPTURED)('%s: the bodies differ, the outlines do not', (name) => {
    const [first, second] = [capturedRun(name, 1), capturedRun(name, 2)];
    const textsOf = (run: readonly OutlinedRequest[]): readonly string[] => run.map(({ body }) => Buffer.from(body ?? []).toString());
    expect(textsOf(second)).not.toEqual(textsOf(first));
    expect(second.map((request) => shaOf(request))).toEqual(first.map((request) => shaOf(request)));
  });

  test.each(CAPTURED)('%s: no two requests of a run are taken for each other', (name) => {
    // Claude Code asks whether there is anybody at the beginning of each send.
    const outlines = capturedRun(name, 1).filter(({ method }) => method !== 'HEAD').map((request) => shaOf(request));
    expect(new Set(outlines).size).toBe(outlines.length);
  });

  test.each(CAPTURED)('%s: another prompt is another request', (name) => {
    const prompt = /Make a file with 3 lines|SUBTASK-A look|Delegate|Do the thing 0 of 3|Do it/g;
    const bodies = capturedRun(name, 1).filter(({ body }) => body !== null && Buffer.from(body).toString().match(prompt) !== null);
    expect(bodies.length).toBeGreaterThan(0);
    for (const request of bodies) {
      const other = Buffer.from(request.body ?? []).toString().replace(prompt, (found) => `${found.slice(0, -1)}4`);
      expect(shaOf({ ...request, body: Buffer.from(other) })).not.toBe(shaOf(request));
    }
  });

  test('a subagent of Claude Code is told apart by what it was asked', () => {
    const places = capturedRun('claude-code-subagents', 1).map((request) => outlineOf(request).parts.find(({ excerpt }) => excerpt.startsWith('SUBTASK'))?.excerpt.slice(0, 9));
    expect(places).toContain('SUBTASK-A');
    expect(places).toContain('SUBTASK-B');
  });
});

describe('where', () => {
  const cases: readonly [string, OutlinedRequest, readonly string[]][] = [
    ['Anthropic Messages', requestOf('anthropic-messages', {
      model: 'm', max_tokens: 9, system: [{ type: 'text', text: 'a' }], tools: [{ name: 'Read' }, { name: 'Bash' }, { type: 'web_search_20250305', name: 'web_search' }],
      messages: [{ role: 'user', content: 'x' }, { role: 'assistant', content: [{ type: 'thinking', thinking: 't' }, { type: 'tool_use', id: 'a', name: 'Bash', input: {} }, { type: 'tool_use', id: 'b', name: 'Bash', input: {} }] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r' }] }],
    }), ['params.max_tokens', 'params.model', 'system[0]', 'tools.Bash', 'tools.Read', 'tools.web_search', 'messages[0].user', 'messages[1].assistant.thinking', 'messages[1].assistant.tool_use', 'messages[1].assistant.tool_use(2)', 'messages[2].user.tool_result']],
    ['OpenAI Responses', requestOf('openai-responses', {
      model: 'm', instructions: 'i', input: [{ type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'a' }, { type: 'input_text', text: 'b' }] }, { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' }, { type: 'function_call_output', call_id: 'c', output: 'o' }],
      tools: [{ type: 'function', name: 'exec_command' }, { type: 'web_search' }],
    }), ['params.model', 'instructions', 'tools.exec_command', 'tools.web_search', 'input[0].developer.input_text', 'input[0].developer.input_text(2)', 'input[1].function_call', 'input[2].function_call_output']],
    ['Chat Completions', requestOf('openai-chat', { model: 'm', messages: [{ role: 'system', content: 's' }, { role: 'tool', tool_call_id: 'x', content: 'r' }], tools: [{ type: 'function', function: { name: 'bash' } }] }),
      ['params.model', 'tools.bash', 'messages[0].system', 'messages[1].tool']],
    ['Gemini', requestOf('gemini', { systemInstruction: { parts: [{ text: 's' }] }, generationConfig: { temperature: 0 }, contents: [{ role: 'user', parts: [{ text: 'x' }] }, { role: 'model', parts: [{ functionCall: { name: 'f' }, thoughtSignature: 'z' }] }], tools: [{ functionDeclarations: [{ name: 'g' }, { name: 'f' }] }] }, '/v1beta/models/gemini-2.5-pro:generateContent'),
      ['params.generationConfig', 'systemInstruction', 'tools.f', 'tools.g', 'contents[0].user.text', 'contents[1].model.functionCall']],
    ['any other JSON', requestOf(null, { b: 1, a: [2] }), ['params.a', 'params.b']],
    ['JSON that is no object', requestOf(null, [1]), ['body']],
    ['what is no JSON', { protocol: null, method: 'POST', path: '/', body: Buffer.from('a=b') }, ['body']],
    ['bytes', { protocol: null, method: 'POST', path: '/', body: Buffer.from([0xff, 0xfe]) }, ['body']],
    ['nothing', { protocol: null, method: 'HEAD', path: '/', body: null }, []],
  ];
  test.each(cases)('names the parts of %s', (_name, request, places) => {
    expect(outlineOf(request).parts.map(({ where }) => where)).toEqual(places);
  });

  test('the query is left out, and the model of Gemini is in the path', () => {
    const { path, model, method } = outlineOf(requestOf('gemini', {}, '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=k'));
    expect({ path, model, method }).toEqual({ path: '/v1beta/models/gemini-2.5-pro:streamGenerateContent', model: 'gemini-2.5-pro', method: 'POST' });
  });

  test('the excerpt is the normalised text on one line', () => {
    const [part] = outlineOf(returns(`Chunk ID: a10197\nWall time: 0.6908 seconds\n\n${'é😀'.repeat(100)}`)).parts.slice(-1);
    expect(part?.excerpt.startsWith('Chunk ID: <chunk> Wall time: <time> seconds é😀')).toBe(true);
    expect(part?.excerpt.length).toBeLessThanOrEqual(200);
    expect(part?.excerpt.isWellFormed()).toBe(true);
  });
});

describe('what varies', () => {
  // Prompts and outputs of the captured runs and of the documentation of the tools that are named.
  const everywhere: readonly [string, string][] = [
    ["Today's date is 2026-12-01.", "Today's date is 2026-11-30."],
    ["Today's date is Tuesday, December 1, 2026 (formatted according to the user's locale).", "Today's date is Monday, November 30, 2026 (formatted according to the user's locale)."],
    ["Today's date: Tue Dec 01 2026", "Today's date: Mon Nov 30 2026"],
    ['<current_date>2026-12-01</current_date>', '<current_date>2026-11-30</current_date>'],
    ['The current month is December 2026. You', 'The current month is November 2026. You'],
    ['x-anthropic-billing-header: cc_version=2.1.197.46f; cc_entrypoint=cli; cch=a1b2c;', 'x-anthropic-billing-header: cc_version=2.1.197.735; cc_entrypoint=cli; cch=00000;'],
    [' - OS Version: Linux 6.8.0-31-generic\n - x', ' - OS Version: Linux 6.1.0\n - x'],
    ['Recent commits:\n82f02e2 first\n1234567 second', 'Recent commits:\naaaaaaa first\nbbbbbbb second'],
    ['at 2026-12-01T10:37:16.123Z', 'at 2026-11-30T22:37:16+00:00'],
    ['id 01a22e2d-e800-7653-9edd-94fdbe9f4f61.', 'id F9C50F7C-4642-5326-A1F2-2F5BC4500F6B.'],
    ['in /tmp/tmp.BSnSGeqv3f/x', 'in /tmp/tmp.9zVp3koJVF/x'],
    ['in /tmp/niceeval-Ab12cd', 'in /tmp/niceeval-zY98xw'],
    ['cwd /tmp/niceeval-local-20261130-184134-be04de-0123456789abcdef/home', 'cwd /tmp/niceeval-local-20261201-000000-aaaaaa-fedcba9876543210/home'],
    ['in /tmp/tmpab1_9xyz', 'in /tmp/tmpqqqqqqqq'],
    ['Process running with session ID 84272', 'Process running with session ID 3093'],
    ['{"agent_id":"x","nickname":"Gauss"}', '{"agent_id":"x","nickname":"Noether"}'],
    ['<duration_ms>779</duration_ms>', '<duration_ms>1786</duration_ms>'],
  ];
  test.each(everywhere)('in prompts and outputs: %j', (a, b) => {
    expect(shaOf(says(a))).toBe(shaOf(says(b)));
    expect(shaOf(returns(a))).toBe(shaOf(returns(b)));
  });

  const outputs: readonly [string, string][] = [
    ['Tue Dec  1 10:37:16 +14 2026', 'Mon Nov 30 08:37:33 -12 2026'],
    ['Tue Dec  1 10:37:16 UTC 2026', 'Mon Nov 30 08:37:33 UTC 2026'],
    ['Date:   Tue Dec 1 10:37:16 2026 +0000', 'Date:   Mon Nov 30 08:37:33 2026 +0100'],
    ['date: Tue, 01 Dec 2026 10:37:16 GMT', 'date: Mon, 30 Nov 2026 08:37:33 GMT'],
    ['-rw-r--r-- 1 root root  24 Dec  1 10:37 README.md', '-rw-r--r-- 1 root root  24 Nov 30 08:37 README.md'],
    ['2026-12-01', '2026-11-30'],
    ['pid 92', 'pid 989'],
    ['a\n3f9a1c2b7d10\nb', 'a\na07b5e44c9ff\nb'],
    ['root@3f9a1c2b7d10:/work#', 'root@a07b5e44c9ff:/work#'],
    ['[main (root-commit) 82f02e2] first', '[main (root-commit) 1c2d3e4] first'],
    ['commit 82f02e2c69567433ad71277bb7e5d0e4b8f4fa9f', 'commit 92f02e2c69567433ad71277bb7e5d0e4b8f4fa90'],
    ['1 passed in 0.12s', '1 passed in 1.03s'],
    ['   Start at  10:37:16\n   Duration  1.63s (transform 294ms, setup 137ms)', '   Start at  22:01:59\n   Duration  800ms (transform 1ms, setup 99ms)'],
    ['ok  \texample.com/x\t0.003s', 'ok  \texample.com/x\t0.101s'],
    ['listening on http://localhost:39123/', 'listening on http://localhost:51234/'],
    ['real\t0m0.012s', 'real\t0m1.5s'],
  ].map(([a = '', b = '']) => [a, b.replace('Duration  800ms', 'Duration  0.80s')] as [string, string]);
  test.each(outputs)('in outputs: %j', (a, b) => {
    expect(shaOf(returns(a))).toBe(shaOf(returns(b)));
  });

  const kept: readonly [string, string][] = [
    ['Make a file with 3 lines', 'Make a file with 4 lines'],
    ['Wait for 300 ms', 'Wait for 500 ms'],
    ['Is 2024-01-05 a Friday?', 'Is 2024-01-06 a Friday?'],
    ['Use port 8080', 'Use port 8081'],
    ['Look at /tmp/folder-one', 'Look at /tmp/folder-two'],
    ['Fix 82f02e2', 'Fix 82f02e3'],
    ['process 5 items', 'process 6 items'],
    ['cafe', 'café'],
    ['\ud800', '\ud801'],
  ];
  test.each(kept)('stays in a prompt: %j', (a, b) => {
    expect(shaOf(says(a))).not.toBe(shaOf(says(b)));
  });

  const keptInOutputs: readonly [string, string][] = [
    ['3 passed', '4 passed'], ['exit code 1', 'exit code 2'], ['total 4', 'total 8'], ['x = 12345', 'x = 12346'], ['http://localhost:3000', 'http://localhost:3001'],
    ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  a.txt', '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752  a.txt'],
    ['-rw-r--r-- 1 root root  24 Dec  1 10:37 README.md', '-rw-r--r-- 1 root root  25 Dec  1 10:37 README.md'], ['version 1.2.3', 'version 1.2.4'],
  ];
  test.each(keptInOutputs)('stays in an output: %j', (a, b) => {
    expect(shaOf(returns(a))).not.toBe(shaOf(returns(b)));
  });

  test('what the model said stays, but for ids that it was told', () => {
    const spoken = (text: string, told = 'nothing') => requestOf('openai-responses', { input: [{ type: 'function_call_output', call_id: 'c', output: told }, { type: 'function_call', call_id: 'd', name: 'write_stdin', arguments: text }] });
    expect(shaOf(spoken('{"session_id":84272}'))).not.toBe(shaOf(spoken('{"session_id":3093}')));
    expect(shaOf(spoken('{"session_id":84272}', 'running with session ID 84272'))).toBe(shaOf(spoken('{"session_id":3093}', 'running with session ID 3093')));
    expect(shaOf(spoken('it took 12 ms'))).not.toBe(shaOf(spoken('it took 13 ms')));
  });

  test('fields that name a run are left out, the same words elsewhere are not', () => {
    const body = (user: string, other: string) => requestOf('anthropic-messages', { metadata: { user_id: user, tag: other }, prompt_cache_key: user, client_metadata: { a: user }, messages: [] });
    expect(shaOf(body('a', 'x'))).toBe(shaOf(body('b', 'x')));
    expect(shaOf(body('a', 'x'))).not.toBe(shaOf(body('a', 'y')));
  });

  test('the order of tools and of keys does not matter, the order of messages does', () => {
    const body = (tools: readonly string[], messages: readonly string[]) => requestOf('anthropic-messages', { tools: tools.map((name) => ({ name })), messages: messages.map((content) => ({ role: 'user', content })) });
    expect(shaOf(body(['a', 'b'], ['x', 'y']))).toBe(shaOf(body(['b', 'a'], ['x', 'y'])));
    expect(shaOf(body(['a', 'b'], ['x', 'y']))).not.toBe(shaOf(body(['a', 'b'], ['y', 'x'])));
    expect(shaOf(body(['a', 'b'], ['x']))).not.toBe(shaOf(body(['a'], ['x'])));
    expect(shaOf({ ...says('x'), body: Buffer.from('{"messages":[{"content":"x","role":"user"}],"model":"m"}') })).toBe(shaOf(says('x')));
  });

  test('a text and a block with that text are two things', () => {
    const body = (content: unknown) => requestOf('anthropic-messages', { messages: [{ role: 'user', content }] });
    const bodies = [body('x'), body([{ type: 'text', text: 'x' }]), body([{ type: 'text', text: 'x' }, { type: 'text', text: '' }]), body('x\n""'), body(['x']), body(null)];
    expect(new Set(bodies.map((request) => shaOf(request))).size).toBe(bodies.length);
  });
});

describe('a pattern of the user', () => {
  test('is replaced in every text', () => {
    expect(shaOf(says('build 17 of x'), { volatile: ['build \\d+'] })).toBe(shaOf(says('build 18 of x'), { volatile: ['build \\d+'] }));
    expect(partTextsOf(says('build 17 of x'), { volatile: ['build \\d+'] }).get('messages[0].user')).toBe('<volatile> of x\n{"content":"","role":"user"}');
  });
  test.each(['(', '[', 'a*', '', '(?<', `${'a'.repeat(1_001)}`])('cannot be %j', (source) => {
    expect(() => outlineOf(says('x'), { volatile: [source] })).toThrow(CassetteError);
  });
  test('does not reach from one text into another', () => {
    const body = (first: string, second: string) => requestOf('openai-chat', { messages: [{ role: 'tool', content: [{ type: 'text', text: first }, { type: 'text', text: second }] }] });
    const volatile = ['seed .*'];
    expect(shaOf(body('seed 1', 'a'), { volatile })).toBe(shaOf(body('seed 2', 'a'), { volatile }));
    expect(shaOf(body('seed 1', 'a'), { volatile })).not.toBe(shaOf(body('seed 1', 'b'), { volatile }));
  });
  test('that is slow for many texts is stopped by what they take together', () => {
    const texts = Array.from({ length: 1_000 }, () => ({ role: 'user', content: `${'a'.repeat(22)}!` }));
    expect(() => outlineOf(requestOf('openai-chat', { messages: texts }), { volatile: ['(a+)+$'] })).toThrow(/takes too long/);
  }, 20_000);
  test('that never ends is stopped', () => {
    expect(() => outlineOf(says(`${'a'.repeat(60)}!`), { volatile: ['(a+)+$'] })).toThrow(/takes too long/);
  }, 20_000);
});

test('a secret is in no part of an outline', () => {
  const secret = 'tok-"quoted"\n82f2b77625';
  const request = { ...requestOf('openai-chat', { model: `m ${secret}`, [secret]: 1, messages: [{ role: 'user', content: `x ${secret}` }, { role: 'tool', content: JSON.stringify({ deep: secret }) }], tools: [{ type: 'function', function: { name: secret } }] }), path: `/v1/${secret}` };
  const text = JSON.stringify(outlineOf(request, { secrets: [secret] }));
  expect(text).not.toContain('82f2b77625');
  expect(text).toContain('<secret>');
  const other = Buffer.from(request.body ?? []).toString().replaceAll('82f2b77625', 'aaaa');
  expect(shaOf({ ...request, path: '/v1/tok-"quoted"\naaaa', body: Buffer.from(other) }, { secrets: ['tok-"quoted"\naaaa'] })).toBe(shaOf(request, { secrets: [secret] }));
});

describe('hostile bodies', () => {
  test('deep JSON costs no stack', () => {
    const deep = (depth: number, inside: string) => ({ ...says(''), body: Buffer.from(`{"messages":[{"role":"user","content":${'['.repeat(depth)}${inside}${']'.repeat(depth)}}]}`) });
    for (const depth of [4_000, 2_000_000]) expect(shaOf(deep(depth, '1'))).not.toBe(shaOf(deep(depth, '2')));
  });
  test('more pieces than an outline has parts are still compared', () => {
    const many = (last: string) => requestOf('anthropic-messages', { messages: Array.from({ length: 20_000 }, (_, index) => ({ role: 'user', content: index === 19_999 ? last : 'x' })) });
    const outline = outlineOf(many('a'));
    expect(outline.parts.length).toBe(MOST_PARTS);
    expect(outline.sha256).not.toBe(shaOf(many('b')));
    expect(outline.sha256).toBe(shaOf(many('a')));
  });
  test('prototype keys are keys', () => {
    const body = (text: string) => ({ ...says(''), body: Buffer.from(text) });
    const texts = ['{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}', '{"constructor":1}', '{}', '{"messages":[{"role":"__proto__","content":"x"}]}', '{"messages":[{"role":"user","content":[{"__proto__":1}]}]}'];
    expect(new Set(texts.map((text) => shaOf(body(text)))).size).toBe(texts.length);
  });
  test('16 MB of anything take seconds, not minutes', () => {
    const size = 16 * 1024 * 1024;
    const texts = ['a', '1', '[', '/tmp/a-', 'Recent commits:\n', 'Nov 30 ', 'date is ', 'up 1 day, ', 'ok (', 'aaaa-'].map((text) => text.repeat(size / 8 / text.length));
    const began = performance.now();
    for (const text of texts) shaOf(returns(text));
    expect(performance.now() - began).toBeLessThan(30_000);
  }, 60_000);
  test('names of tools and roles control no terminal', () => {
    const { parts } = outlineOf(requestOf('anthropic-messages', { tools: [{ name: '\u001b[31m\u202e' }], messages: [{ role: 'x'.repeat(500), content: 'a' }] }));
    expect(parts.map(({ where }) => where)).toEqual(['tools.\\u{1b}[31m\\u{202e}', `messages[0].${'x'.repeat(80)}`]);
  });
});
