import { marked } from 'marked';
import { describe, expect, test } from 'vitest';
import { markdownOf } from '../../src/report/markdown.js';
import { definePricingProfile } from '../../src/report/pricing/profile.js';
import { HOSTILE, outcome, runOf } from './outcomes.js';

describe('Markdown', () => {
  test('has a table of experiments and the reasons of what did not pass', () => {
    const usage = { inputTokens: 1000, outputTokens: 200 };
    const repeated = (count: number, changes: Parameters<typeof outcome>[0]) => Array.from({ length: count }, (_, index) => outcome({ index: index + 1, usage, ...changes }));
    // 12 of 16: 0.5050 to 0.8982; 12 of 20: 0.3866 to 0.7812 (SciPy). Ended after 1.0 s (12) and 9.0 s (4), 3 cut off: the tenth of 19 is at 1.0 s.
    const codex = [
      ...repeated(12, { durationMs: 1000, model: 'gpt-5' }),
      ...repeated(4, { evalId: 'every-claim', verdict: 'failed', reasons: ['tests pass: expected 0, received 1', 'no changes'], durationMs: 9000, model: 'un`priced', score: { earned: 1, possible: 2 } }),
      ...repeated(3, { evalId: 'slow', verdict: 'errored', infrastructure: 'timeout', reasons: ['Time ran out.'], durationMs: 300_000, cutOff: true, usage: {}, model: 'gpt-5' }),
      ...repeated(1, { evalId: 'gone', verdict: 'errored', durationMs: 1, model: 'gpt-5' }),
    ];
    const claude = [outcome({ experimentId: 'claude', agent: 'claude-code', verdict: 'skipped' }), outcome({ experimentId: 'claude', agent: 'claude-code', verdict: 'errored', evalId: 'slow', cutOff: true })];
    const lines = markdownOf(runOf([...codex, ...claude, outcome({ experimentId: 'z', noClaims: true })], { interrupted: true, notRun: Array.from({ length: 1 }, () => ({ experimentId: 'codex', reason: 'interrupted' as const })) }), { pricing: definePricingProfile({ name: 'mine', prices: { 'gpt-5': { inputPerMTok: 10, outputPerMTok: 0 } } }) }).split('\n');
    expect(lines.slice(0, 19)).toEqual([
      '# Run `20261130-155732-5a1efc`',
      '',
      '13 passed, 4 failed, 5 errored, 1 skipped in 61.2 s.',
      '',
      '**Not whole: the run was interrupted; 1 planned Attempt was not run.**',
      '',
      '1 passed without any claim.',
      '',
      '| experiment | agent | passed of completed | passed of all | skipped | cost | tokens in/out | median time |',
      '|---|---|---|---|---|---|---|---|',
      '| `codex` | ``codex (gpt-5), codex (un`priced)`` | 12 of 16: 75.0 % (50.5 to 89.8) | 12 of 20: 60.0 % (38.7 to 78.1) | 0 | >=$0.13 | 17000 (17 of 20 known) / 3400 (17 of 20 known) | 1.0 s (3 of 19 cut off) |',
      '| `claude` | `claude-code` | - | 0 of 1: 0.0 % (0.0 to 79.3) | 1 | - | - / - | not reached (1 of 1 cut off) |',
      '| `z` | `codex` | 1 of 1: 100.0 % (20.7 to 100.0) | 1 of 1: 100.0 % (20.7 to 100.0) | 0 | - | - / - | 1.5 s |',
      '',
      'Costs by `mine`; known in part for 0 and not at all for 10 of 23; no price for ``un`priced``.',
      '',
      '## Not passed',
      '',
      '- failed: `every-claim #1` by `codex`, 1 of 2 points',
    ]);
    expect(lines.slice(19, 22)).toEqual(['  - `tests pass: expected 0, received 1`', '  - `no changes`', '- failed: `every-claim #2` by `codex`, 1 of 2 points']);
    expect(lines).toContain('- errored (`timeout`): `slow #1` by `codex`');
    expect(lines).toContain('- errored: `gone #1` by `codex`');
  });

  test('of nothing says so', () => {
    expect(markdownOf(runOf([], { durationMs: 0 }))).toBe('# Run `20261130-155732-5a1efc`\n\n0 passed, 0 failed, 0 errored, 0 skipped in 0.0 s.\n\nNo Attempt was started.\n');
  });

  test.each(HOSTILE)('takes %s for text, wherever it stands', async (_what, text, shown) => {
    const html = await marked.parse(markdownOf(runOf([outcome({ evalId: text, experimentId: text, agent: text, verdict: 'errored', infrastructure: text, reasons: [text] })], { runId: text }), { pricing: definePricingProfile({ name: text, prices: {} }) }));
    const cell = shown.replaceAll('|', '\\u007c');
    // The six kinds of place and nothing else: rendered by another's parser, each is one code span with the very text.
    expect([...html.matchAll(/<code>([^]*?)<\/code>/g)].map(([, inside]) => unescaped(inside ?? ''))).toEqual([shown, cell, cell, shown, shown, `${shown} #1`, shown, shown]);
    expect(new Set([...html.matchAll(/<(\w+)/g)].map(([, tag]) => tag))).toEqual(new Set(['h1', 'h2', 'p', 'code', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'ul', 'li']));
    expect(html.match(/<tr>/g)).toHaveLength(2);
    expect(html.match(/<td>/g)).toHaveLength(8);
    expect(html.match(/<li>/g)).toHaveLength(2);
  });

  test('shows that a text is empty', () => {
    expect(markdownOf(runOf([outcome({ verdict: 'failed', reasons: [''] })]))).toContain('\n  - (empty)\n');
  });

  test('keeps within the summary of a step, and says what is left out', () => {
    const attempts = Array.from({ length: 3000 }, (_, index) => outcome({ index: index + 1, verdict: 'failed', reasons: [`🙂${'`'.repeat(1_000)}`] }));
    const text = markdownOf(runOf(attempts));
    const shown = text.match(/^- failed/gm)?.length ?? 0;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1000 * 1024);
    expect(Buffer.byteLength(text)).toBeGreaterThan(990 * 1024);
    expect(text.endsWith(`\n\n${3000 - shown} more Attempts are not shown: there is no room.\n`)).toBe(true);
  });

  test('keeps within a smaller limit with too many experiments', () => {
    const text = markdownOf(runOf(Array.from({ length: 100 }, (_, index) => outcome({ experimentId: `experiment ${index}`, verdict: 'failed' }))), { limitBytes: 4096 });
    const shown = text.match(/^\| `experiment/gm)?.length ?? 0;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096);
    expect(shown).toBeGreaterThan(10);
    expect(text).toContain(`\n${100 - shown} more experiments are not shown: there is no room.\n`);
    expect(text).toMatch(/\n\d+ more Attempts are not shown: there is no room.\n$/);
  });

  test('refuses a limit that holds nothing', () => {
    expect(() => markdownOf(runOf([]), { limitBytes: 100 })).toThrow('markdownOf({ limitBytes }) must be at least 4096, not 100.');
  });

  test('cuts a reason of a megabyte and a hundred reasons', () => {
    const text = markdownOf(runOf([outcome({ verdict: 'failed', reasons: ['x'.repeat(1_000_000), ...Array.from({ length: 99 }, (_, index) => `r${index}`)] })]));
    expect(text).toContain(`\n  - \`${'x'.repeat(997)}...\`\n  - \`r0\`\n`);
    expect(text.endsWith('\n  - `r18`\n  - and 80 more reasons\n')).toBe(true);
  });
});

function unescaped(html: string): string {
  return html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}
