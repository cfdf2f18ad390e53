import { describe, expect, test } from 'vitest';
import type { ClaimSpec } from '../../src/assert/entry.js';
import { event, eventOrder, notEvent, type EventSelector } from '../../src/assert/event-claims.js';
import { maxCost, maxDuration, maxRequests, maxTokens, maxTurns } from '../../src/assert/limits.js';
import type { ScopeEvidence } from '../../src/assert/scope.js';
import { succeeded } from '../../src/assert/status-claims.js';
import { calledTool, maxToolCalls, noFailedActions, notCalledTool, toolOrder, usedNoTools } from '../../src/assert/tool-claims.js';
import { completeEvidenceCoverage, type EvidenceChannel, type EvidenceCoverage, type EvidenceCoverageEntry } from '../../src/evidence/coverage.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import type { Usage } from '../../src/evidence/usage.js';
import { not } from '../../src/expect/combine.js';
import { EVENT_KINDS, eventMatch, type EventKind } from '../../src/expect/event.js';
import type { MatchOutcome } from '../../src/expect/match.js';
import { toolMatch } from '../../src/expect/tool.js';
import { outcomeOf } from './outcomes.js';
import { call, delegation, says, scopeOf, turnOf } from './scopes.js';

type Status = MatchOutcome['status'];
type Polarity = 'positive' | 'negative' | 'upper bound';

const CHANNELS = Object.keys(completeEvidenceCoverage) as EvidenceChannel[];
const LEVELS = ['complete', 'partial', 'unavailable'] as const satisfies readonly EvidenceCoverageEntry['status'][];

/**
 * The rule: what was seen stands whatever the coverage. Nothing found: a positive claim is mismatched, a negative one and an
 * upper bound hold, where the channel is complete; elsewhere nobody can tell.
 */
function expected(polarity: Polarity, isFound: boolean, isComplete: boolean): Status {
  if (isFound) return polarity === 'positive' ? 'matched' : 'mismatched';
  if (!isComplete) return 'unavailable';
  return polarity === 'positive' ? 'mismatched' : 'matched';
}

/** A claim, what it is about, and a picture in which it is found and one in which it is not. */
interface Family {
  readonly polarity: Polarity;
  /** Each of these lists is enough when all of its channels are complete. */
  readonly governedBy: readonly (readonly EvidenceChannel[])[];
  readonly claim: (scope: ScopeEvidence) => ClaimSpec;
  readonly found: Partial<Pick<ScopeEvidence, 'turns'>> & { readonly events?: readonly StreamEvent[] };
  readonly absent: Family['found'];
}

const none = { events: [says('Hello.', 'user')] };
const edited = { events: call('Edit') };
const ordered = { events: [...call('Read'), ...call('Edit')] };
const reversed = { events: [...call('Edit'), ...call('Read')] };
const consumed = (usage: Usage, usd = 0): Family['found'] => ({ turns: [turnOf(usage, { estimate: () => ({ state: 'estimated', usd, leastUSD: usd, mostUSD: usd, notes: [] }) })] });
const tools = [['actions']] as const;

