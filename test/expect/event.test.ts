import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../src/evidence/events.js';
import { sessionOccurrencesOf } from '../../src/evidence/occurrence.js';
import { and, not, or } from '../../src/expect/combine.js';
import { EVENT_KINDS, eventMatch, type EventConditions, type EventKind } from '../../src/expect/event.js';
import { jsonMatch } from '../../src/expect/json-match.js';
import type { EventMatch, MatchOutcome } from '../../src/expect/match.js';
import { includes } from '../../src/expect/texts.js';
import { toolMatch } from '../../src/expect/tool.js';
import { isTrue, satisfies } from '../../src/expect/values.js';
import { call, delegation, orphanEnd, says, undecidable } from '../assert/scopes.js';

type Status = MatchOutcome['status'];

/** How the last of these events comes out. */
async function ask(match: EventMatch, ...events: readonly StreamEvent[]): Promise<MatchOutcome> {
  const last = sessionOccurrencesOf(events).events.at(-1);
  if (last === undefined) throw new Error('there is no event');
  return match.evaluate(last);
}

const tool: StreamEvent = { type: 'operation.started', operationId: '1', operation: { kind: 'tool', name: 'Edit', tool: 'file_edit', input: { file_path: 'a.ts' } } };
const toolEnd: StreamEvent = { type: 'operation.finished', operationId: '1', kind: 'tool', status: 'failed', output: 'no such file', exitCode: 2 };
const silentEnd: StreamEvent = { type: 'operation.finished', operationId: '1', kind: 'tool', status: 'completed' };
const helper: StreamEvent = { type: 'operation.started', operationId: '1', operation: { kind: 'subagent', name: 'helper', remoteUrl: 'https://a.com' } };
const nearby: StreamEvent = { type: 'operation.started', operationId: '1', operation: { kind: 'subagent', name: 'helper' } };
const helperEnd: StreamEvent = { type: 'operation.finished', operationId: '1', kind: 'subagent', status: 'failed', output: { done: false } };
const asks: StreamEvent = {
  type: 'input.requested', request: { id: 'q1', action: 'Bash', input: { command: 'rm a' }, prompt: 'May I?', options: [{ id: 'yes' }, { id: 'no', label: 'No' }] },
};

type Row = { readonly [K in EventKind]: readonly [kind: K, conditions: EventConditions[K], events: readonly StreamEvent[], expected: Status] }[EventKind];

