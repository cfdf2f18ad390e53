import { describe, expect, test } from 'vitest';
import { mergeEvents } from '../../../src/agents/codex/merge.js';
import type { StreamEvent } from '../../../src/evidence/events.js';

const ask = (id: string, prompt: string): StreamEvent => ({ type: 'input.requested', request: { id, action: 'request_user_input', prompt, options: [] } });
const start = (operationId: string, name: string, input: object): StreamEvent => ({ type: 'operation.started', operationId, operation: { kind: 'tool', name, input: input as never } });

describe('what an app-server sent, beside its rollouts', () => {
  test('leaves out a question that was refused before anybody was asked, and keeps the id to answer by', () => {
    expect(mergeEvents([ask('call_1', 'Inner?'), ask('call_2', 'Outer?')], [ask('2:0#a', 'Outer?')], true)).toEqual([{ ...ask('2:0#a', 'Outer?'), witness: 'stdout' }]);
  });

  test('tells a call once that both know by one id, under whatever name', () => {
    const rollout = [start('call_1', 'apply_patch', { patch: 'x' })];
    expect(mergeEvents(rollout, [start('call_1', 'file_change', { changes: [] })], true)).toEqual(rollout);
  });

  test('of exec keeps questions that only the rollouts know', () => {
    expect(mergeEvents([ask('call_1', 'Inner?')], [])).toEqual([ask('call_1', 'Inner?')]);
  });
});
