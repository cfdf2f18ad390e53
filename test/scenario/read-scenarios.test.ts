import { describe, expect, test } from 'vitest';
import { read } from './files.js';

const good = '{"id":"a","prompt":"p"}';
const withExpected = (expected: string): string => `{"id":"a","prompt":"p","expected":${expected}}`;

describe('a file', () => {
  test('has one scenario a line, comments and blanks between, whatever its line ends', async () => {
    const { lines, problems } = await read('\uFEFF# first\r\n\r\n  {"id":"a","prompt":"p"}  \r\n\t# {"id":"b"}\r\n{"id":"c","prompt":"q","tags":["x"]}');
    expect(problems).toEqual([]);
    expect(lines.map(({ line, scenario }) => [line, scenario.id])).toEqual([[3, 'a'], [5, 'c']]);
  });

  test.each([['nothing', ''], ['only blanks', ' \n\n'], ['only comments', '# a\n# b\n']])('with %s is refused', async (_what, content) => {
    expect((await read(content)).problems).toEqual([expect.stringMatching(/has no scenario\. Write one a line, for instance/)]);
  });

  test('tells every problem with its line, and no text of a line', async () => {
    const { problems } = await read(`${good}\n\n{bad secret-word\n{"id":"a","prompt":"secret-word"}\n{"id":"b"}\n`);
    expect(problems).toEqual([
      's.jsonl:3: the line: it is no JSON, from character 2 on; comments begin with #.',
      's.jsonl:4: id: it is also that of line 1; give each scenario an id of its own.',
      's.jsonl:5: prompt: it is missing.',
    ]);
  });

  test('with very many problems tells twenty', async () => {
    const { problems } = await read('{}x\n'.repeat(50));
    expect([problems.length, problems.at(-1)]).toEqual([21, '... and 30 problems more.']);
  });

  test('may have a character in two pieces of it, and long lines', async () => {
    const long = `{"id":"long","prompt":"${'ä€😀'.repeat(300_000)}"}`;
    const { lines } = await read(`${long}\n${good}`);
    expect(lines.map(({ scenario }) => scenario.prompt.length)).toEqual([1_200_000, 1]);
  });

  test('with a line of 50 MB is refused for that line, and the line is never held', async () => {
    const before = process.memoryUsage().rss;
    const { problems } = await read(Buffer.concat([Buffer.from(`${good}\n`), Buffer.alloc(50 * 1024 ** 2, 'x'), Buffer.from(`\n{"id":"b"}\n`)]));
    expect(problems).toEqual(['s.jsonl:2: the line: it has more than 8 MiB; shorten it.', 's.jsonl:3: prompt: it is missing.']);
    // The content itself was made here, and written; what is read is not held beside it.
    expect(process.memoryUsage().rss - before).toBeLessThan(160 * 1024 ** 2);
  });
});

