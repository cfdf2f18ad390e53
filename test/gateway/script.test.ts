import { describe, expect, test } from 'vitest';
import { ScriptError } from '../../src/gateway/errors.js';
import { parseScript } from '../../src/gateway/script.js';

const format = 'niceeval.script/v1';

function parse(script: object): unknown {
  return parseScript(JSON.stringify(script), 'fix.json');
}

function messageOf(text: string): string {
  try {
    parseScript(text, 'fix.json');
  } catch (error) {
    if (error instanceof ScriptError) return error.message;
    throw error;
  }
  return 'no error';
}

test('reads the short form as one lane called main', () => {
  expect(parse({ format, turns: [{ text: 'Hello.' }] })).toEqual({ format, lanes: [{ name: 'main', turns: [{ text: 'Hello.' }] }] });
});

test('numbers lanes that have no name', () => {
  const script = parse({ format, lanes: [{ when: { hasTool: 'Bash' }, turns: [{ text: 'a' }] }, { turns: [{ text: 'b' }] }] });
  expect(script).toEqual({
    format,
    lanes: [
      { when: { hasTool: 'Bash' }, turns: [{ text: 'a' }], name: 'lane 1' },
      { turns: [{ text: 'b' }], name: 'lane 2' },
    ],
  });
});

test('reads every field of a turn', () => {
  const full = {
    thinking: 'Hm.', text: 'Now.', toolCalls: [{ id: 'call_1', name: 'Read', input: { file_path: '/a', deep: [1, null] } }, { name: 'apply_patch', input: '*** Begin Patch' }],
    usage: { inputTokens: 1, outputTokens: 5, cacheReadTokens: 3, cacheCreationTokens: 4, reasoningTokens: 5 },
    stopReason: 'max_tokens', delayMs: 1, chunkDelayMs: 0.5, cutAfterEvents: 0, stall: true,
  };
  const turns = [full, { error: { status: 429, type: 'rate_limit_error', message: 'Slow down', retryAfterSeconds: 2 }, delayMs: 5, repeat: 3 }];
  expect(parse({ format, turns })).toEqual({ format, lanes: [{ name: 'main', turns }] });
});

test('reads again what it has read', () => {
  const once = parse({ format, turns: [{ text: 'a', repeat: 2 }, { error: { status: 500 } }] });
  expect(parse(once as object)).toEqual(once);
});

