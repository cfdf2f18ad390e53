import { describe, expect, test } from 'vitest';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import { AgentTurnError, checkedTurn } from '../../src/run/checked-turn.js';

const mine = { name: 'mine', evidenceCoverage: completeEvidenceCoverage };

describe('the answer of an agent', () => {
  test('that is a turn is let in as it is', () => {
    const turn = { status: 'completed', events: [{ type: 'message', role: 'assistant', text: 'hi' }], usage: { inputTokens: 1 } };
    expect(checkedTurn(mine, turn)).toEqual(turn);
  });

  test.each([
    ['nothing', undefined, 'the answer: '],
    ['a text', 'done', 'the answer: '],
    ['no status', { events: [] }, 'status: '],
    ['a status of its own', { status: 'great', events: [] }, 'status: '],
    ['an event of an unknown kind', { status: 'completed', events: [{ type: 'tool.called' }] }, 'events.0.type: '],
    ['a misspelt coverage', { status: 'completed', events: [], evidence_coverage: {} }, 'the answer: '],
    ['a negative token count', { status: 'completed', events: [], usage: { inputTokens: -1 } }, 'usage.inputTokens: '],
    ['a coverage without a reason', { status: 'completed', events: [], evidenceCoverage: { usage: { status: 'partial' } } }, 'evidenceCoverage.usage.reason: '],
  ])('that is %s is refused with its place', (_what, answer, place) => {
    const refused = (() => { try { return checkedTurn(mine, answer); } catch (error) { return error; } })();
    expect(refused).toBeInstanceOf(AgentTurnError);
    expect((refused as Error).message).toContain(`The agent "mine" answered with something that is no turn: ${place}`);
  });

  test('that claims to have seen more than its agent can see is refused', () => {
    const blind = { name: 'blind', evidenceCoverage: { ...completeEvidenceCoverage, actions: { status: 'unavailable', reason: 'not told' } as const } };
    const turn = { status: 'completed', events: [], evidenceCoverage: { actions: { status: 'partial', reason: 'some' } } };
    expect(() => checkedTurn(blind, turn)).toThrow(new AgentTurnError('blind', 'A turn claims partial coverage of "actions", but its agent declares unavailable. A turn may only lower coverage: declare it on the agent or leave the channel out.'));
  });

  test('that holds a cycle is refused: it could not be recorded', () => {
    const data: Record<string, unknown> = {};
    data['self'] = data;
    expect(() => checkedTurn(mine, { status: 'completed', events: [], data })).toThrow('The agent "mine" answered with something that is no turn: it is not JSON');
  });
});
