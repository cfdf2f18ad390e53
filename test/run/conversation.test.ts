import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AgentSession, TurnInput } from '../../src/agents/agent.js';
import { ClaimAuthoringError, ClaimStop } from '../../src/assert/errors.js';
import { ClaimLedger } from '../../src/assert/ledger.js';
import { completeEvidenceCoverage } from '../../src/evidence/coverage.js';
import type { InputRequest } from '../../src/evidence/events.js';
import type { Turn } from '../../src/evidence/turn.js';
import { equals, satisfies } from '../../src/expect/values.js';
import { createAgentSession } from '../../src/agents/agent-session.js';
import { createConversation, type Conversation } from '../../src/run/conversation.js';
import { EvidenceLog } from '../../src/run/evidence-log.js';

const COLOUR: InputRequest = { id: 'q1', action: 'AskUserQuestion', prompt: 'Which colour?', input: { n: 1, deep: { list: [1, 2] } }, options: [{ id: 'red', label: 'Red' }, { id: 'blue', label: 'Deep blue' }] };
const WRITE: InputRequest = { id: 'a1', action: 'Write', input: { file_path: '/w/x.txt' }, prompt: 'x.txt', options: [{ id: 'approve', label: 'Approve' }, { id: 'deny', label: 'Deny' }] };

/** A conversation whose agent answers with the turns given, one after the other. */
function open(turns: readonly Partial<Turn>[]): { readonly talk: Conversation; readonly sent: TurnInput[]; readonly claims: ClaimLedger; readonly log: EvidenceLog } {
  const log = new EvidenceLog(completeEvidenceCoverage);
  const claims = new ClaimLedger();
  const sent: TurnInput[] = [];
  const session: AgentSession = createAgentSession(log.newSession());
  const talk = createConversation({
    title: 'the session', session, log, claims, evalFile: join(folder, 'x.eval.ts'),
    send: (input, _session, fits) => {
      fits();
      const turn: Turn = { status: 'completed', events: [], ...turns[sent.length] };
      sent.push(input);
      return Promise.resolve(log.end(log.begin(1), { turn, prompt: input.text, startedAt: '2025-01-01T00:00:00.000Z', durationMs: 1 }));
    },
  });
  return { talk, sent, claims, log };
}

const waiting = (...requests: readonly InputRequest[]): Partial<Turn> => ({ status: 'waiting', events: requests.map((request) => ({ type: 'input.requested', request })) });

let folder: string;
beforeEach(async () => { folder = await mkdtemp(join(tmpdir(), 'niceeval-conversation-')); });
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('requireInputRequest', () => {
  test.each([
    ['no filter', undefined], ['an id', { id: 'q1' }], ['a prompt', { prompt: /^Which/ }], ['an action', { action: 'AskUserQuestion' }],
    ['a part of the input', { input: { deep: { list: [1, equals(2)] } } }], ['all options, in any order', { optionIds: ['blue', 'red'] }],
  ])('hands over the one request that fits %s', async (_what, filter) => {
    const { talk, claims } = open([waiting(COLOUR)]);
    await talk.send('go');
    expect(talk.requireInputRequest(filter)).toEqual(COLOUR);
    expect((await claims.settle()).map(({ state }) => state)).toEqual(['matched']);
  });

  test.each([
    ['another prompt', { prompt: 'Which' }], ['another action', { action: /write/i }], ['other input', { input: { n: 2 } }],
    ['too few options', { optionIds: ['red'] }], ['a field that the request lacks', { id: 'q2' }],
  ])('ends the test with a mismatch for %s', async (_what, filter) => {
    const { talk, claims } = open([waiting(COLOUR)]);
    await talk.send('go');
    expect(() => talk.requireInputRequest(filter)).toThrow(ClaimStop);
    expect((await claims.settle()).map(({ state, expected, received }) => [state, expected, received?.startsWith('0 of 1 requests fit')])).toEqual([['mismatched', 'exactly one request', true]]);
  });

  test('is a mismatch when two requests fit, and finds one of them by more words', async () => {
    const { talk, claims } = open([waiting(COLOUR, WRITE)]);
    await talk.send('go');
    expect(talk.requireInputRequest({ action: 'Write' })).toEqual(WRITE);
    expect(() => talk.requireInputRequest()).toThrow(ClaimStop);
    expect((await claims.settle()).map(({ state }) => state)).toEqual(['matched', 'mismatched']);
  });

  test('is a mismatch for an agent that did not ask, or was sent nothing', async () => {
    const { talk, claims } = open([{}]);
    expect(() => talk.requireInputRequest()).toThrow(ClaimStop);
    expect((await claims.settle())[0]).toMatchObject({ state: 'mismatched', received: 'nothing was sent' });
    const asked = open([{}]);
    await asked.talk.send('go');
    expect(() => asked.talk.requireInputRequest()).toThrow(ClaimStop);
    expect((await asked.claims.settle())[0]).toMatchObject({ state: 'mismatched', received: 'nothing was asked' });
    expect(() => talk.requireInputRequest()).toThrow(ClaimAuthoringError);
  });

  test('is unavailable when nobody knows whether the agent waits', async () => {
    const { talk, claims } = open([{ status: 'failed', evidenceCoverage: { status: { status: 'partial', reason: 'killed' } } }]);
    await talk.send('go');
    expect(() => talk.requireInputRequest()).toThrow(ClaimStop);
    expect((await claims.settle())[0]).toMatchObject({ state: 'unavailable', reason: 'status coverage is partial: killed' });
  });

  test.each([
    ['an unknown field', { question: 'x' }, 'A request filter does not know the field "question". It knows id, prompt, action, input, optionIds.'],
    ['a prompt that is a number', { prompt: 1 }, 'The `prompt` of a request filter is a text or a RegExp, not 1.'],
    ['options that are a text', { optionIds: 'red' }, 'The `optionIds` of a request filter are a list of ids.'],
    ['a match that answers later', { input: { n: satisfies('later', () => Promise.resolve(true)) } }, 'The `input` of a request filter holds a match that answers later. Use one that answers at once.'],
  ])('refuses a filter with %s', async (_what, filter, message) => {
    const { talk } = open([waiting(COLOUR)]);
    await talk.send('go');
    expect(() => talk.requireInputRequest(filter as never)).toThrow(new ClaimAuthoringError(message));
  });
});

