import type { ToolOccurrence } from '../evidence/occurrence.js';
import { createMatch, isMatch, MATCHED, show, type Match, type MatchOutcome, type ToolMatch, type ValueMatch } from './match.js';

/** Every match holds. A mismatch decides, whatever else is unavailable. All matches are of values, or all of tool calls. */
export function and(...matches: readonly ValueMatch[]): ValueMatch;
export function and(...matches: readonly ToolMatch[]): ToolMatch;
export function and(...matches: readonly Match[]): Match {
  return combined('and', matches, (outcomes) => outcomes.find((o) => o.status === 'mismatched') ?? outcomes.find((o) => o.status === 'unavailable') ?? MATCHED);
}

/** At least one match holds. A match decides, whatever else is unavailable. All matches are of values, or all of tool calls. */
export function or(...matches: readonly ValueMatch[]): ValueMatch;
export function or(...matches: readonly ToolMatch[]): ToolMatch;
export function or(...matches: readonly Match[]): Match {
  return combined('or', matches, (outcomes, description) => {
    const decisive = outcomes.find((o) => o.status === 'matched') ?? outcomes.find((o) => o.status === 'unavailable');
    if (decisive !== undefined) return decisive;
    const first = outcomes.find((o) => o.status === 'mismatched');
    return { status: 'mismatched', expected: description, received: first?.received ?? '' };
  });
}

/** The match does not hold. Unavailable stays unavailable. */
export function not(match: ValueMatch): ValueMatch;
export function not(match: ToolMatch): ToolMatch;
export function not(match: Match): Match {
  const domain = domainOf('not', [match]);
  const description = `not (${match.description})`;
  return matchOf(domain, description, async (subject) => {
    const outcome = await match.evaluate(subject);
    if (outcome.status === 'unavailable') return outcome;
    return outcome.status === 'mismatched' ? MATCHED : { status: 'mismatched', expected: description, received: 'a value that it holds for' };
  });
}

function combined(
  word: 'and' | 'or',
  matches: readonly Match[],
  fold: (outcomes: readonly MatchOutcome[], description: string) => MatchOutcome,
): Match {
  if (matches.length < 2) throw new TypeError(`${word}() needs at least two matches.`);
  const domain = domainOf(word, matches);
  const description = matches.map((match) => `(${match.description})`).join(` ${word} `);
  return matchOf(domain, description, async (subject) => fold(await Promise.all(matches.map((match) => match.evaluate(subject))), description));
}

function domainOf(word: string, matches: readonly Match[]): Match['domain'] {
  const stranger = matches.find((match) => !isMatch(match));
  if (stranger !== undefined) throw new TypeError(`${word}() needs matches made by niceeval/expect, not ${show(stranger)}.`);
  const [domain = 'value', ...others] = new Set(matches.map((match) => match.domain));
  if (others.length > 0) throw new TypeError(`${word}() needs matches of one kind, either of values or of tool calls.`);
  return domain;
}

/** The subject is what the domain says: the parts were checked to be of it. */
function matchOf(domain: Match['domain'], description: string, evaluate: (subject: ToolOccurrence) => Promise<MatchOutcome>): Match {
  return createMatch({ domain, description, evaluate });
}
