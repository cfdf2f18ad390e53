import { describe, expect, test } from 'vitest';
import { streamEventSchema, type StreamEvent } from '../../src/evidence/events.js';
import { turnSchema, type Turn } from '../../src/evidence/turn.js';

const events: readonly StreamEvent[] = [
  { type: 'message', role: 'assistant', text: '' },
  { type: 'message', role: 'user', text: 'Mend it.', loc: { file: 'evals/a.eval.ts', line: 3, column: 5 }, sourceOrder: 1 },
  {
    type: 'operation.started', operationId: 'call_1',
    operation: { kind: 'tool', name: 'Bash', input: { command: ['ls', null, 1.5, true, {}] }, tool: 'shell', command: { classification: 'not-command' } },
  },
  { type: 'operation.finished', operationId: 'call_1', kind: 'tool', status: 'rejected' },
  { type: 'operation.finished', operationId: 'call_1', kind: 'tool', status: 'completed', output: null },
  { type: 'operation.started', operationId: 'task_1', operation: { kind: 'subagent', name: 'helper', remoteUrl: 'https://helper.invalid' } },
  { type: 'operation.finished', operationId: 'task_1', kind: 'subagent', status: 'failed', output: 'gave up' },
  { type: 'skill.loaded', skill: 'pdf', operationId: 'call_2' },
  {
    type: 'input.requested',
    request: { id: 'q1', action: 'Bash', input: { command: 'rm' }, prompt: 'May I?', options: [{ id: 'approve', label: 'Yes' }, { id: 'deny' }] },
  },
  { type: 'thinking', text: 'Hm.' },
  { type: 'context.injected', text: 'CLAUDE.md', source: 'memory' },
  { type: 'compaction', reason: 'the context was full' },
  { type: 'error', message: 'overloaded' },
];

test.each(events)('the schema keeps every field of $type', (event) => {
  expect(streamEventSchema.parse(event)).toEqual(event);
});

describe('the schema of events refuses', () => {
  test.each<[string, unknown]>([
    ['a kind that the standard does not have', { type: 'reasoning', text: 'Hm.' }],
    ['a message of a tool', { type: 'message', role: 'tool', text: 'output' }],
    ['a tool call without input', { type: 'operation.started', operationId: '1', operation: { kind: 'tool', name: 'Bash' } }],
    ['input that is not JSON', { type: 'operation.started', operationId: '1', operation: { kind: 'tool', name: 'Bash', input: () => 1 } }],
    ['a tool without a name', { type: 'operation.started', operationId: '1', operation: { kind: 'tool', name: '', input: {} } }],
    ['an operation without an id', { type: 'operation.started', operationId: '', operation: { kind: 'tool', name: 'Bash', input: {} } }],
    ['a canonical name that is not one', { type: 'operation.started', operationId: '1', operation: { kind: 'tool', name: 'Bash', input: {}, tool: 'bash' } }],
    ['an end without a kind', { type: 'operation.finished', operationId: '1', status: 'completed' }],
    ['a tool that ends as pending', { type: 'operation.finished', operationId: '1', kind: 'tool', status: 'pending' }],
    ['a subagent that was rejected', { type: 'operation.finished', operationId: '1', kind: 'subagent', status: 'rejected' }],
  ])('%s', (_what, event) => {
    expect(streamEventSchema.safeParse(event).success).toBe(false);
  });
});

test('the schema of a turn keeps what a turn says, and no more than the six channels', () => {
  const turn: Turn = {
    events: [{ type: 'message', role: 'assistant', text: 'Done.' }],
    data: { answer: [1, null] },
    status: 'waiting',
    usage: { inputTokens: 0, costUSD: 0.5 },
    evidenceCoverage: { usage: { status: 'partial', reason: 'cut' } },
  };
  expect(turnSchema.parse(turn)).toEqual(turn);
  expect(turnSchema.safeParse({ ...turn, evidenceCoverage: { spans: { status: 'complete' } } }).success).toBe(false);
  expect(turnSchema.safeParse({ ...turn, status: 'done' }).success).toBe(false);
});
