import { describe, expect, test } from 'vitest';
import { createPlayback } from '../../src/gateway/playback.js';
import { scriptOf, type LaneCondition, type TurnExpectation } from '../../src/gateway/script.js';
import type { ModelRequest } from '../../src/gateway/wire.js';

function playback(script: object) {
  return createPlayback(scriptOf({ format: 'niceeval.script/v1', ...script }, 'fix.json'), 'fix.json');
}

function request(facts: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'm', stream: false, system: 'You help.', firstUser: 'Fix the bug', lastUser: 'Fix the bug', asked: { kind: 'message', text: 'Fix the bug' },
    tools: ['Bash'], heard: 1, toolResults: '', body: {}, ...facts,
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
    [{ lacksTool: 'Read' }, true], [{ lacksTool: 'Bash' }, false], [{ agent: 'main' }, true], [{ agent: 'subagent' }, false], [{ agent: '/root/a' }, false], [{ model: 'm' }, true], [{ model: 'mm' }, false], [{ model: 'm', hasTool: 'Read' }, false],
  ];
  test.each(cases)('%j holds: %s', (when, holds) => {
    const play = playback({ lanes: [{ name: 'other', turns: [{ text: 'b' }] }, { name: 'this', when, turns: [{ text: 'a' }] }] });
    expect(play.take(request())).toMatchObject({ lane: holds ? 'this' : 'other' });
  });
});

test('tells a subagent by what its client says', () => {
  const play = playback({ lanes: [{ name: 'a', when: { agent: '/root/a' }, turns: [{ text: 'a' }] }, { name: 'other', when: { agent: 'subagent' }, turns: [{ text: 'b' }] }, { name: 'main', when: { agent: 'main' }, turns: [{ text: 'c' }] }] });
  const laneOf = (agent?: string): unknown => play.take(request(agent === undefined ? {} : { agent }));
  expect([laneOf('/root/a'), laneOf('/root/b'), laneOf()]).toMatchObject([{ lane: 'a' }, { lane: 'other' }, { lane: 'main' }]);
});

describe('what a turn expects', () => {
  const seen = { toolResults: '1 failed\n2 passed', system: 'You\nhelp.', tools: ['Bash', 'Read'], agent: '/root/a' };
  test.each<[TurnExpectation, string | undefined]>([
    [{ toolResultIncludes: '2 passed' }, undefined],
    [{ toolResultIncludes: '3 passed' }, 'toolResultIncludes "3 passed", but the request has "1 failed 2 passed"'],
    [{ lastUserIncludes: 'Fix', systemIncludes: 'hinder' }, 'systemIncludes "hinder", but the request has "You help."'],
    [{ firstUserIncludes: 'x'.repeat(300) }, `firstUserIncludes "${'x'.repeat(200)}...", but the request has "Fix the bug"`],
    [{ hasTool: 'Edit' }, 'hasTool "Edit", but the request has the tools "Bash, Read"'],
    [{ lacksTool: 'Bash' }, 'lacksTool "Bash", but the request has the tools "Bash, Read"'],
    [{ hasImage: true }, 'hasImage true, but the request has no image'],
    [{ model: 'gpt' }, 'model "gpt", but the request has "m"'],
    [{ agent: 'main' }, 'agent "main", but the request has "/root/a"'],
    [{ agent: 'subagent' }, undefined],
  ])('%j: %s', (expects, misfit) => {
    const play = playback({ turns: [{ text: 'a' }, { text: 'b', expects }] });
    play.take(request());
    const taken = play.take(request(seen));
    if (misfit === undefined) expect(taken).toMatchObject({ kind: 'turn', turn: 2 });
    else expect(taken).toEqual({ kind: 'misfit', lane: 'main', turn: 2, message: `Script "fix.json", lane "main", turn 2: it expects ${misfit}. The turn was not played.` });
    // A turn that was not played is still to come.
    expect(play.progress()).toEqual([{ lane: 'main', played: misfit === undefined ? 2 : 1, total: 2 }]);
  });

  test('holds for a turn in which the service fails, too', () => {
    expect(playback({ turns: [{ error: { status: 500 }, expects: { model: 'x' } }] }).take(request()).kind).toBe('misfit');
  });
});

describe('a turn that was spoilt', () => {
  const spoiltOnce = (turns: readonly object[]) => {
    const play = playback({ turns });
    play.markSpoilt(play.take(request()));
    return play;
  };

  test('is played again under another key as often as the same is asked, and then the next one under its own', () => {
    const play = spoiltOnce([{ text: 'a' }, { text: 'b' }]);
    const again = play.take(request());
    play.markSpoilt(again);
    expect([again, play.take(request()), play.take(request())]).toMatchObject([{ key: 'lane1t1r1', answer: { text: 'a' } }, { key: 'lane1t1r2', answer: { text: 'a' } }, { key: 'lane1t2', answer: { text: 'b' } }]);
    expect(play.progress()).toEqual([{ lane: 'main', played: 2, total: 2 }]);
  });

  test('is played again where it is the last one, and counted once', () => {
    const play = spoiltOnce([{ text: 'a' }]);
    expect([play.progress(), play.take(request()), play.progress()]).toMatchObject([[{ played: 1 }], { turn: 1 }, [{ played: 1 }]]);
  });

  test.each([['a tool has told something since', { heard: 2, asked: { kind: 'tool result', text: '' } }], ['the same words come again', { heard: 2 }]] as const)('is left where %s', (_why, facts) => {
    expect(spoiltOnce([{ text: 'a' }, { text: 'b' }]).take(request(facts))).toMatchObject({ turn: 2 });
  });

  test('is left where another request was in between', () => {
    const play = playback({ turns: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] });
    const first = play.take(request());
    play.take(request({ heard: 2 }));
    play.markSpoilt(first);
    expect(play.take(request())).toMatchObject({ turn: 3 });
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