describe('each kind of event with each of its conditions', () => {
  test.each<Row>([
    ['message', {}, [says('Hi.')], 'matched'],
    ['message', {}, [says('Hi.', 'user')], 'matched'],
    ['message', { role: 'assistant' }, [says('Hi.')], 'matched'],
    ['message', { role: 'assistant' }, [says('Hi.', 'user')], 'mismatched'],
    ['message', { text: 'Hi.' }, [says('Hi.')], 'matched'],
    ['message', { text: 'Hi' }, [says('Hi.')], 'mismatched'],
    ['message', { text: /^hi/i }, [says('Hi.')], 'matched'],
    ['message', { text: includes('i') }, [says('Hi.')], 'matched'],
    ['message', { text: (text) => text === 'Hi.' }, [says('Hi.')], 'matched'],
    ['message', { role: 'user', text: /Hi/ }, [says('Hi.')], 'mismatched'],
    ['operation.started', {}, [tool], 'matched'],
    ['operation.started', {}, [helper], 'mismatched'],
    ['operation.started', { tool: 'Edit' }, [tool], 'matched'],
    ['operation.started', { tool: 'file_edit' }, [tool], 'matched'],
    ['operation.started', { tool: 'Write' }, [tool], 'mismatched'],
    ['operation.started', { tool: toolMatch('Edit', { input: jsonMatch({ file_path: /\.ts$/ }) }) }, [tool], 'matched'],
    ['operation.started', { tool: 'Edit' }, [helper], 'mismatched'],
    ['operation.started', { input: { file_path: 'a.ts' } }, [tool], 'matched'],
    ['operation.started', { input: { file_path: 'b.ts' } }, [tool], 'mismatched'],
    ['operation.started', { subagent: 'helper' }, [helper], 'matched'],
    ['operation.started', { subagent: /^help/ }, [helper], 'matched'],
    ['operation.started', { subagent: true }, [helper], 'matched'],
    ['operation.started', { subagent: 'other' }, [helper], 'mismatched'],
    ['operation.started', { subagent: 'helper' }, [tool], 'mismatched'],
    ['operation.started', { subagent: true, remoteUrl: /a\.com/ }, [helper], 'matched'],
    ['operation.started', { subagent: true, remoteUrl: 'https://b.com' }, [helper], 'mismatched'],
    ['operation.started', { subagent: true, remoteUrl: /a\.com/ }, [nearby], 'unavailable'],
    ['operation.finished', {}, [tool, toolEnd], 'matched'],
    ['operation.finished', {}, [helper, helperEnd], 'mismatched'],
    ['operation.finished', { tool: 'Edit' }, [tool, toolEnd], 'matched'],
    ['operation.finished', { tool: 'Bash' }, [tool, toolEnd], 'mismatched'],
    ['operation.finished', { tool: toolMatch('Edit', { status: 'failed', output: includes('no such') }) }, [tool, toolEnd], 'matched'],
    ['operation.finished', { tool: toolMatch('Edit', { status: 'completed' }) }, [tool, toolEnd], 'mismatched'],
    ['operation.finished', { status: 'failed' }, [tool, toolEnd], 'matched'],
    ['operation.finished', { status: 'completed' }, [tool, toolEnd], 'mismatched'],
    ['operation.finished', { output: /no such/ }, [tool, toolEnd], 'matched'],
    ['operation.finished', { output: /no such/ }, [tool, silentEnd], 'unavailable'],
    ['operation.finished', { exitCode: 2 }, [tool, toolEnd], 'matched'],
    ['operation.finished', { exitCode: 0 }, [tool, toolEnd], 'mismatched'],
    ['operation.finished', { exitCode: 0 }, [tool, silentEnd], 'unavailable'],
    ['operation.finished', { exitCode: 0, status: 'failed' }, [tool, silentEnd], 'mismatched'],
    ['operation.finished', { subagent: 'helper' }, [helper, helperEnd], 'matched'],
    ['operation.finished', { subagent: 'helper', status: 'failed', output: { done: false } }, [helper, helperEnd], 'matched'],
    ['operation.finished', { subagent: 'helper', status: 'completed' }, [helper, helperEnd], 'mismatched'],
    ['operation.finished', { subagent: true }, [tool, toolEnd], 'mismatched'],
    ['skill.loaded', {}, [{ type: 'skill.loaded', skill: 'pdf' }], 'matched'],
    ['skill.loaded', { skill: 'pdf' }, [{ type: 'skill.loaded', skill: 'pdf' }], 'matched'],
    ['skill.loaded', { skill: 'docx' }, [{ type: 'skill.loaded', skill: 'pdf' }], 'mismatched'],
    ['skill.loaded', { operationId: 'a' }, [{ type: 'skill.loaded', skill: 'pdf', operationId: 'a' }], 'matched'],
    ['skill.loaded', { operationId: 'a' }, [{ type: 'skill.loaded', skill: 'pdf' }], 'unavailable'],
    ['input.requested', {}, [asks], 'matched'],
    ['input.requested', { id: 'q1', action: 'Bash', prompt: /May/, input: { command: /^rm/ } }, [asks], 'matched'],
    ['input.requested', { id: 'q2' }, [asks], 'mismatched'],
    ['input.requested', { action: 'Edit' }, [asks], 'mismatched'],
    ['input.requested', { options: [{ id: 'yes' }, { label: 'No' }] }, [asks], 'matched'],
    ['input.requested', { options: [{ id: 'yes' }] }, [asks], 'mismatched'],
    ['input.requested', { optionIds: ['no', 'yes'] }, [asks], 'matched'],
    ['input.requested', { optionIds: ['yes'] }, [asks], 'mismatched'],
    ['input.requested', { optionIds: ['yes'] }, [{ type: 'input.requested', request: {} }], 'unavailable'],
    ['input.requested', { prompt: /May/ }, [{ type: 'input.requested', request: {} }], 'unavailable'],
    ['thinking', {}, [{ type: 'thinking', text: 'hm' }], 'matched'],
    ['thinking', { text: /hm/ }, [{ type: 'thinking', text: 'hm' }], 'matched'],
    ['thinking', { text: /x/ }, [{ type: 'thinking', text: 'hm' }], 'mismatched'],
    ['context.injected', { text: /rule/, source: 'AGENTS.md' }, [{ type: 'context.injected', text: 'a rule', source: 'AGENTS.md' }], 'matched'],
    ['context.injected', { source: 'CLAUDE.md' }, [{ type: 'context.injected', text: 'a rule', source: 'AGENTS.md' }], 'mismatched'],
    ['context.injected', { source: 'CLAUDE.md' }, [{ type: 'context.injected', text: 'a rule' }], 'unavailable'],
    ['compaction', {}, [{ type: 'compaction' }], 'matched'],
    ['compaction', { reason: 'auto', tokensBefore: 9, tokensAfter: (tokens) => (tokens as number) < 9 }, [{ type: 'compaction', reason: 'auto', tokensBefore: 9, tokensAfter: 3 }], 'matched'],
    ['compaction', { reason: 'manual' }, [{ type: 'compaction', reason: 'auto' }], 'mismatched'],
    ['compaction', { reason: 'auto' }, [{ type: 'compaction' }], 'unavailable'],
    ['compaction', { tokensAfter: 3 }, [{ type: 'compaction', reason: 'auto' }], 'unavailable'],
    ['error', { message: /limit/ }, [{ type: 'error', message: 'rate limit' }], 'matched'],
    ['error', { message: 'rate limit', recovered: true }, [{ type: 'error', message: 'rate limit', recovered: true }], 'matched'],
    ['error', { recovered: true }, [{ type: 'error', message: 'rate limit' }], 'mismatched'],
    ['error', { recovered: false }, [{ type: 'error', message: 'rate limit' }], 'matched'],
  ])('%s with %o', async (kind, conditions, events, expected) => {
    expect((await ask(eventMatch(kind, conditions as never), ...events)).status).toBe(expected);
  });

  test('no kind is taken for another', async () => {
    const one: { readonly [K in EventKind]: StreamEvent } = {
      'message': says('a'), 'operation.started': tool, 'operation.finished': toolEnd, 'skill.loaded': { type: 'skill.loaded', skill: 'a' }, 'input.requested': asks,
      'thinking': { type: 'thinking', text: 'a' }, 'context.injected': { type: 'context.injected', text: 'a' }, 'compaction': { type: 'compaction' }, 'error': { type: 'error', message: 'a' },
    };
    for (const asked of EVENT_KINDS) {
      const found: string[] = [];
      for (const kind of EVENT_KINDS) if ((await ask(eventMatch(asked), one[kind])).status === 'matched') found.push(kind);
      expect(found).toEqual([asked]);
    }
    expect(EVENT_KINDS.length).toBe(9);
  });
});

