import { describe, expect, test } from 'vitest';
import type { OccurrenceStatus, ToolOccurrence } from '../../src/evidence/occurrence.js';
import { jsonMatch } from '../../src/expect/json-match.js';
import type { MatchOutcome, ValueMatch } from '../../src/expect/match.js';
import { toolMatch, type ToolConditions } from '../../src/expect/tool.js';
import { includes } from '../../src/expect/texts.js';
import { satisfies } from '../../src/expect/values.js';

const call: ToolOccurrence = {
  operationId: 'call_1',
  startedIndex: 0,
  operation: { kind: 'tool', name: 'Edit', input: { file_path: '/project/sum.mjs', old_string: 'a - b' }, tool: 'file_edit' },
  status: 'completed',
  output: 'The file has been updated.',
};
const { output: _output, ...withoutOutput } = call;

const statusOf = async (name: string | undefined, conditions: ToolConditions, occurrence = call): Promise<MatchOutcome['status']> => (
  (await toolMatch(name, conditions).evaluate(occurrence)).status
);

describe('toolMatch', () => {
  test.each<[string | undefined, ToolOccurrence['operation']['tool'] | undefined, MatchOutcome['status']]>([
    ['Edit', 'file_edit', 'matched'],
    ['file_edit', 'file_edit', 'matched'],
    [undefined, 'file_edit', 'matched'],
    ['edit', 'file_edit', 'mismatched'],
    ['shell', 'file_edit', 'mismatched'],
    ['Edit', undefined, 'matched'],
    ['file_edit', undefined, 'unavailable'],
    ['edit', undefined, 'mismatched'],
    ['Edit', 'unknown', 'matched'],
    ['unknown', 'unknown', 'mismatched'],
  ])('the name %s and a tool called Edit of the class %s: %s', async (name, tool, expected) => {
    const { tool: _tool, ...operation } = call.operation;
    expect(await statusOf(name, {}, { ...call, operation: { ...operation, ...(tool === undefined ? {} : { tool }) } })).toBe(expected);
  });

  test.each<[OccurrenceStatus, Record<'pending' | 'completed' | 'failed' | 'rejected', MatchOutcome['status']>]>([
    ['pending', { pending: 'matched', completed: 'mismatched', failed: 'mismatched', rejected: 'mismatched' }],
    ['completed', { pending: 'mismatched', completed: 'matched', failed: 'mismatched', rejected: 'mismatched' }],
    ['failed', { pending: 'mismatched', completed: 'mismatched', failed: 'matched', rejected: 'mismatched' }],
    ['rejected', { pending: 'mismatched', completed: 'mismatched', failed: 'mismatched', rejected: 'matched' }],
    ['undecidable', { pending: 'unavailable', completed: 'unavailable', failed: 'unavailable', rejected: 'unavailable' }],
  ])('a call that is %s and each status that can be asked for', async (status, expected) => {
    const asked = ['pending', 'completed', 'failed', 'rejected'] as const;
    const outcomes = await Promise.all(asked.map(async (wanted) => [wanted, await statusOf('Edit', { status: wanted }, { ...call, status })]));
    expect(Object.fromEntries(outcomes)).toEqual(expected);
  });

  test('a call whose end is not known still has its name', async () => {
    expect(await statusOf('Edit', {}, { ...withoutOutput, status: 'undecidable' })).toBe('matched');
    expect(await statusOf('Write', { status: 'failed' }, { ...withoutOutput, status: 'undecidable' })).toBe('mismatched');
  });

  test.each<[string, ToolConditions, ToolOccurrence, MatchOutcome]>([
    ['input that fits', { input: jsonMatch({ file_path: /sum\.mjs$/ }) }, call, { status: 'matched' }],
    [
      'input that differs', { input: jsonMatch({ old_string: 'a + b' }) }, call,
      { status: 'mismatched', expected: '"a + b"', received: '"a - b"', path: '/old_string' },
    ],
    ['output that fits', { output: includes('updated') }, call, { status: 'matched' }],
    [
      'output that differs', { output: includes('created') }, call,
      { status: 'mismatched', expected: 'includes "created"', received: '"The file has been updated."' },
    ],
    ['output that is not known', { output: includes('updated') }, withoutOutput, { status: 'unavailable', code: 'output-unknown', reason: 'the output of Edit (call_1) is not known' }],
    [
      'unknown output beside input that differs', { output: includes('updated'), input: jsonMatch({ file_path: 'x' }) }, withoutOutput,
      { status: 'mismatched', expected: '"x"', received: '"/project/sum.mjs"', path: '/file_path' },
    ],
    ['a condition that answers later', { input: satisfies('is long', () => Promise.resolve(true)) }, call, { status: 'matched' }],
  ])('compares %s', async (_what, conditions, occurrence, outcome) => {
    expect(await toolMatch('Edit', conditions).evaluate(occurrence)).toEqual(outcome);
  });

  test('says in words what it asks for', () => {
    expect(toolMatch().description).toBe('any tool');
    expect(toolMatch('Edit', { status: 'completed', input: jsonMatch({ a: /x/ }), output: includes('y') }).description)
      .toBe('tool "Edit" with status completed and input matches JSON {"a":"/x/"} and output includes "y"');
  });

  test.each<[string, () => unknown, string]>([
    ['an unknown condition', () => toolMatch('Edit', { inputs: 1 } as ToolConditions), 'toolMatch does not know the condition "inputs". It knows input, output and status.'],
    [
      'input that is no match', () => toolMatch('Edit', { input: { a: 1 } as unknown as ValueMatch }),
      'toolMatch needs a value match as `input`, for instance jsonMatch({...}).',
    ],
    [
      'output that is a match of tool calls', () => toolMatch('Edit', { output: toolMatch('Edit') as unknown as ValueMatch }),
      'toolMatch needs a value match as `output`, for instance jsonMatch({...}).',
    ],
    [
      'a status that no call has', () => toolMatch('Edit', { status: 'done' as 'completed' }),
      'toolMatch does not know the status "done". It knows pending, completed, failed and rejected.',
    ],
  ])('refuses %s', (_what, make, message) => {
    expect(make).toThrow(new TypeError(message));
  });
});
