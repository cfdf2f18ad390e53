import type { EventOccurrence } from '../evidence/occurrence.js';
import { wordsOfRange, type CountRange } from '../expect/count-range.js';
import { eventMatchOf, type EventKind } from '../expect/event.js';
import { MATCHED, show, type EventMatch } from '../expect/match.js';
import type { ClaimOutcome } from './claim.js';
import { find, judgeCount, type Found } from './count.js';
import type { ClaimSpec } from './entry.js';
import { ClaimAuthoringError, wordsOfThrown } from './errors.js';
import { judgeOrder } from './order-claims.js';
import { gapOf, occurrencesIn, occurrencesOf, orphanGapOf, type Gap, type ScopeEvidence } from './scope.js';
import { countOf, type CountOptions } from './selection.js';

/** A kind of event, or a match made by `eventMatch`. */
export type EventSelector = EventKind | EventMatch;

/** Something happened. */
export function event(scope: ScopeEvidence, selector: EventSelector, options: CountOptions = {}): ClaimSpec {
  const match = matchOf(selector);
  const asked = countOf('event', options, match);
  const count = asked ?? { min: 1, max: Infinity };
  return {
    description: `${scope.name} had ${match.description}${asked === undefined ? '' : ` ${wordsOfRange(count)}`}`,
    evaluate: () => judgeEvents(scope, match, count, wordsOfRange(count)),
  };
}

/** Something did not happen at all. */
export function notEvent(scope: ScopeEvidence, selector: EventSelector): ClaimSpec {
  const match = matchOf(selector);
  countOf('notEvent', {}, match, 'it says already: not at all');
  return { description: `${scope.name} had no ${match.description}`, evaluate: () => judgeEvents(scope, match, { min: 0, max: 0 }, 'no such event') };
}

/** Things happened in this order, each one a later, different event; others may lie between. On the whole Attempt: within one session. */
export function eventOrder(scope: ScopeEvidence, selectors: readonly EventSelector[]): ClaimSpec {
  if (!Array.isArray(selectors) || selectors.length < 2) throw new ClaimAuthoringError('eventOrder needs a list of at least two events.');
  const steps = selectors.map((selector: EventSelector) => matchOf(selector));
  for (const step of steps) countOf('eventOrder', {}, step, 'name an event twice for "twice in order"');
  return {
    description: `${scope.name} had in order: ${steps.map((step) => step.description).join(', ')}`,
    evaluate: () => judgeOrder(scope, steps, (session) => occurrencesIn(session).events, firstGap(scope, steps)),
  };
}

function judgeEvents(scope: ScopeEvidence, match: EventMatch, count: CountRange, expected: string): ClaimOutcome | Promise<ClaimOutcome> {
  const { events, byKind } = occurrencesOf(scope);
  const [kind, ...others] = match.kinds;
  const candidates = kind === undefined || others.length > 0 ? events : byKind.get(kind) ?? [];
  const judged = (found: Found<EventOccurrence>): ClaimOutcome => {
    const { firstUndecided } = found;
    const state = judgeCount(count, {
      matched: found.matched.length, undecided: found.undecided, ...(firstUndecided === undefined ? {} : { firstUndecided }), gap: firstGap(scope, [match]),
    });
    if (state === 'matched') return found.matched.length === 0 ? MATCHED : { status: 'matched', note: wordsOfEvents(found.matched) };
    if (state !== 'mismatched') return state;
    const near = found.matched.length === 0 && found.nearest?.outcome.path !== undefined ? found.nearest : undefined;
    return {
      status: 'mismatched',
      expected,
      received: found.matched.length === 0 ? `0 found among ${events.length} events` : `${found.matched.length} found: ${wordsOfEvents(found.matched)}`,
      ...(near === undefined ? {} : { nearest: { what: wordsOfEvent(near.subject), expected: near.outcome.expected, received: near.outcome.received, path: near.outcome.path ?? '/' } }),
    };
  };
  const found = find(match, candidates);
  return found instanceof Promise ? found.then(judged) : judged(found);
}

/** Why events of these kinds may have been missed. A message is seen by either of two channels. */
function firstGap(scope: ScopeEvidence, matches: readonly EventMatch[]): Gap | undefined {
  for (const kind of new Set(matches.flatMap((match) => match.kinds))) {
    const events = gapOf(scope, 'events');
    const gap = kind === 'message' ? events && gapOf(scope, 'messages')
      : kind === 'operation.started' ? events ?? gapOf(scope, 'actions') ?? orphanGapOf(scope, 'all')
        : kind === 'operation.finished' ? events ?? gapOf(scope, 'actions')
          : events;
    if (gap !== undefined) return gap;
  }
  return undefined;
}

function matchOf(selector: EventSelector): EventMatch {
  try {
    return eventMatchOf(selector);
  } catch (error) {
    throw new ClaimAuthoringError(wordsOfThrown(error), { cause: error });
  }
}

function wordsOfEvents(events: readonly EventOccurrence[]): string {
  const shown = events.slice(0, 3).map(wordsOfEvent).join(', ');
  return events.length <= 3 ? shown : `${shown} and ${events.length - 3} more`;
}

function wordsOfEvent({ event: seen, index, call, subagent }: EventOccurrence): string {
  const what = call?.operation.name ?? subagent?.name ?? ('text' in seen ? show(seen.text.slice(0, 80)) : 'message' in seen ? show(seen.message.slice(0, 80)) : 'skill' in seen ? seen.skill : '');
  return `${seen.type} #${index + 1}${what === '' ? '' : ` ${what}`}`;
}