const FAMILIES: Record<string, Family> = {
  'calledTool': { polarity: 'positive', governedBy: tools, claim: (scope) => calledTool(scope, 'Edit'), found: edited, absent: { events: call('Read') } },
  'calledTool at least twice': { polarity: 'positive', governedBy: tools, claim: (scope) => calledTool(scope, 'Edit', { count: { atLeast: 2 } }), found: { events: [...call('Edit'), ...call('Edit')] }, absent: edited },
  'calledTool of a negation': { polarity: 'positive', governedBy: tools, claim: (scope) => calledTool(scope, not(toolMatch('Edit'))), found: { events: call('Read') }, absent: edited },
  'toolOrder': { polarity: 'positive', governedBy: tools, claim: (scope) => toolOrder(scope, ['Read', 'Edit']), found: ordered, absent: reversed },
  'notCalledTool': { polarity: 'negative', governedBy: tools, claim: (scope) => notCalledTool(scope, 'Edit'), found: edited, absent: { events: call('Read') } },
  'calledTool at most 0 times': { polarity: 'negative', governedBy: tools, claim: (scope) => calledTool(scope, toolMatch('Edit').atMost(0)), found: edited, absent: none },
  'usedNoTools': { polarity: 'negative', governedBy: tools, claim: usedNoTools, found: edited, absent: none },
  'usedNoTools, and a subagent': { polarity: 'negative', governedBy: tools, claim: usedNoTools, found: { events: delegation('helper') }, absent: none },
  'noFailedActions': { polarity: 'negative', governedBy: tools, claim: noFailedActions, found: { events: call('Edit', 'failed') }, absent: { events: [...call('Edit'), ...call('Edit', 'rejected'), ...call('Edit', 'pending')] } },
  'noFailedActions, and a subagent': { polarity: 'negative', governedBy: tools, claim: noFailedActions, found: { events: delegation('helper', 'failed') }, absent: { events: delegation('helper') } },
  'maxToolCalls': { polarity: 'upper bound', governedBy: tools, claim: (scope) => maxToolCalls(scope, 1), found: reversed, absent: edited },
  'calledTool at most once': { polarity: 'upper bound', governedBy: tools, claim: (scope) => calledTool(scope, toolMatch('Edit').atMost(1)), found: { events: [...call('Edit'), ...call('Edit')] }, absent: edited },
  'event at most once': { polarity: 'upper bound', governedBy: [['events']], claim: (scope) => event(scope, eventMatch('compaction').atMost(1)), found: { events: [{ type: 'compaction' }, { type: 'compaction' }] }, absent: { events: [{ type: 'compaction' }] } },
  'eventOrder': { polarity: 'positive', governedBy: [['events']], claim: (scope) => eventOrder(scope, ['thinking', 'compaction']), found: { events: [{ type: 'thinking', text: 'hm' }, { type: 'compaction' }] }, absent: { events: [{ type: 'compaction' }, { type: 'thinking', text: 'hm' }] } },
  'eventOrder of messages': { polarity: 'positive', governedBy: [['events'], ['messages']], claim: (scope) => eventOrder(scope, ['message', 'message']), found: { events: [says('a', 'user'), says('b')] }, absent: { events: [says('a')] } },
  'maxTokens': { polarity: 'upper bound', governedBy: [['usage']], claim: (scope) => maxTokens(scope, 10), found: consumed({ inputTokens: 8, outputTokens: 3 }), absent: consumed({ inputTokens: 7, outputTokens: 3 }) },
  'maxRequests': { polarity: 'upper bound', governedBy: [['usage']], claim: (scope) => maxRequests(scope, 2), found: consumed({ requests: 3 }), absent: consumed({ requests: 2 }) },
  'maxCost': { polarity: 'upper bound', governedBy: [['usage']], claim: (scope) => maxCost(scope, 0.5), found: consumed({ inputTokens: 1 }, 0.6), absent: consumed({ inputTokens: 1 }, 0.5) },
  // The harness itself takes the time and counts the turns: no channel of the agent can hide any.
  'maxDuration': { polarity: 'upper bound', governedBy: [[]], claim: (scope) => maxDuration(scope, 10), found: { turns: [turnOf({}, { durationMs: 11 })] }, absent: { turns: [turnOf({}, { durationMs: 10 })] } },
  'maxTurns': { polarity: 'upper bound', governedBy: [[]], claim: (scope) => maxTurns(scope, 1), found: { turns: [turnOf({}), turnOf({})] }, absent: { turns: [turnOf({})] } },
};

const SAMPLES: { readonly [K in EventKind]: readonly StreamEvent[] } = {
  'message': [says('a')],
  'operation.started': call('Edit', 'pending'),
  'operation.finished': call('Edit'),
  'skill.loaded': [{ type: 'skill.loaded', skill: 'pdf' }],
  'input.requested': [{ type: 'input.requested', request: {} }],
  'thinking': [{ type: 'thinking', text: 'hm' }],
  'context.injected': [{ type: 'context.injected', text: 'a rule' }],
  'compaction': [{ type: 'compaction' }],
  'error': [{ type: 'error', message: 'no' }],
};
const GOVERNED_BY = (kind: EventKind): Family['governedBy'] => (kind === 'message' ? [['events'], ['messages']] : kind.startsWith('operation.') ? [['events', 'actions']] : [['events']]);

/** Every kind by its bare name and by a match; the operation kinds also of subagents. */
for (const kind of EVENT_KINDS) {
  const absent = { events: kind === 'thinking' ? [] : [{ type: 'thinking', text: 'hm' } as const] };
  const forms: readonly (readonly [string, EventSelector, readonly StreamEvent[]])[] = [
    [kind, kind, SAMPLES[kind]],
    [`eventMatch ${kind}`, eventMatch(kind), SAMPLES[kind]],
    ...(kind === 'operation.started' || kind === 'operation.finished' ? [[`eventMatch ${kind} of a subagent`, eventMatch(kind, { subagent: 'helper' }), delegation('helper')] as const] : []),
  ];
  for (const [name, selector, events] of forms) {
    const shared = { governedBy: GOVERNED_BY(kind), found: { events }, absent };
    FAMILIES[`event ${name}`] = { ...shared, polarity: 'positive', claim: (scope) => event(scope, selector) };
    FAMILIES[`notEvent ${name}`] = { ...shared, polarity: 'negative', claim: (scope) => notEvent(scope, selector) };
  }
}

