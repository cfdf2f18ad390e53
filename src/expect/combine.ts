import { EVENT_KINDS } from './event.js';
import { createMatch, folded, isMatch, MATCHED, mismatchInWords, show, type EventMatch, type Match, type MatchOutcome, type PendingOutcome, type ToolMatch, type ValueMatch } from './match.js';

/** Every match holds. A mismatch decides, whatever else is unavailable. All matches are of values, all of tool calls, or all of events. */
export function and<T>(...matches: readonly ValueMatch<T>[]): ValueMatch<T>;
export function and(...matches: readonly ToolMatch[]): ToolMatch;
export function and(...matches: readonly EventMatch[]): EventMatch;
export function and(...matches: readonly Match[]): Match {
  return combined('and', matches, (outcomes) => outcomes.find((o) => o.status === 'mismatched') ?? outcomes.find((o) => o.status === 'unavailable') ?? MATCHED);
}

/** At least one match holds. A match decides, whatever else is unavailable. All matches are of values, all of tool calls, or all of events. */
export function or<T>(...matches: readonly ValueMatch<T>[]): ValueMatch<T>;
export function or(...matches: readonly ToolMatch[]): ToolMatch;
export function or(...matches: readonly EventMatch[]): EventMatch;
export function or(...matches: readonly Match[]): Match {
  return combined('or', matches, (outcomes, description) => {
    const decisive = outcomes.find((o) => o.status === 'matched') ?? outcomes.find((o) => o.status === 'unavailable');
    if (decisive !== undefined) return decisive;
    const first = outcomes.find((o) => o.status === 'mismatched');
    return mismatchInWords(description, () => first?.received ?? '');
  });
}

/** The match does not hold: for values, tool calls and events. Unavailable stays unavailable. */
export function not<T>(match: ValueMatch<T>): ValueMatch<T>;
export function not(match: ToolMatch): ToolMatch;
export function not(match: EventMatch): EventMatch;
export function not(match: Match): Match {
  checkParts('not', [match]);
  const description = `not (${match.description})`;
  const inverted = (outcome: MatchOutcome): MatchOutcome => {
    if (outcome.status === 'unavailable') return outcome;
    return outcome.status === 'mismatched' ? MATCHED : { status: 'mismatched', expected: description, received: 'one that it holds for' };
  };
  return matchLike([match], description, (subject) => {
    const outcome = evaluated(match, subject);
    return outcome instanceof Promise ? outcome.then(inverted) : inverted(outcome);
  }, EVENT_KINDS);
}

function combined(word: 'and' | 'or', matches: readonly Match[], fold: (outcomes: readonly MatchOutcome[], description: string) => MatchOutcome): Match {
  if (matches.length < 2) throw new TypeError(`${word}() needs at least two matches.`);
  checkParts(word, matches);
  const description = matches.map((match) => `(${match.description})`).join(` ${word} `);
  const kinds = [...new Set(matches.flatMap((match) => (match.domain === 'event' ? match.kinds : [])))];
  return matchLike(matches, description, (subject) => folded(matches.map((match) => evaluated(match, subject)), (outcomes) => fold(outcomes, description)), kinds);
}

function checkParts(word: string, matches: readonly Match[]): void {
  const stranger = matches.find((match) => !isMatch(match));
  if (stranger !== undefined) throw new TypeError(`${word}() needs comparisons made by niceeval/expect, not ${show(stranger)}.`);
  if (new Set(matches.map((match) => match.domain)).size > 1) throw new TypeError(`${word}() needs matches of one kind: of values, of tool calls or of events.`);
  const counted = matches.find((match) => match.domain !== 'value' && match.count !== undefined);
  if (counted !== undefined) throw new TypeError(`${word}() looks at one occurrence, so "${counted.description}" cannot say how often. Put the number on the whole: ${word}(...).atLeast(2).`);
}

/** The subject is what the domain says: the parts were checked to be of it. */
function evaluated(match: Match, subject: unknown): PendingOutcome {
  return (match.evaluate as (subject: unknown) => PendingOutcome)(subject);
}

function matchLike([first]: readonly Match[], description: string, evaluate: (subject: unknown) => PendingOutcome, kinds: EventMatch['kinds']): Match {
  switch (first?.domain) {
    case 'tool': return createMatch({ domain: 'tool', description, evaluate });
    case 'event': return createMatch({ domain: 'event', description, evaluate, kinds });
    default: return createMatch({ domain: 'value', description, evaluate });
  }
}
