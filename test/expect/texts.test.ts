import { describe, expect, test } from 'vitest';
import type { MatchOutcome, ValueMatch } from '../../src/expect/match.js';
import { excludes, hasSections, includes, includesUrl, pattern, similarity, type TextOptions } from '../../src/expect/texts.js';

const statusOf = async (match: ValueMatch<string>, value: unknown): Promise<MatchOutcome['status']> => (await match.evaluate(value as string)).status;

describe('similarity is 1 - Levenshtein distance / length of the longer text', () => {
  // Distances as textbooks give them: kitten/sitting 3 (Wagner and Fischer's example in many), saturday/sunday 3, flaw/lawn 2,
  // intention/execution 5 (Jurafsky and Martin), gumbo/gambol 2, book/back 2, rosettacode/raisethysword 8 (Rosetta Code).
  test.each<[string, string, number, number]>([
    ['kitten', 'sitting', 3, 7],
    ['saturday', 'sunday', 3, 8],
    ['flaw', 'lawn', 2, 4],
    ['intention', 'execution', 5, 9],
    ['gumbo', 'gambol', 2, 6],
    ['book', 'back', 2, 4],
    ['rosettacode', 'raisethysword', 8, 13],
    ['', 'abc', 3, 3],
    ['abc', 'abc', 0, 3],
    ['Abc', 'abc', 1, 3],
    ['ab', 'ba', 2, 2],
    // In UTF-16 units: the two smileys share their first half.
    ['🙂', '🙃', 1, 2],
  ])('%s and %s: distance %d of %d', async (a, b, distance, longest) => {
    expect(await similarity(a).score(b)).toBeCloseTo(1 - distance / longest, 12);
    expect(await similarity(b).score(a)).toBeCloseTo(1 - distance / longest, 12);
  });

  test('is 1 for two empty texts', async () => {
    expect(await similarity('').score('')).toBe(1);
  });

  test('refuses texts whose comparison would hold up everything else', () => {
    expect(similarity('a'.repeat(100_000)).score('a')).toBeCloseTo(0.00001, 12);
    expect(() => similarity('a').score('b'.repeat(100_001))).toThrow('The similarity to "a" cannot be measured of texts of more than 100000 characters; one has 100001.');
  });

  test('cannot be measured of what is no text, and is not made for it', () => {
    expect(() => similarity('a').score(5 as unknown as string)).toThrow(new TypeError('The similarity to "a" can only be measured of a string, not of 5.'));
    expect(() => similarity(5 as unknown as string)).toThrow(new TypeError('similarity() needs a string, not 5.'));
  });

  test('as a comparison holds at its limit and above, not below', async () => {
    const match = similarity('kitten').atLeast(4 / 7);
    expect([await statusOf(match, 'kitten'), await statusOf(match, 'sitting'), await statusOf(match, 'sitting!')]).toEqual(['matched', 'matched', 'mismatched']);
    expect(await similarity('ab').atLeast(0.75).evaluate('ax')).toEqual({ status: 'mismatched', expected: 'similarity to "ab" of at least 0.75', received: '0.5' });
  });
});

describe('includesUrl counts different http and https URLs', () => {
  test.each<[string, unknown, number | undefined, MatchOutcome['status']]>([
    ['one', 'See https://example.com/a for more.', undefined, 'matched'],
    ['one over http', 'http://example.com', undefined, 'matched'],
    ['one in capitals', 'HTTPS://EXAMPLE.COM', undefined, 'matched'],
    ['one in a Markdown link', '[a](https://example.com/a)', undefined, 'matched'],
    ['none', 'See example.com.', undefined, 'mismatched'],
    ['one of another scheme', 'ftp://example.com mailto:a@example.com', undefined, 'mismatched'],
    ['a scheme and nothing behind it', 'https:// is a scheme', undefined, 'mismatched'],
    ['the same one twice', 'https://a.com and https://a.com.', 2, 'mismatched'],
    ['the same one with and without its slash', 'https://a.com/ https://a.com', 2, 'mismatched'],
    ['two', 'https://a.com, https://b.com', 2, 'matched'],
    ['two that differ in their fragment', 'https://a.com/#a https://a.com/#b', 2, 'matched'],
    ['a list with one', ['https://a.com'], undefined, 'mismatched'],
    ['nothing', undefined, undefined, 'mismatched'],
  ])('%s', async (_what, value, least, expected) => {
    expect(await statusOf(least === undefined ? includesUrl() : includesUrl(least), value)).toBe(expected);
  });
});