function coverageOf(levels: Partial<Record<EvidenceChannel, (typeof LEVELS)[number]>>): EvidenceCoverage {
  return Object.fromEntries(CHANNELS.map((channel) => {
    const status = levels[channel] ?? 'complete';
    return [channel, status === 'complete' ? { status } : { status, reason: 'the stream was cut' }];
  })) as unknown as EvidenceCoverage;
}

/** Usage is told turn by turn, so a gap in its channel stands there. */
function pictureOf({ events, turns }: Family['found'], coverage: EvidenceCoverage): ScopeEvidence {
  const { status, reason } = coverage.usage;
  const gap = status === 'complete' ? {} : { gap: `turn1: usage coverage is ${status}: ${reason}` };
  return scopeOf({ coverage, ...(events === undefined ? {} : { events }), ...(turns === undefined ? {} : { turns: turns.map((turn) => ({ ...turn, ...gap })) }) });
}

describe('coverage and claims', () => {
  test.each(Object.entries(FAMILIES))('%s', async (_name, { polarity, governedBy, claim, found, absent }) => {
    const rows: unknown[] = [];
    const rule: unknown[] = [];
    // Each channel alone and each pair of channels, at each level.
    for (const one of CHANNELS) for (const two of CHANNELS) for (const first of LEVELS) for (const second of LEVELS) {
      if (one === two && first !== second) continue;
      const coverage = coverageOf({ [one]: first, [two]: second });
      const isComplete = governedBy.some((channels) => channels.every((channel) => coverage[channel].status === 'complete'));
      for (const isFound of [true, false]) {
        const outcome = await outcomeOf(claim(pictureOf(isFound ? found : absent, coverage)));
        rows.push({ one, first, two, second, isFound, status: outcome.status });
        rule.push({ one, first, two, second, isFound, status: expected(polarity, isFound, isComplete) });
      }
    }
    expect(rows).toEqual(rule);
    expect(rows.length).toBe((30 * 9 + 6 * 3) * 2);
  });

  test.each(Object.entries(FAMILIES))('%s while a send is under way: nothing is complete', async (_name, { polarity, claim, found, absent }) => {
    const running = async (picture: Family['found']): Promise<Status> => (await outcomeOf(claim({ ...pictureOf(picture, completeEvidenceCoverage), running: true }))).status;
    expect([await running(found), await running(absent)]).toEqual([expected(polarity, true, false), expected(polarity, false, false)]);
  });

  test.each<[channel: EvidenceChannel, level: (typeof LEVELS)[number], completed: Status, failed: Status, waiting: Status]>([
    ['status', 'complete', 'matched', 'mismatched', 'mismatched'],
    ['status', 'partial', 'unavailable', 'mismatched', 'mismatched'],
    ['status', 'unavailable', 'unavailable', 'mismatched', 'mismatched'],
    ['events', 'unavailable', 'matched', 'mismatched', 'mismatched'],
    ['data', 'unavailable', 'matched', 'mismatched', 'mismatched'],
  ])('succeeded where %s is %s', async (channel, level, ...outcomes) => {
    const coverage = coverageOf({ [channel]: level });
    const seen = await Promise.all((['completed', 'failed', 'waiting'] as const).map(async (status) => (await outcomeOf(succeeded(scopeOf({ statuses: [status], coverage })))).status));
    expect(seen).toEqual(outcomes);
  });
});

test.each<[string, (scope: ScopeEvidence) => ClaimSpec, Partial<Record<EvidenceChannel, 'partial' | 'unavailable'>>, object]>([
  ['a message that either channel would show', (scope) => notEvent(scope, 'message'), { events: 'partial', messages: 'unavailable' }, { code: 'messages-coverage-unavailable', reason: 'messages coverage is unavailable: the stream was cut' }],
  ['a call that both channels must show', (scope) => notEvent(scope, 'operation.started'), { actions: 'partial' }, { code: 'actions-coverage-partial', reason: 'actions coverage is partial: the stream was cut' }],
  ['any other event', (scope) => notEvent(scope, 'error'), { events: 'unavailable', actions: 'partial' }, { code: 'events-coverage-unavailable', reason: 'events coverage is unavailable: the stream was cut' }],
  ['everything', (scope) => notEvent(scope, not(eventMatch('error'))), { actions: 'partial' }, { code: 'actions-coverage-partial', reason: 'actions coverage is partial: the stream was cut' }],
])('says which channel is missing for %s', async (_what, claim, levels, gap) => {
  const events: readonly StreamEvent[] = [{ type: 'error', message: 'no' }];
  const scope = scopeOf({ coverage: coverageOf(levels), events: claim(scopeOf({})).description.includes('not (') ? events : [] });
  expect(await outcomeOf(claim(scope))).toEqual({ status: 'unavailable', ...gap });
});
