import { createMatch, MATCHED, type Match, type MatchOutcome, type ValueMatch } from './match.js';

/** Every match holds. A mismatch decides, whatever else is unavailable. */
export function and(...matches: readonly ValueMatch[]): ValueMatch {
  return combined('and', matches, (outcomes) => outcomes.find((o) => o.status === 'mismatched') ?? outcomes.find((o) => o.status === 'unavailable') ?? MATCHED);
}

/** At least one match holds. A match decides, whatever else is unavailable. */
export function or(...matches: readonly ValueMatch[]): ValueMatch {
  return combined('or', matches, (outcomes, description) => {
    const decisive = outcomes.find((o) => o.status === 'matched') ?? outcomes.find((o) => o.status === 'unavailable');
    if (decisive !== undefined) return decisive;
    const first = outcomes.find((o) => o.status === 'mismatched');
    return { status: 'mismatched', expected: description, received: first?.received ?? '' };
  });
}

/** The match does not hold. Unavailable stays unavailable. */
export function not(match: ValueMatch): ValueMatch {
  const description = `not (${match.description})`;
  return createMatch({
    domain: 'value',
    description,
    evaluate: async (value) => {
      const outcome = await match.evaluate(value);
      if (outcome.status === 'unavailable') return outcome;
      return outcome.status === 'mismatched' ? MATCHED : { status: 'mismatched', expected: description, received: 'a value that it holds for' };
    },
  });
}

function combined(
  word: 'and' | 'or',
  matches: readonly ValueMatch[],
  fold: (outcomes: readonly MatchOutcome[], description: string) => MatchOutcome,
): ValueMatch {
  if (matches.length < 2) throw new TypeError(`${word}() needs at least two matches.`);
  const description = matches.map((match: Match) => `(${match.description})`).join(` ${word} `);
  return createMatch({
    domain: 'value',
    description,
    evaluate: async (value) => fold(await Promise.all(matches.map((match) => match.evaluate(value))), description),
  });
}