describe('an end of which nobody knows what it ended', () => {
  test.each<[string, readonly StreamEvent[], EventConditions['operation.finished'], MatchOutcome]>([
    ['is still an end', [orphanEnd()], {}, { status: 'matched' }],
    ['has its own status', [orphanEnd('tool', 'failed')], { status: 'failed' }, { status: 'matched' }],
    ['of a subagent is of some subagent', [orphanEnd('subagent', 'failed')], { subagent: true }, { status: 'matched' }],
    ['of a subagent may be of any', [orphanEnd('subagent', 'failed')], { subagent: 'reviewer' }, { status: 'unavailable', code: 'end-undecidable', reason: expect.stringMatching(/^which subagent ended under the id "lost_\d+" is not known$/) as string }],
    ['may be of any tool', [orphanEnd()], { tool: 'Edit' }, { status: 'unavailable', code: 'end-undecidable', reason: expect.stringMatching(/^which call ended under the id "lost_\d+" is not known$/) as string }],
    ['of a tool is of no subagent', [orphanEnd()], { subagent: true }, { status: 'mismatched', expected: 'event operation.finished with subagent true', received: 'operation.finished' }],
  ])('%s', async (_what, events, conditions, outcome) => {
    expect(await ask(eventMatch('operation.finished', conditions), ...events)).toEqual(outcome);
  });

  test('an id that was used by two calls at once leaves open which of them ended', async () => {
    const overlapping = undecidable('Edit');
    const id = (overlapping[0] as { operationId: string }).operationId;
    const end: StreamEvent = { type: 'operation.finished', operationId: id, kind: 'tool', status: 'failed' };
    expect((await ask(eventMatch('operation.finished', { tool: 'Edit' }), ...overlapping, end)).status).toBe('unavailable');
    expect((await ask(eventMatch('operation.finished', { status: 'failed' }), ...overlapping, end)).status).toBe('matched');
    expect((await ask(eventMatch('operation.started', { tool: 'Edit' }), ...overlapping)).status).toBe('matched');
    expect((await ask(eventMatch('operation.started', { tool: toolMatch('Edit', { status: 'failed' }) }), ...overlapping)).status).toBe('unavailable');
  });
});

