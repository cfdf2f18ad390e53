import { describe, expect, test } from 'vitest';
import { createPlayback } from '../../src/gateway/playback.js';
import { scriptOf, type LaneCondition } from '../../src/gateway/script.js';
import type { ModelRequest } from '../../src/gateway/wire.js';

function playback(script: object) {
  return createPlayback(scriptOf({ format: 'niceeval.script/v1', ...script }, 'fix.json'), 'fix.json');
}

function request(facts: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'm', stream: false, system: 'You help.', firstUser: 'Fix the bug', lastUser: 'Fix the bug', asked: { kind: 'message', text: 'Fix the bug' },
    tools: ['Bash'], body: {}, ...facts,
  };
}

const side = (quotesUser: boolean) => ({ quotesUser, answer: { text: 'Scripted' } });

test('takes the turns of a lane in order, a repeated one as often as it says', () => {
  const play = playback({ turns: [{ text: 'a' }, { text: 'b', repeat: 2 }, { text: 'c' }] });
  const taken = [1, 2, 3, 4].map(() => play.take(request()));
  expect(taken).toEqual([
    { kind: 'turn', lane: 'main', turn: 1, key: 'lane1t1', answer: { text: 'a' } },
    { kind: 'turn', lane: 'main', turn: 2, key: 'lane1t2', answer: { text: 'b', repeat: 2 } },
    { kind: 'turn', lane: 'main', turn: 2, key: 'lane1t3', answer: { text: 'b', repeat: 2 } },
    { kind: 'turn', lane: 'main', turn: 3, key: 'lane1t4', answer: { text: 'c' } },
  ]);
  expect(play.progress()).toEqual([{ lane: 'main', played: 4, total: 4 }]);
});

test('tells which script, lane and request had no turn', () => {
  const play = playback({ turns: [{ text: 'a' }] });
  play.take(request());
  expect(play.take(request({ asked: { kind: 'tool result', text: `ok\n${'x'.repeat(300)}` } }))).toEqual({
    kind: 'exhausted',
    lane: 'main',
    message:
      'Script "fix.json" has no turn left in lane "main": its 1 turn was played. ' +
      `The request (model "m") ended with the tool result "ok ${'x'.repeat(197)}...". Add a turn to the lane, or give its last turn a "repeat".`,
  });
});

test('tells when no lane wants a request', () => {
  const play = playback({ lanes: [{ name: 'review', when: { model: 'other' }, turns: [{ text: 'a' }] }] });
  expect(play.take(request())).toEqual({
    kind: 'exhausted',
    message:
      'Script "fix.json" has no lane for this request: no "when" of "review" holds. ' +
      'The request (model "m") ended with the message "Fix the bug". Add a lane without "when" for such requests, or correct a "when".',
  });
});

describe('a condition', () => {
  const cases: readonly [LaneCondition, boolean][] = [
    [{ firstUserIncludes: 'the bug' }, true], [{ firstUserIncludes: 'The bug' }, false], [{ lastUserIncludes: 'Fix' }, true], [{ lastUserIncludes: 'feature' }, false],
    [{ systemIncludes: 'help' }, true], [{ systemIncludes: 'hinder' }, false], [{ hasTool: 'Bash' }, true], [{ hasTool: 'Ba' }, false],
    [{ lacksTool: 'Read' }, true], [{ lacksTool: 'Bash' }, false], [{ model: 'm' }, true], [{ model: 'mm' }, false], [{ model: 'm', hasTool: 'Read' }, false],
  ];
  test.each(cases)('%j holds: %s', (when, holds) => {
    const play = playback({ lanes: [{ name: 'other', turns: [{ text: 'b' }] }, { name: 'this', when, turns: [{ text: 'a' }] }] });
    expect(play.take(request())).toMatchObject({ lane: holds ? 'this' : 'other' });
  });
});

describe('a request of the client\'s own', () => {
  test('takes no turn of the lane that takes every request', () => {
    const play = playback({ turns: [{ text: 'a' }] });
    expect(play.take(request({ side: side(true) }))).toEqual({ kind: 'side', key: 'side1', answer: { text: 'Scripted' } });
    expect(play.progress()).toEqual([{ lane: 'main', played: 0, total: 1 }]);
  });

  const cases: readonly [LaneCondition, quotesUser: boolean, claimed: boolean][] = [
    [{ firstUserIncludes: 'bug' }, true, false], [{ lastUserIncludes: 'bug' }, true, false], [{ lastUserIncludes: 'bug' }, false, true],
    [{ systemIncludes: 'help' }, true, true], [{ lacksTool: 'Read' }, true, true], [{ model: 'm' }, false, false],
  ];
  test.each(cases)('is for a lane with %j when it quotes the user (%s): %s', (when, quotesUser, claimed) => {
    const play = playback({ lanes: [{ when, turns: [{ text: 'a' }] }] });
    expect(play.take(request({ side: side(quotesUser) })).kind).toBe(claimed ? 'turn' : 'side');
  });
});