describe('respond', () => {
  test.each<[string, Parameters<Conversation['respond']>[0], object, string]>([
    ['the id of an option', ['blue'], { optionId: 'blue' }, 'Deep blue'],
    ['words of its own', ['green, please'], { text: 'green, please' }, 'green, please'],
    ['a request and an option', [{ request: COLOUR, optionId: 'red' }], { optionId: 'red' }, 'Red'],
    ['a copy of the request', [{ request: { ...COLOUR }, text: 'none' }], { text: 'none' }, 'none'],
  ])('answers with %s', async (_what, answers, response, words) => {
    const { talk, sent, log } = open([waiting(COLOUR), {}]);
    await talk.send('go');
    await talk.respond(answers);
    expect(sent[1]).toEqual({ text: words, responses: [{ request: COLOUR, ...response }] });
    expect(log.turns.map(({ status, events }) => [status, events[0]])).toEqual([
      ['waiting', { type: 'message', role: 'user', text: 'go' }], ['completed', { type: 'message', role: 'user', text: words }],
    ]);
  });

  test('answers everything that is open at once', async () => {
    const { talk, sent } = open([waiting(COLOUR, WRITE), {}]);
    await talk.send('go');
    await talk.respond([{ request: WRITE, optionId: 'deny' }, { request: COLOUR, optionId: 'red' }]);
    expect(sent[1]).toEqual({ text: 'x.txt Deny\nWhich colour? Red', responses: [{ request: WRITE, optionId: 'deny' }, { request: COLOUR, optionId: 'red' }] });
  });

  test('answers every request with one option', async () => {
    const second = { ...WRITE, id: 'a2' };
    const { talk, sent } = open([waiting(WRITE, second), {}]);
    await talk.send('go');
    await talk.respondAll('approve');
    expect(sent[1]?.responses).toEqual([{ request: WRITE, optionId: 'approve' }, { request: second, optionId: 'approve' }]);
  });

  test.each<[string, (talk: Conversation) => Promise<unknown>, string]>([
    ['a message while it waits', (talk) => talk.send('more'), 'the session waits for an answer. Use respond(...), respondAll(...) or newSession() instead of send(...).'],
    ['a text for two requests', (talk) => talk.respond(['red']), 'respond("red") fits one open request; there are 2. Use respond({ request, optionId }) for each.'],
    ['an answer to one of two', (talk) => talk.respond([{ request: WRITE, optionId: 'deny' }]), `respond(...) must answer everything that is asked; left open: ${JSON.stringify(COLOUR)}.`],
    ['two answers to one', (talk) => talk.respond([{ request: WRITE, optionId: 'deny' }, { request: WRITE, optionId: 'approve' }]), `respond(...) answers one request twice: ${JSON.stringify(WRITE)}.`],
    ['an option that there is not', (talk) => talk.respond([{ request: COLOUR, optionId: 'green' }, { request: WRITE, optionId: 'deny' }]), 'The request "Which colour?" has no option "green". It has: "red", "blue".'],
    ['one option that not all have', (talk) => talk.respondAll('approve'), 'The request "Which colour?" has no option "approve". It has: "red", "blue".'],
    ['words where a decision is wanted', (talk) => talk.respond([{ request: WRITE, text: 'perhaps' }]), 'The request "x.txt" wants a decision: answer with "approve" or "deny", not with "perhaps".'],
    ['a request that nobody made', (talk) => talk.respond([{ request: { id: 'zz' }, text: 'x' }]), 'respond(...) was given an answer to something that is not asked now: {"id":"zz"}. Take the request from requireInputRequest().'],
    ['an option and words', (talk) => talk.respond([{ request: WRITE, text: 'x', optionId: 'deny' } as never]), 'An answer has either an `optionId` or a `text`.'],
    ['nothing', (talk) => talk.respond([]), 'respond(...) needs an answer.'],
  ])('refuses %s', async (_what, use, message) => {
    const { talk, sent } = open([waiting(COLOUR, WRITE)]);
    await talk.send('go');
    await expect(use(talk)).rejects.toEqual(new ClaimAuthoringError(message));
    expect(sent).toHaveLength(1);
  });

  test('refuses what came too late: an answer behind another, and a message behind a question', async () => {
    const { talk, sent } = open([waiting(COLOUR), {}]);
    await talk.send('go');
    const first = talk.respond(['red']);
    await expect(talk.respond(['blue'])).rejects.toThrow(/^respond\(\.\.\.\) came too late|^Stopped/);
    await first;
    expect(sent.map(({ text }) => text)).toEqual(['go', 'Red']);
  });

  test('is a mismatch, not a mistake, when the agent did not ask', async () => {
    const { talk, claims } = open([{}]);
    await talk.send('go');
    await expect(talk.respond(['yes'])).rejects.toBeInstanceOf(ClaimStop);
    expect((await claims.settle()).map(({ description, state }) => [description, state])).toEqual([['the session asked for input', 'mismatched']]);
  });
});