describe('matches of events combine', () => {
  test.each<[string, EventMatch, readonly StreamEvent[], Status]>([
    ['and', and(eventMatch('message', { role: 'assistant' }), eventMatch('message', { text: /a/ })), [says('a')], 'matched'],
    ['and, of which one does not hold', and(eventMatch('message', { role: 'user' }), eventMatch('message', { text: /a/ })), [says('a')], 'mismatched'],
    ['and, of which one cannot be told', and(eventMatch('compaction'), eventMatch('compaction', { reason: 'auto' })), [{ type: 'compaction' }], 'unavailable'],
    ['or over kinds', or(eventMatch('error'), eventMatch('compaction')), [{ type: 'compaction' }], 'matched'],
    ['or, of which one cannot be told', or(eventMatch('error'), eventMatch('compaction', { reason: 'auto' })), [{ type: 'compaction' }], 'unavailable'],
    ['not', not(eventMatch('message', { text: /a/ })), [says('b')], 'matched'],
    ['not, which every other kind fits', not(eventMatch('message')), [{ type: 'compaction' }], 'matched'],
    ['not, of what cannot be told', not(eventMatch('compaction', { reason: 'auto' })), [{ type: 'compaction' }], 'unavailable'],
    ['not of not', not(not(eventMatch('message'))), [says('a')], 'matched'],
  ])('%s', async (_what, match, events, expected) => {
    expect((await ask(match, ...events)).status).toBe(expected);
    expect(match.domain).toBe('event');
  });

  test('know the kinds that they may match', () => {
    expect(or(eventMatch('error'), eventMatch('compaction'), eventMatch('error')).kinds).toEqual(['error', 'compaction']);
    expect(not(eventMatch('error')).kinds).toEqual(EVENT_KINDS);
  });

  test('not with those of other domains', () => {
    for (const make of [() => and(eventMatch('error') as never, isTrue()), () => or(eventMatch('error') as never, toolMatch('a')), () => or(toolMatch('a') as never, isTrue())]) {
      expect(make).toThrow(/^(and|or)\(\) needs matches of one kind: of values, of tool calls or of events\.$/);
    }
  });
});

test('waits for a condition that answers later', async () => {
  const match = eventMatch('message', { text: satisfies('is short', (text) => Promise.resolve((text as string).length < 3)) });
  expect(await ask(match, says('a'))).toEqual({ status: 'matched' });
  expect(await ask(match, says('abc'))).toEqual({ status: 'mismatched', expected: 'is short', received: '"abc"', path: '/text' });
});