describe('a script that cannot be played', () => {
  const turn = { text: 'a' };
  const cases: readonly [title: string, script: object, ...problems: string[]][] = [
    ['says which key was meant', { format, turns: [{ text: 'a', tool_calls: [] }] }, 'turns[0].tool_calls is not a known key. Write it "toolCalls".'],
    [
      'lists the keys for one that nothing resembles', { format, lanes: [{ when: { prompt: 'x' }, turns: [turn] }] },
      'lanes[0].when.prompt is not a known key. Remove it, or use one of: firstUserIncludes, lastUserIncludes, systemIncludes, hasTool, lacksTool, hasImage, model, agent.',
    ],
    ['names unknown keys of the file itself', { format, turns: [turn], version: 1 }, 'version is not a known key. Remove it, or use one of: format, lanes, turns.'],
    ['wants the format', { turns: [turn] }, 'format is missing. Write "niceeval.script/v1".'],
    ['wants its own format', { format: 'v2', turns: [turn] }, 'format is "v2". Write "niceeval.script/v1".'],
    ['wants turns', { format }, 'the script has no turns. Add "turns", or "lanes" that have them.'],
    ['wants one of both forms', { format, turns: [turn], lanes: [{ turns: [turn] }] }, 'the script has both "lanes" and "turns". Keep one of them.'],
    ['wants at least one turn', { format, turns: [] }, 'turns is an empty array. Write an array with at least one entry.'],
    ['wants a turn to say something', { format, turns: [{ usage: { inputTokens: 1, outputTokens: 1 } }] }, 'turns[0] says nothing. Give it "text", "thinking", "toolCalls", "error" or "stall"; "text": "" is an empty answer.'],
    ['wants an error to stand alone', { format, turns: [{ text: 'a', error: { status: 500 } }] }, 'turns[0].text cannot stand beside "error", which is the whole answer. Remove one of the two.'],
    ['wants a failing status', { format, turns: [{ error: { status: 200 } }] }, 'turns[0].error.status is 200. Write a number of at least 400.'],
    ['wants fields of the right kind', { format, turns: [{ text: 7, delayMs: '1s' }] }, 'turns[0].text is 7. Write a string.', 'turns[0].delayMs is "1s". Write a number.'],
    ['wants whole numbers', { format, turns: [{ text: 'a', repeat: 1.5 }] }, 'turns[0].repeat is 1.5. Write a whole number.'],
    ['wants both totals of a usage', { format, turns: [{ text: 'a', usage: { inputTokens: 1 } }] }, 'turns[0].usage.outputTokens is missing. Add it: a number.'],
    ['wants an input', { format, turns: [{ toolCalls: [{ name: 'Read' }] }] }, 'turns[0].toolCalls[0].input is missing. Write an object, or a string for a free-form tool.'],
    ['wants an input of two kinds', { format, turns: [{ toolCalls: [{ name: 'Read', input: [1] }] }] }, 'turns[0].toolCalls[0].input is an array. Write an object, or a string for a free-form tool.'],
    ['wants names that protocols carry', { format, turns: [{ toolCalls: [{ name: 'Read file', input: {} }] }] }, 'turns[0].toolCalls[0].name is "Read file". Write a name that matches /^[\\w.-]{1,128}$/.'],
    ['wants a known reason to stop', { format, turns: [{ text: 'a', stopReason: 'done' }] }, 'turns[0].stopReason is "done". Write "end_turn", "tool_use", "max_tokens" or "refusal".'],
    ['wants reasoning inside the output', { format, turns: [{ text: 'a', usage: { inputTokens: 1, outputTokens: 2, reasoningTokens: 3 } }] }, 'turns[0].usage.reasoningTokens is more than "outputTokens" (2), of which it is a part. Raise "outputTokens" or lower this.'],
    [
      'wants a condition that states something', { format, lanes: [{ when: {}, turns: [turn] }] },
      'lanes[0].when states no condition. Name one, or remove "when" to answer every other request.',
    ],
    [
      'wants every lane to be reached', { format, lanes: [{ turns: [turn] }, { turns: [turn] }] },
      'lanes[1] is never reached: lanes[0] has no "when" either and takes every request. Give one of them a "when".',
    ],
    [
      'wants lanes told apart', { format, lanes: [{ name: 'x', turns: [turn] }, { name: 'x', when: { model: 'm' }, turns: [turn] }] },
      'lanes[1].name is also the name of lanes[0]. Give each lane its own name.',
    ],
    [
      'wants each id once', { format, turns: [{ toolCalls: [{ id: 'a', name: 'x', input: {} }] }, { toolCalls: [{ id: 'a', name: 'x', input: {} }] }] },
      'turns[1].toolCalls[0].id is already the id of a tool call before it. Use each id once, or leave ids out.',
    ],
    [
      'wants no id in a repeated turn', { format, turns: [{ repeat: 2, toolCalls: [{ id: 'a', name: 'x', input: {} }] }] },
      'turns[0].toolCalls[0].id would be sent more than once, because the turn has "repeat". Remove the id, so that each gets its own.',
    ],
    ['wants an object', [1], 'the script is an array. Write an object.'],
  ];
  test.each(cases)('%s', (_, script, ...problems) => {
    expect(messageOf(JSON.stringify(script))).toBe(`Script "fix.json" cannot be played:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  });

  test('says where the JSON breaks', () => {
    let reason = '';
    try {
      JSON.parse('{"format": }');
    } catch (error) {
      reason = (error as Error).message;
    }
    expect(messageOf('{"format": }')).toBe(`Script "fix.json" cannot be played:\n  - the text is not JSON (${reason}). Mend the JSON at that place.`);
  });
});
