import { describe, expect, test } from 'vitest';
import { completeEvidenceCoverage, type EvidenceCoverage } from '../../src/evidence/coverage.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import type { Turn } from '../../src/evidence/turn.js';
import { EvidenceLog, nothingSeen } from '../../src/run/evidence-log.js';
import type { TurnRecord } from '../../src/run/result.js';

const AT = '2025-03-01T10:00:00.000Z';
const says = (text: string): StreamEvent => ({ type: 'message', role: 'assistant', text });
/** What a turn consumed of which nothing was told. */
const consumed = (label: string, gap?: string): object => ({ label, durationMs: 5, ...(gap === undefined ? {} : { gap }), estimate: expect.any(Function) as unknown });
const asks = (text: string): StreamEvent => ({ type: 'message', role: 'user', text });

/** Sends one message: the agent answers with the same word in upper case. */
function send(log: EvidenceLog, session: number, prompt: string, more: Partial<Turn> = {}): TurnRecord {
  return log.end(log.begin(session), { turn: { events: [says(prompt.toUpperCase())], status: 'completed', ...more }, prompt, startedAt: AT, durationMs: 5 });
}

describe('a turn in the log', () => {
  test('begins with what was sent and holds what the send came to', () => {
    const log = new EvidenceLog(completeEvidenceCoverage);
    const record = send(log, log.newSession(), 'hello', { usage: { inputTokens: 1 }, data: [1] });
    expect(record).toEqual({
      session: 1, turn: 1, label: 'turn1', status: 'completed', events: [asks('hello'), says('HELLO')], coverage: completeEvidenceCoverage,
      usage: { inputTokens: 1 }, data: [1], startedAt: AT, durationMs: 5,
    });
    expect(log.turns).toEqual([record]);
  });

  test('cannot be changed by who reads it, however deep', () => {
    const log = new EvidenceLog(completeEvidenceCoverage);
    const inner = { list: [{ of: 'things' }] };
    const record = send(log, log.newSession(), 'hello', { data: Object.freeze({ inner }), usage: { models: { m: { inputTokens: 1 } } } });
    expect(() => { inner.list.push({ of: 'more' }); }).toThrow(TypeError);
    expect(() => { (record.events[1] as { text: string }).text = 'rewritten'; }).toThrow(TypeError);
    expect(() => { (record.events as StreamEvent[]).pop(); }).toThrow(TypeError);
    expect(() => { delete (record.usage as { models?: unknown }).models; }).toThrow(TypeError);
  });

  test('is numbered within its session and named after it', () => {
    const log = new EvidenceLog(completeEvidenceCoverage);
    const [main, other] = [log.newSession(), log.newSession()];
    const records = [send(log, main, 'a'), send(log, other, 'b'), send(log, main, 'c'), send(log, other, 'd')];
    expect(records.map(({ session, turn, label }) => [session, turn, label])).toEqual([
      [1, 1, 'turn1'], [2, 1, 'session2/turn1'], [1, 2, 'turn2'], [2, 2, 'session2/turn2'],
    ]);
  });

  test('has the coverage of its agent, lowered by what it admits', () => {
    const declared: EvidenceCoverage = { ...completeEvidenceCoverage, actions: { status: 'partial', reason: 'the CLI hides some' } };
    const log = new EvidenceLog(declared);
    const cut = { status: 'unavailable', reason: 'cut' } as const;
    expect(send(log, log.newSession(), 'a', { evidenceCoverage: { usage: cut } }).coverage).toEqual({ ...declared, usage: cut });
    expect(() => send(log, 1, 'b', { evidenceCoverage: { actions: { status: 'complete' } } })).toThrow(RangeError);
  });

  test('of a send that broke says nothing of any channel', () => {
    const log = new EvidenceLog(completeEvidenceCoverage);
    const record = log.end(log.begin(log.newSession()), { turn: nothingSeen, prompt: 'a', startedAt: AT, durationMs: 1, failure: { kind: 'no-output', message: 'it said nothing' } });
    const unseen = { status: 'unavailable', reason: 'the send broke before anything was collected' };
    expect(record).toEqual({
      session: 1, turn: 1, label: 'turn1', status: 'failed', events: [asks('a')],
      coverage: { events: unseen, actions: unseen, messages: unseen, usage: unseen, status: unseen, data: unseen },
      startedAt: AT, durationMs: 1, failure: { kind: 'no-output', message: 'it said nothing' },
    });
  });
});

