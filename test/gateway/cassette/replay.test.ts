import { describe, expect, test } from 'vitest';
import type { CassetteExchange } from '../../../src/gateway/cassette/cassette.js';
import { outlineOf, partTextsOf, type OutlinedRequest, type RequestOutline } from '../../../src/gateway/cassette/outline.js';
import { createReplay } from '../../../src/gateway/cassette/replay.js';
import { CAPTURED, capturedRun, requestOf } from './bodies.js';

const BODY = '0'.repeat(64);

function recorded(outlines: readonly RequestOutline[]): { readonly exchanges: readonly CassetteExchange[] } {
  return { exchanges: outlines.map((outline, index): CassetteExchange => ({ ordinal: index + 1, outline, request: { body: BODY, sizeBytes: 1 }, response: { status: 200, headers: {}, body: BODY, sizeBytes: 1, ending: 'whole' } })) };
}

const says = (...texts: readonly string[]) => requestOf('anthropic-messages', { model: 'claude-x', max_tokens: 9, messages: texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })) });
const ordinalOf = (taken: ReturnType<ReturnType<typeof createReplay>['take']>) => (taken.kind === 'found' ? taken.exchange.ordinal : taken.kind);

test.each(CAPTURED)('%s: a second run is answered by the first, in any order', (name) => {
  const first = capturedRun(name, 1).map((request) => outlineOf(request));
  const replay = createReplay(recorded(first));
  const asked = capturedRun(name, 2).map((request, index) => ({ request, index })).reverse();
  const wrong = asked.filter(({ request, index }) => {
    const taken = replay.take(outlineOf(request));
    return taken.kind !== 'found' || taken.exchange.outline.sha256 !== first[index]?.sha256;
  });
  expect(wrong).toEqual([]);
  expect(replay.unused()).toEqual([]);
});

describe('the same request', () => {
  test('is answered as often as it was recorded, the earliest first, and not once more', () => {
    const replay = createReplay(recorded([says('a'), says('b'), says('a')].map((request) => outlineOf(request))));
    expect([says('a'), says('a'), says('b'), says('a')].map((request) => ordinalOf(replay.take(outlineOf(request))))).toEqual([1, 3, 2, 'missing']);
  });
  test('tells that it was recorded less often', () => {
    const replay = createReplay(recorded([outlineOf(says('a'))]));
    replay.take(outlineOf(says('a')));
    expect(replay.take(outlineOf(says('a')))).toEqual({
      kind: 'missing',
      message: [
        'No recorded answer for POST /v1/messages (model "claude-x", 3 parts). Of 1 recorded requests 0 have not been asked for yet.',
        'This very request was recorded once, and was answered as often: it is asked once more than when it was recorded.',
        'Record again (`--record DIR`), let it be forwarded (`--replay-or-forward DIR`), or name what varies in `volatile`.',
      ].join('\n'),
    });
  });
  test.each<[string, OutlinedRequest]>([
    ['a probe', { protocol: null, method: 'HEAD', path: '/', body: null }],
    ['a list of models', { protocol: null, method: 'GET', path: '/v1/models', body: null }],
    ['a count of tokens', requestOf('anthropic-messages', { messages: [] }, '/v1/messages/count_tokens')],
    ['a count of tokens of Gemini', requestOf('gemini', { contents: [] }, '/v1beta/models/g:countTokens')],
  ])('may be asked again when it is %s', (_name, request) => {
    const replay = createReplay(recorded([outlineOf(request)]));
    expect([1, 2, 3].map(() => ordinalOf(replay.take(outlineOf(request))))).toEqual([1, 1, 1]);
  });
});

