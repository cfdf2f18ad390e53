import { expect, test } from 'vitest';
import { toldSince } from '../../../src/agents/codex/told-since.js';
import type { StreamEvent } from '../../../src/evidence/events.js';
import type { Turn } from '../../../src/evidence/turn.js';

const say = (text: string): StreamEvent => ({ type: 'message', role: 'assistant', text });
const start = (id: string): StreamEvent => ({ type: 'operation.started', operationId: id, operation: { kind: 'tool', name: 'x', input: null } });
const end = (id: string): StreamEvent => ({ type: 'operation.finished', operationId: id, kind: 'tool', status: 'completed' });
const ask = (id: string): StreamEvent => ({ type: 'input.requested', request: { id, action: 'a', prompt: 'p' } });
const turn = (events: readonly StreamEvent[], more: Partial<Turn> = {}): Turn => ({ status: 'completed', events, ...more });

test('leaves the first part as it is', () => {
  const first = turn([say('a'), ask('0')], { status: 'waiting' });
  expect(toldSince(undefined, first)).toBe(first);
});

test('takes out what was told, once for each time, and keeps what came late or again', () => {
  const told = turn([say('a'), start('1'), ask('0')], { status: 'waiting', usage: { inputTokens: 10, outputTokens: 1, models: { m: { inputTokens: 10, outputTokens: 1 } } } });
  // The rollouts bring thinking that came before the question, and the answer says "a" once more.
  const whole = turn([{ type: 'thinking', text: 'hm' }, say('a'), start('1'), ask('call_1'), end('1'), say('a'), ask('1')], { usage: { inputTokens: 35, outputTokens: 4, models: { m: { inputTokens: 35, outputTokens: 4 } } } });
  expect(toldSince(told, whole)).toEqual(turn([{ type: 'thinking', text: 'hm' }, end('1'), say('a'), ask('1')], { usage: { inputTokens: 25, outputTokens: 3, models: { m: { inputTokens: 25, outputTokens: 3 } } } }));
});
