import { describe, expect, test } from 'vitest';
import { DefinitionError } from '../../src/define/errors.js';
import { scripted } from '../../src/define/gateway.js';
import { script, type LaneBuilder } from '../../src/define/script-builder.js';
import { parseScript, scriptOf } from '../../src/gateway/script.js';

describe('script()', () => {
  test('writes what a file would hold', () => {
    const built = script()
      .says('I look.', { thinking: 'Hm.' })
      .calls('Bash', { command: 'ls' }, { text: 'Listing.' })
      .fails(529, { retryAfterSeconds: 2, repeat: 3 })
      .turn({ text: 'Done.', expects: { toolResultIncludes: 'a.txt' } })
      .toScript();
    const file = `{
      "format": "niceeval.script/v1",
      "turns": [
        { "thinking": "Hm.", "text": "I look." },
        { "text": "Listing.", "toolCalls": [{ "name": "Bash", "input": { "command": "ls" } }] },
        { "error": { "status": 529, "retryAfterSeconds": 2 }, "repeat": 3 },
        { "text": "Done.", "expects": { "toolResultIncludes": "a.txt" } }
      ]
    }`;
    expect(scriptOf(built, 'x')).toEqual(parseScript(file, 'x'));
  });

  test('puts its own turns into a last lane, for what no other lane takes', () => {
    const built = script()
      .says('Main.')
      .lane('helper', { agent: 'subagent' }, (lane) => lane.calls('Read', { path: 'a' }).says('Read it.'))
      .lane('summary', { systemIncludes: 'summary' }, (lane) => lane.says('Short.'));
    expect(scriptOf(built.toScript(), 'x').lanes.map(({ name, when, turns }) => [name, when, turns.length])).toEqual([
      ['helper', { agent: 'subagent' }, 2], ['summary', { systemIncludes: 'summary' }, 1], ['main', undefined, 1],
    ]);
  });

  test('gives a lane without a condition where there are no turns beside lanes', () => {
    const built = script().lane('all', undefined, (lane) => lane.says('Hello.'));
    expect(scriptOf(built.toScript(), 'x').lanes).toEqual([{ name: 'all', turns: [{ text: 'Hello.' }] }]);
  });

  test('leaves every builder as it was, and sees no change of what it was given', () => {
    const base = script().says('One.');
    const input = { command: 'ls' };
    const [left, right] = [base.calls('Bash', input), base.says('Two.')];
    input.command = 'rm -rf /';
    expect([base, left, right].map((built) => built.toScript())).toEqual([
      { format: 'niceeval.script/v1', turns: [{ text: 'One.' }] },
      { format: 'niceeval.script/v1', turns: [{ text: 'One.' }, { toolCalls: [{ name: 'Bash', input: { command: 'ls' } }] }] },
      { format: 'niceeval.script/v1', turns: [{ text: 'One.' }, { text: 'Two.' }] },
    ]);
  });

  test('is taken by scripted()', () => {
    expect(scripted(script().says('Hello.'))).toEqual({ mode: 'scripted', script: { format: 'niceeval.script/v1', turns: [{ text: 'Hello.' }] } });
  });

  test('refuses what is no data, and a lane that gives nothing back', () => {
    expect(() => script().calls('Bash', { command: (() => 'ls') as unknown as string })).toThrow(new DefinitionError('script(): a turn and a condition must be data: texts, numbers, lists and objects of them.'));
    expect(() => script().lane('a', undefined, (lane) => void lane.says('Lost.') as unknown as LaneBuilder)).toThrow(new DefinitionError('script().lane("a"): the function must return the lane that it was given, with turns.'));
  });
});