describe('what is missing', () => {
  test('is told with the nearest recorded request and what differs', () => {
    const replay = createReplay(recorded([says('hello'), says('hello', 'hi', 'make a file with 3 lines'), says('hello', 'hi', 'make a file with 3 lines', 'ok', 'more')].map((request) => outlineOf(request))));
    replay.take(outlineOf(says('hello')));
    const taken = replay.take(outlineOf(says('hello', 'hi', 'make a file with 4 lines\u001b[31m')));
    expect(taken).toMatchObject({ kind: 'missing', nearest: { ordinal: 2 } });
    expect(taken.kind === 'missing' && taken.message).toBe([
      'No recorded answer for POST /v1/messages (model "claude-x", 5 parts). Of 3 recorded requests 2 have not been asked for yet.',
      'Nearest is the recorded request 2; 4 of 5 parts are the same:',
      '  messages[2].user, at character 18 of its excerpt:',
      '    recorded: make a file with 3 lines {"content":"","role":"user"}',
      '    now:      make a file with 4 lines\\u{1b}[31m {"content":"","role":"user"}',
      'Record again (`--record DIR`), let it be forwarded (`--replay-or-forward DIR`), or name what varies in `volatile`.',
    ].join('\n'));
  });

  test('is shown behind the excerpts where the whole texts are at hand', () => {
    const text = (end: string) => says(`${'long '.repeat(500)}${end}`);
    const withTexts = createReplay(recorded([outlineOf(text('one'))]), { textOf: () => (where) => partTextsOf(text('one')).get(where) });
    const now = partTextsOf(text('two'));
    const taken = withTexts.take(outlineOf(text('two')), (where) => now.get(where));
    expect(taken.kind === 'missing' && taken.message.split('\n').slice(2, 5)).toEqual([
      '  messages[0].user, at character 2501:',
      '    recorded: ...long long long long long long one {"content":"","role":"user"}',
      '    now:      ...long long long long long long two {"content":"","role":"user"}',
    ]);
    const without = createReplay(recorded([outlineOf(text('one'))])).take(outlineOf(text('two')));
    expect(without.kind === 'missing' && without.message.split('\n')[2]).toMatch(/^ {2}messages\[0\]\.user: differs behind its first 200 characters/);
  });

  test('has at most 20 lines, whatever differs', () => {
    const body = (mark: string, names: string) => requestOf('openai-chat', { ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, mark])), ...Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${names}${index}`, '\n\r\u2028\u202e'])) });
    const taken = createReplay(recorded([outlineOf({ ...body('a', 'x'), path: '/other' })])).take(outlineOf(body('b', 'y')));
    const message = taken.kind === 'missing' ? taken.message : '';
    expect(message.split('\n').length).toBeLessThanOrEqual(20);
    expect(message).not.toMatch(/[^\P{C}\n]|[\u2028\u2029]/u);
  });

  test('says so when nothing was recorded', () => {
    expect(createReplay({ exchanges: [] }).take(outlineOf(says('a')))).toEqual({ kind: 'missing', message: expect.stringContaining('Nothing was recorded.') as string });
  });

  test('what was not asked for is told', () => {
    const replay = createReplay(recorded([outlineOf(says('a')), outlineOf(says('b'))]));
    replay.take(outlineOf(says('b')));
    expect(replay.unused().map(({ ordinal }) => ordinal)).toEqual([1]);
  });
});

test('ids by chance are paired with those of this run', () => {
  const told = (id: string, session: string) => requestOf('openai-responses', { input: [{ type: 'function_call_output', call_id: 'c', output: `agent ${id}, session ID ${session}` }] });
  const replay = createReplay(recorded([outlineOf(told('01a22e2d-e800-7653-9edd-94fdbe9f4f61', '84272'))]));
  expect(replay.take(outlineOf(told('01a22e2e-13b5-71d3-9763-0f28c35e5a17', '3093')))).toMatchObject({
    kind: 'found', renames: [{ from: '01a22e2d-e800-7653-9edd-94fdbe9f4f61', to: '01a22e2e-13b5-71d3-9763-0f28c35e5a17' }, { from: '84272', to: '3093' }],
  });
});