describe('a scope', () => {
  const cut = { status: 'partial', reason: 'cut' } as const;
  const filled = (): { readonly log: EvidenceLog; readonly records: readonly TurnRecord[] } => {
    const log = new EvidenceLog(completeEvidenceCoverage);
    const [main, other] = [log.newSession(), log.newSession()];
    return { log, records: [send(log, main, 'a'), send(log, other, 'b', { status: 'waiting', evidenceCoverage: { usage: cut } }), send(log, main, 'c', { status: 'failed' })] };
  };

  test('of a turn holds that turn alone', () => {
    const { log, records } = filled();
    expect(log.scope('turn 1 of session 2', { turn: records[1] as TurnRecord })).toEqual({
      name: 'turn 1 of session 2',
      sessions: [{ events: [asks('b'), says('B')], statuses: ['waiting'] }],
      turns: [consumed('session2/turn1', 'session2/turn1: usage coverage is partial: cut')],
      coverage: { ...completeEvidenceCoverage, usage: cut },
      running: false,
    });
  });

  test('of a session holds its turns, and no coverage of others', () => {
    const { log } = filled();
    expect(log.scope('the session', { session: 1 })).toEqual({
      name: 'the session',
      sessions: [{ events: [asks('a'), says('A'), asks('c'), says('C')], statuses: ['completed', 'failed'] }],
      turns: [consumed('turn1'), consumed('turn2')],
      coverage: completeEvidenceCoverage,
      running: false,
    });
  });

  test('of the Attempt holds every session by itself, and the worst coverage', () => {
    const { log } = filled();
    expect(log.scope('the attempt')).toEqual({
      name: 'the attempt',
      sessions: [
        { events: [asks('a'), says('A'), asks('c'), says('C')], statuses: ['completed', 'failed'] },
        { events: [asks('b'), says('B')], statuses: ['waiting'] },
      ],
      turns: [consumed('turn1'), consumed('session2/turn1', 'session2/turn1: usage coverage is partial: cut'), consumed('turn2')],
      coverage: { ...completeEvidenceCoverage, usage: cut },
      running: false,
    });
  });

  test('in which nothing was sent has the coverage that the agent declares', () => {
    const declared: EvidenceCoverage = { ...completeEvidenceCoverage, actions: cut };
    const log = new EvidenceLog(declared);
    log.newSession();
    expect(log.scope('the attempt')).toEqual({ name: 'the attempt', sessions: [], turns: [], coverage: declared, running: false });
  });

  test('does not change when more is sent', () => {
    const log = new EvidenceLog(completeEvidenceCoverage);
    send(log, log.newSession(), 'a');
    const early = log.scope('the attempt');
    send(log, 1, 'b', { status: 'failed', evidenceCoverage: { actions: cut } });
    expect(early).toEqual({
      name: 'the attempt', sessions: [{ events: [asks('a'), says('A')], statuses: ['completed'] }], turns: [consumed('turn1')],
      coverage: completeEvidenceCoverage, running: false,
    });
  });

  test('runs while a send of it is under way: the Attempt and its session, no other session and no finished turn', () => {
    const { log, records } = filled();
    const running = (): object => ({
      attempt: log.scope('').running, main: log.scope('', { session: 1 }).running, other: log.scope('', { session: 2 }).running, turn: log.scope('', { turn: records[1] as TurnRecord }).running,
    });
    const open = log.begin(2);
    expect(running()).toEqual({ attempt: true, main: false, other: true, turn: false });
    log.end(open, { turn: { events: [], status: 'completed' }, prompt: 'd', startedAt: AT, durationMs: 1 });
    expect(running()).toEqual({ attempt: false, main: false, other: false, turn: false });
  });
});

test('adds the usage of all turns and leaves out what none reports', () => {
  const log = new EvidenceLog(completeEvidenceCoverage);
  expect(log.usage).toEqual({});
  send(log, log.newSession(), 'a', { usage: { inputTokens: 1 } });
  send(log, log.newSession(), 'b');
  send(log, 1, 'c', { usage: { inputTokens: 2, cacheReadTokens: 0 } });
  expect(log.usage).toEqual({ inputTokens: 3, cacheReadTokens: 0 });
});

test('gives the events of one session or of all, in the order in which they were sent', () => {
  const log = new EvidenceLog(completeEvidenceCoverage);
  const [main, other] = [log.newSession(), log.newSession()];
  send(log, main, 'a');
  send(log, other, 'b');
  send(log, main, 'c');
  expect(log.eventsOf(main)).toEqual([asks('a'), says('A'), asks('c'), says('C')]);
  expect(log.eventsOf()).toEqual([asks('a'), says('A'), asks('b'), says('B'), asks('c'), says('C')]);
});