describe('a message with more than text', () => {
  test('shows files of the host by their ending, and bytes as they are', async () => {
    await writeFile(join(folder, 'Shot.PNG'), 'png');
    await writeFile(join(folder, 'notes.xyz'), 'notes');
    const { talk, sent } = open([{}, {}]);
    await talk.send({ text: 'look', files: ['Shot.PNG', 'notes.xyz', { name: 'a.gif', mediaType: 'image/gif', data: 'R0lG' }], schema: { type: 'object' } });
    await talk.sendFile('Shot.PNG');
    expect(sent).toEqual([
      {
        text: 'look', schema: { type: 'object' },
        files: [{ name: 'Shot.PNG', mediaType: 'image/png', data: 'cG5n' }, { name: 'notes.xyz', mediaType: 'application/octet-stream', data: 'bm90ZXM=' }, { name: 'a.gif', mediaType: 'image/gif', data: 'R0lG' }],
      },
      { text: 'See Shot.PNG.', files: [{ name: 'Shot.PNG', mediaType: 'image/png', data: 'cG5n' }] },
    ]);
  });

  test.each<[string, unknown, string]>([
    ['a field that there is not', { text: 'x', file: 'y' }, 'send(...) does not know the field "file". It knows text, files, schema.'],
    ['files that are no list', { text: 'x', files: 'y' }, 'The `files` of send(...) are a list of paths or of { name, mediaType, data }.'],
    ['a schema that is no object', { text: 'x', schema: true }, 'The `schema` of send(...) is a JSON Schema object.'],
    ['a file that is not there', { text: 'x', files: ['none.png'] }, 'The file "none.png" cannot be shown to the agent: it cannot be read. The path is relative to the eval\'s file.'],
    ['data that is no base64', { text: 'x', files: [{ name: 'a', mediaType: 'b', data: '!' }] }, 'The `data` of the file "a" is not base64.'],
    ['half a file', { text: 'x', files: [{ name: 'a' }] }, 'A file of send(...) is a path or { name, mediaType, data }, not {"name":"a"}.'],
  ])('refuses %s', async (_what, input, message) => {
    const { talk, sent } = open([]);
    await expect(talk.send(input as never)).rejects.toMatchObject({ code: 'claim-authoring', message });
    expect(sent).toEqual([]);
  });
});
