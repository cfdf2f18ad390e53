import { describe, expect, test } from 'vitest';
import type { Exchange, ExchangeOutcome } from '../../src/gateway/exchange.js';
import { SessionMeter } from '../../src/run/session-meter.js';

let ordinal = 0;
const asked = (outcome: ExchangeOutcome, more: Partial<Exchange> = {}): Exchange => ({
  sessionId: 'one', protocol: 'anthropic-messages', method: 'POST', path: '/v1/messages', status: 200, outcome, startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1,
  ordinal: (ordinal += 1), window: 'turn1', asksModel: true, ...more,
});
function metered(...exchanges: readonly Exchange[]): SessionMeter {
  const meter = new SessionMeter();
  for (const exchange of exchanges) meter.ended(exchange);
  return meter;
}

describe('the trouble of a window', () => {
  test('is none where every request was answered', () => {
    expect(metered(asked('forwarded'), asked('forwarded', { status: 429 })).troubleIn('turn1')).toBeUndefined();
  });

  test('is the last word where nothing was answered after it, in whatever order answers end', () => {
    const [early, late] = [asked('forwarded'), asked('upstream-failed', { detail: 'gone' })];
    expect(metered(late, early).troubleIn('turn1')).toEqual({ outcome: 'upstream-failed', detail: 'gone', isLast: true });
    expect(metered(asked('upstream-failed', { detail: 'gone' }), asked('forwarded')).troubleIn('turn1')).toMatchObject({ isLast: false });
  });

  test('without a key is one, though no service was asked', () => {
    expect(metered(asked('upstream-missing'), asked('upstream-missing')).troubleIn('turn1')).toMatchObject({ outcome: 'upstream-missing', isLast: true });
  });

  test('that a cassette lacks a request is not hidden by a budget that was spent before', () => {
    expect(metered(asked('over-budget'), asked('cassette-lacks', { detail: 'difference' }), asked('replayed')).troubleIn('turn1')).toMatchObject({ outcome: 'cassette-lacks', detail: 'difference' });
  });

  test('belongs to its window, and all are told together', () => {
    const { window: _window, ...outside } = asked('cassette-lacks', { detail: 'before the first turn' });
    const meter = metered(outside, asked('forwarded'));
    expect([meter.troubleIn('turn1'), meter.troubles]).toMatchObject([undefined, [{ outcome: 'cassette-lacks', detail: 'before the first turn' }]]);
  });

  test('is seen behind any number of other requests', () => {
    const meter = new SessionMeter();
    const { asksModel: _asks, ...probe } = asked('side', { path: '/' });
    for (let count = 0; count < 20_000; count += 1) meter.ended(probe);
    meter.ended(asked('cassette-lacks'));
    expect([meter.troubleIn('turn1')?.outcome, meter.exchanges.length <= 501, meter.dropped > 19_000]).toEqual(['cassette-lacks', true, true]);
  });
});

test('sums are of all requests to a model, by model, and of those under way as far as they have told', () => {
  const meter = metered(asked('forwarded', { model: 'm', usage: { inputTokens: 10 } }), asked('over-budget'), asked('forwarded', { model: 'n', usage: { inputTokens: 5 } }));
  meter.told(99_999, 'm', { inputTokens: 1 });
  expect([meter.countedIn('turn1'), meter.total, meter.spent.usage]).toEqual([
    { requests: 2, contextTokens: 5 },
    { requests: 2, usage: { inputTokens: 15, models: { m: { inputTokens: 10 }, n: { inputTokens: 5 } } } },
    { inputTokens: 16, models: { m: { inputTokens: 11 }, n: { inputTokens: 5 } } },
  ]);
});
