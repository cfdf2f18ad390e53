import { describe, expect, test } from 'vitest';
import type { InputRequest, StreamEvent } from '../../src/evidence/events.js';
import type { TurnStatus } from '../../src/evidence/turn.js';
import type { Usage } from '../../src/evidence/usage.js';
import { domainEventsOf } from '../../src/scenario/domain-events.js';

const user = (text: string): StreamEvent => ({ type: 'message', role: 'user', text });
const says = (text: string, parentOperationId?: string): StreamEvent => ({ type: 'message', role: 'assistant', text, ...(parentOperationId === undefined ? {} : { parentOperationId }) });
const calls = (operationId: string, name: string): StreamEvent => ({ type: 'operation.started', operationId, operation: { kind: 'tool', name, input: {} } });
const ends = (operationId: string, status: 'completed' | 'failed' | 'rejected'): StreamEvent => ({ type: 'operation.finished', operationId, kind: 'tool', status });
const LEAVE: InputRequest = { id: 'r', action: 'Write', options: [{ id: 'approve' }, { id: 'deny' }] };
const asks = (request: InputRequest): StreamEvent => ({ type: 'input.requested', request });

const turn = (events: readonly StreamEvent[], usage?: Usage, status: TurnStatus = 'completed') => ({ events, status, ...(usage === undefined ? {} : { usage }) });

test('a session that nothing was sent in has no events', () => {
  expect(domainEventsOf([])).toEqual([]);
});

test('a request is told before what it gave, once for all that it gave', () => {
  expect(domainEventsOf([turn([user('go'), { type: 'thinking', text: 'hm' }, says('I look.'), calls('1', 'Read'), calls('2', 'Read'), ends('1', 'completed'), ends('2', 'failed'), says('Done.')], { requests: 2 })])).toEqual([
    'SessionInitialized', 'UserMessageAdded',
    'ModelRequestStarted', 'thinking', 'AssistantMessageCompleted', 'ModelToolCallRequested', 'ToolInvocationStarted', 'ModelToolCallRequested', 'ToolInvocationStarted',
    'ToolInvocationCompleted', 'ToolInvocationFailed',
    'ModelRequestStarted', 'AssistantMessageCompleted', 'ModelUsageRecorded',
  ]);
});

test('requests that were counted and gave nothing that is seen are told at the end of their turn', () => {
  expect(domainEventsOf([turn([user('go'), says('Hi.')], { requests: 3 }), turn([user('more'), { type: 'error', message: 'no' }], { requests: 1 }, 'failed')])).toEqual([
    'SessionInitialized', 'UserMessageAdded', 'ModelRequestStarted', 'AssistantMessageCompleted', 'ModelRequestStarted', 'ModelRequestStarted', 'ModelUsageRecorded',
    'UserMessageAdded', 'error', 'ModelRequestStarted', 'ModelUsageRecorded',
  ]);
});

describe('leave that is refused', () => {
  test('without being asked for is told as asked for and denied, and is no invocation', () => {
    expect(domainEventsOf([turn([user('go'), calls('1', 'Write'), ends('1', 'rejected'), says('No.')])])).toEqual([
      'SessionInitialized', 'UserMessageAdded', 'ModelRequestStarted', 'ModelToolCallRequested', 'PermissionRequested', 'PermissionDenied', 'ModelRequestStarted', 'AssistantMessageCompleted',
    ]);
  });

  test('when it was asked for is told once, also where the turn waited in between', () => {
    const once = ['SessionInitialized', 'UserMessageAdded', 'ModelRequestStarted', 'ModelToolCallRequested', 'PermissionRequested', 'PermissionDenied', 'ModelRequestStarted', 'AssistantMessageCompleted'];
    expect(domainEventsOf([turn([user('go'), calls('1', 'Write'), asks(LEAVE), ends('1', 'rejected'), says('No.')])])).toEqual(once);
    expect(domainEventsOf([turn([user('go'), calls('1', 'Write'), asks(LEAVE)], undefined, 'waiting'), turn([user('deny'), ends('1', 'rejected'), says('No.')])])).toEqual(once);
  });

  test('belongs to an action, however the CLI calls it when it asks', () => {
    const named = { ...LEAVE, action: 'file_change' };
    expect(domainEventsOf([turn([user('go'), calls('1', 'apply_patch'), asks(named)], undefined, 'waiting'), turn([user('deny'), ends('1', 'rejected')])])).toEqual([
      'SessionInitialized', 'UserMessageAdded', 'ModelRequestStarted', 'ModelToolCallRequested', 'PermissionRequested', 'PermissionDenied',
    ]);
  });

  test('is not what a question is', () => {
    expect(domainEventsOf([turn([user('go'), asks({ id: 'q', options: [{ id: 'red' }, { id: 'blue' }] })], undefined, 'waiting')])).toEqual(['SessionInitialized', 'UserMessageAdded', 'input.requested']);
  });
});

test('what a subagent says is no answer to the user, and what it does is done', () => {
  const task: StreamEvent = { type: 'operation.started', operationId: 't', operation: { kind: 'subagent', name: 'helper' } };
  expect(domainEventsOf([turn([
    user('go'), task, says('I begin.', 't'), { ...calls('1', 'Read'), parentOperationId: 't' }, { ...ends('1', 'completed'), parentOperationId: 't' },
    { type: 'operation.finished', operationId: 't', kind: 'subagent', status: 'completed' }, says('Done.'),
  ])])).toEqual([
    'SessionInitialized', 'UserMessageAdded', 'ModelRequestStarted', 'ModelToolCallRequested', 'ToolInvocationStarted', 'message', 'ModelToolCallRequested', 'ToolInvocationStarted', 'ToolInvocationCompleted',
    'ToolInvocationCompleted', 'ModelRequestStarted', 'AssistantMessageCompleted',
  ]);
});

test('compaction and what has no domain name', () => {
  expect(domainEventsOf([turn([user('go'), { type: 'compaction', tokensBefore: 9 }, { type: 'skill.loaded', skill: 's' }, { type: 'context.injected', text: 'c' }, says('Hi.')])])).toEqual([
    'SessionInitialized', 'UserMessageAdded', 'ContextCompactionStarted', 'ContextCompactionCompleted', 'skill.loaded', 'context.injected', 'ModelRequestStarted', 'AssistantMessageCompleted',
  ]);
  // As claude 2.1.197 tells it: fixtures/agents/claude-code/2.1.197/compact-auto-failed.
  const failed: StreamEvent = { type: 'error', message: 'Compaction failed: too_few_groups', recovered: true };
  expect(domainEventsOf([turn([user('go'), failed, { type: 'error', message: 'Prompt is too long' }])])).toEqual(['SessionInitialized', 'UserMessageAdded', 'ContextCompactionStarted', 'ContextCompactionFailed', 'error']);
});