describe('hasSections counts Markdown headings', () => {
  test.each<[string, unknown, number | undefined, MatchOutcome['status']]>([
    ['two', '# A\ntext\n## B', undefined, 'matched'],
    ['one', '# A\ntext', undefined, 'mismatched'],
    ['one where one is asked for', '# A', 1, 'matched'],
    ['of each depth', ['# 1', '## 2', '### 3', '#### 4', '##### 5', '###### 6'].join('\n'), 6, 'matched'],
    ['of seven marks', '####### A', 1, 'mismatched'],
    ['without a space', '#x', 1, 'mismatched'],
    ['without a text', '#\n# ', 1, 'mismatched'],
    ['behind a tab', '#\tA', 1, 'matched'],
    ['behind three spaces', '   # A', 1, 'matched'],
    ['behind four spaces, which is code', '    # A', 1, 'mismatched'],
    ['in the middle of a line', 'see # A', 1, 'mismatched'],
    ['in fenced code', '```sh\n# A\n# B\n```', 1, 'mismatched'],
    ['in code fenced by tildes', '~~~\n# A\n~~~', 1, 'mismatched'],
    ['behind fenced code', '```\n# A\n```\n# B', 1, 'matched'],
    ['in a fence that is closed by a longer one only', '````\n# A\n```\n# B\n````', 1, 'mismatched'],
    ['in a fence that words behind its mark do not close', '```\n# A\n``` sh\n# B', 1, 'mismatched'],
    ['in a fence that is never closed', '```\n# A\n# B', 1, 'mismatched'],
    ['in a fence of backticks that tildes do not close', '```\n# A\n~~~\n# B', 1, 'mismatched'],
    ['with Windows line ends', '# A\r\n# B\r\n', 2, 'matched'],
    ['a list of them', ['# A', '# B'], undefined, 'mismatched'],
  ])('%s', async (_what, value, least, expected) => {
    expect(await statusOf(least === undefined ? hasSections() : hasSections(least), value)).toBe(expected);
  });
});

describe('stripComments leaves comments out of what is compared', () => {
  const code = 'const url = "https://a.com"; // TODO later\n/* FIXME now */ run();\n';
  test.each<[string, ValueMatch, MatchOutcome['status']]>([
    ['includes finds a comment', includes('TODO'), 'matched'],
    ['includes finds none without them', includes('TODO', { stripComments: true }), 'mismatched'],
    ['includes finds what only looks like one', includes('"https://a.com"', { stripComments: true }), 'matched'],
    ['includes with the option off finds a comment', includes('TODO', { stripComments: false }), 'matched'],
    ['excludes sees a comment', excludes('FIXME'), 'mismatched'],
    ['excludes sees none without them', excludes('FIXME', { stripComments: true }), 'matched'],
    ['excludes sees code', excludes('run()', { stripComments: true }), 'mismatched'],
    ['pattern finds a comment', pattern(/FIXME|TODO/), 'matched'],
    ['pattern finds none without them', pattern(/FIXME|TODO/, { stripComments: true }), 'mismatched'],
    ['pattern finds code', pattern(/^\s*run\(\);$/m, { stripComments: true }), 'matched'],
  ])('%s', async (_what, match, expected) => {
    expect(await statusOf(match, code)).toBe(expected);
  });

  test('says so in words', () => {
    const options = { stripComments: true };
    expect([includes('a', options), excludes('a', options), pattern(/a/g, options)].map(({ description }) => description)).toEqual([
      'includes "a" outside comments', 'excludes "a" outside comments', 'matches /a/g outside comments',
    ]);
  });
});

test.each<[string, () => unknown, string]>([
  ['no URL at all', () => includesUrl(0), 'includesUrl() needs a whole number from 1, not 0.'],
  ['half a heading', () => hasSections(1.5), 'hasSections() needs a whole number from 1, not 1.5.'],
  ['a number in words', () => hasSections('2' as unknown as number), 'hasSections() needs a whole number from 1, not "2".'],
  ['an unknown option', () => includes('a', { ignoreCase: true } as TextOptions), 'includes() does not know the option "ignoreCase". It knows stripComments.'],
  ['an option that is no boolean', () => pattern(/a/, { stripComments: 'yes' } as unknown as TextOptions), 'pattern(): `stripComments` must be true or false, not "yes".'],
])('refuses %s', (_what, make, message) => {
  expect(make).toThrow(new TypeError(message));
});