describe('a line is refused', () => {
  test.each([
    ['no object', '["a"]', 'the line: it must be a JSON object'],
    ['another comment', '// note', 'the line: it is no JSON; comments begin with #'],
    ['NaN', withExpected('{"max_turns":NaN}'), /the line: it is no JSON/],
    ['an unknown field', '{"id":"a","prompt":"p","asserts":[]}', /^asserts: there is no such field; there are id, prompt, /],
    ['a misspelt field', '{"id":"a","prompt":"p","expectd":{}}', 'expectd: there is no such field; did you mean "expected"?'],
    ['a misspelt expectation', withExpected('{"assistant_contain":["x"]}'), 'expected.assistant_contain: there is no such field; did you mean "assistant_contains"?'],
    ['a misspelt field of a file', withExpected('{"workspace_files":[{"path":"a","contain":["x"]}]}'), 'expected.workspace_files[0].contain: there is no such field; did you mean "contains"?'],
    ['a blank id', '{"id":" ","prompt":"p"}', 'id: it is blank'],
    ['a blank prompt', '{"id":"a","prompt":""}', 'prompt: it is blank'],
    ['a number for a text', '{"id":1,"prompt":"p"}', 'id: it must be a text'],
    ['null for an option', '{"id":"a","prompt":"p","profile":null}', 'profile: it must be a text'],
    ['a key that is there twice', '{"id":"a","prompt":"p","id":"b"}', 'id: it is there twice; leave one out'],
    ['a key that is there twice within', withExpected('{"workspace_files":[{"path":"a"},{"path":"b","p\\u0061th":"c"}]}'), 'expected.workspace_files[1].path: it is there twice; leave one out'],
    ['a prototype within', withExpected('{"min_events_of_type":{"__proto__":1}}'), 'expected.min_events_of_type.__proto__: there is no such field'],
    ['a prototype', '{"id":"a","prompt":"p","__proto__":{"profile":"x"}}', /^__proto__: there is no such field/],
    ['half a character', '{"id":"a","prompt":"\\ud800"}', 'prompt: it has half of a character (a lone surrogate); write the whole character'],
    ['a negative figure', withExpected('{"max_tool_failures":-1}'), 'expected.max_tool_failures: it must be at least 0'],
    ['a part of one', withExpected('{"max_turns":1.5}'), 'expected.max_turns: it must be a whole number'],
    ['an endless figure', withExpected('{"max_elapsed_ms":1e999}'), 'expected.max_elapsed_ms: it must be a number'],
    ['an unknown event', withExpected('{"event_types":["UserMesageAdded"]}'), 'expected.event_types[0]: there is no event of that name; did you mean "UserMessageAdded"?'],
    ['an unknown event to be counted', withExpected('{"min_events_of_type":{"compactoin":1}}'), 'expected.min_events_of_type.compactoin: there is no event of that name; did you mean "compaction"?'],
    ['an unknown policy', '{"id":"a","prompt":"p","approval_policy":"sometimes"}', 'approval_policy: it must be one of never, on_request, always'],
    ['an unknown sandbox', '{"id":"a","prompt":"p","sandbox_policy":{"kind":"none"}}', /^sandbox_policy.kind: it must be one of read_only, /],
    ['a path that leads out', withExpected('{"workspace_files":[{"path":"a/../../b"}]}'), 'expected.workspace_files[0].path: it must be relative, without ".." and without NUL'],
    ['an absolute path', withExpected('{"workspace_files":[{"path":"/etc/passwd"}]}'), /path: it must be relative/],
    ['a folder that leads out', withExpected('{"post_run_commands":[{"program":"ls","cwd":".."}]}'), /^expected.post_run_commands\[0\].cwd: it must be relative/],
    ['look-around', withExpected('{"assistant_matches_regex":["ok","(?=x)"]}'), 'expected.assistant_matches_regex[1]: it is no regular expression of Rust: look-around, including look-ahead and look-behind, is not supported'],
    ['a back-reference', withExpected('{"assistant_matches_regex":["(a)\\\\1"]}'), /it is no regular expression of Rust: backreferences are not supported$/],
    ['an open group', withExpected('{"assistant_matches_regex":["("]}'), /it is no regular expression of Rust: unclosed group$/],
  ])('with %s', async (_what, line, problem) => {
    const { problems } = await read(`# comment\n${line}\n`);
    expect(problems).toHaveLength(1);
    const [, told] = /^s\.jsonl:2: (.*\?|.*(?=\.))\.?$/s.exec(problems[0] ?? '') ?? [];
    if (typeof problem === 'string') expect(told).toBe(problem);
    else expect(told).toMatch(problem);
  });

  test('with lists in lists without end', async () => {
    const { problems } = await read(`{"id":"a","prompt":"p","tags":${'['.repeat(5000)}${']'.repeat(5000)},"profile":"__proto__"}\n`);
    expect(problems[0]).toMatch(/^s\.jsonl:1: tags: more than 32 lists and objects lie in each other/);
  });

  test('that is no UTF-8', async () => {
    const { problems } = await read(Buffer.concat([Buffer.from('{"id":"a","prompt":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}\n')]));
    expect(problems).toEqual(['s.jsonl:1: the line: it is no UTF-8; save the file as UTF-8.']);
  });
});

test('every field of a scenario is taken', async () => {
  const scenario = {
    id: 'a/../b', prompt: 'p', turns: ['more'], system_instructions: 's', profile: 'fake', approval_policy: 'always', sandbox_policy: { kind: 'workspace_write', network_access: true }, tags: ['x'],
    expected: {
      assistant_contains: ['a'], assistant_not_contains: ['b'], assistant_matches_regex: ['(?m)^a$'], event_types: ['UserMessageAdded', 'thinking'], forbidden_event_types: ['ToolInvocationFailed'],
      min_events_of_type: { AssistantMessageCompleted: 1 }, max_events_of_type: { 'operation.started': 0 }, min_tool_invocations: 0, max_tool_failures: 0, max_elapsed_ms: 1000,
      max_context_input_tokens: 10, max_turns: 1, trajectory_actions: ['fs.list'], max_trajectory_steps: 1, workspace_files: [{ path: 'a..b/c', contains: ['x'], not_contains: ['y'] }],
      post_run_commands: [{ program: 'ls', args: ['-l'], cwd: 'sub', exit_code: 1, timeout_ms: 5, stdout_contains: ['x'], stderr_contains: ['y'] }],
    },
  };
  expect((await read(JSON.stringify(scenario))).lines).toEqual([{ line: 1, scenario }]);
});
