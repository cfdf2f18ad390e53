import { expect, test } from 'vitest';
import { createSessionSlot } from '../../src/agents/session-slot.js';
import { createAgentSession } from '../../src/agents/agent-session.js';

test('keeps values by slot, not by name, and gives them up once', () => {
  const session = createAgentSession(1);
  const one = createSessionSlot<number>('counter');
  const other = createSessionSlot<string>('counter');
  session.set(one, 1);
  session.set(other, 'x');
  expect([session.get(one), session.take(other), session.take(other), session.get(one)]).toEqual([1, 'x', undefined, 1]);
});

test('keeps the first id that the backend tells', () => {
  const session = createAgentSession(2);
  session.capture('a');
  session.capture('b');
  expect([session.ordinal, session.id]).toEqual([2, 'a']);
});

test('needs a name', () => {
  expect(() => createSessionSlot(' ')).toThrow(new TypeError('createSessionSlot() needs a name that is not empty.'));
});