test('what the author changes in a condition later changes nothing', async () => {
  const input = { file_path: 'a.ts', list: [1] };
  const optionIds = ['yes', 'no'];
  const match = eventMatch('operation.started', { input: { file_path: input.file_path } });
  const nested = eventMatch('operation.started', { input });
  const options = eventMatch('input.requested', { optionIds });
  input.file_path = 'b.ts';
  input.list.push(2);
  optionIds.push('maybe');
  const event: StreamEvent = { type: 'operation.started', operationId: '1', operation: { kind: 'tool', name: 'Edit', input: { file_path: 'a.ts', list: [1] } } };
  expect([(await ask(match, event)).status, (await ask(nested, event)).status, (await ask(options, asks)).status]).toEqual(['matched', 'matched', 'matched']);
});

test('says in words what it asks for', () => {
  expect([
    eventMatch('compaction'), eventMatch('message', { role: 'user', text: /a/ }), eventMatch('operation.started', { tool: 'Edit' }),
    eventMatch('operation.finished', { tool: toolMatch('Edit', { status: 'failed' }), status: 'failed' }), eventMatch('operation.started', { subagent: true }),
  ].map(({ description }) => description)).toEqual([
    'event compaction', 'event message with role "user" and text "/a/"', 'event operation.started with tool "Edit"',
    'event operation.finished with tool "Edit" with status failed and status "failed"', 'event operation.started with subagent true',
  ]);
});

test.each<[string, () => unknown, string | RegExp]>([
  ['an unknown kind', () => eventMatch('tool' as EventKind), 'eventMatch does not know the kind "tool". It knows message, operation.started, operation.finished, skill.loaded, input.requested, thinking, context.injected, compaction, error.'],
  ['a condition of another kind', () => eventMatch('compaction', { text: 'a' } as never), 'eventMatch("compaction") does not know the condition "text". It knows reason, tokensBefore, tokensAfter.'],
  ['conditions that are none', () => eventMatch('compaction', null as never), 'eventMatch("compaction", ...) needs an object of conditions, not null.'],
  ['a tool and a subagent at once', () => eventMatch('operation.started', { tool: 'a', subagent: 'b' }), 'eventMatch cannot ask for a tool call and for a subagent at once. Leave one out.'],
  ['the input of a subagent', () => eventMatch('operation.started', { input: 'a', subagent: 'b' }), 'eventMatch cannot ask for a tool call and for a subagent at once. Leave one out.'],
  ['the exit code of a subagent', () => eventMatch('operation.finished', { exitCode: 0, subagent: 'b' }), 'eventMatch cannot ask for a tool call and for a subagent at once. Leave one out.'],
  ['the URL of a tool', () => eventMatch('operation.started', { remoteUrl: 'a' }), 'eventMatch: only subagents have a `remoteUrl`. Ask for `subagent` as well, or leave it out.'],
  ['a tool that is a match of values', () => eventMatch('operation.started', { tool: isTrue() as never }), 'eventMatch needs the name of a tool or a match of tool calls as `tool`, for instance toolMatch("shell").'],
  ['ids that are no list', () => eventMatch('input.requested', { optionIds: 'yes' as never }), 'eventMatch needs a list of ids as `optionIds`, for instance ["approve", "deny"].'],
  ['a pattern that is none', () => eventMatch('message', { role: new Map() as never }), 'jsonMatch cannot compare with {} at /role. Use JSON values, a RegExp, a function or a value match.'],
])('refuses %s', (_what, make, message) => {
  expect(make).toThrow(new TypeError(message as string));
});

test('a call and a delegation are paired within their own kind', async () => {
  const events = [...call('Edit', 'pending', 'x'), ...delegation('helper', 'completed', 'x')];
  expect((await ask(eventMatch('operation.finished', { subagent: 'helper' }), ...events)).status).toBe('matched');
});
