import { describe, expect, test } from 'vitest';
import { annotationsOf } from '../../src/report/annotations.js';
import { HOSTILE, outcome, runOf } from './outcomes.js';

interface Command {
  readonly name: string;
  readonly properties: { readonly [name: string]: string };
  readonly message: string;
}

/** What GitHub's runner reads: of every line that starts with `::`, name, properties up to the next `::`, and the rest, unescaped. */
function commandsIn(text: string): readonly Command[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line !== '').map((line) => {
    const [, name = '', properties = '', message = ''] = /^::(\w+)(?: (.*?))?::(.*)$/u.exec(line) ?? [];
    const data = (value: string): string => value.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
    const property = (value: string): string => data(value.replaceAll('%3A', ':').replaceAll('%2C', ','));
    return { name, properties: Object.fromEntries(properties.split(',').map((pair) => [pair.slice(0, pair.indexOf('=')), property(pair.slice(pair.indexOf('=') + 1))])), message: data(message) };
  });
}

describe('annotations', () => {
  test('are errors for what did not pass and warnings for what is not whole or claims nothing', () => {
    expect(annotationsOf(runOf([
      outcome(),
      outcome({ verdict: 'failed', reasons: ['100 % expected', 'no changes'], evalFile: 'evals/a,b.eval.ts' }),
      outcome({ index: 2, verdict: 'errored', infrastructure: 'sandbox-gone', reasons: ['The sandbox is gone.'] }),
      outcome({ index: 3, verdict: 'errored' }),
      outcome({ evalId: 'empty', noClaims: true, evalFile: 'evals/empty.eval.ts' }),
      outcome({ evalId: 'later', verdict: 'skipped' }),
    ], { interrupted: true, notRun: Array.from({ length: 2 }, () => ({ experimentId: 'codex', reason: 'interrupted' as const })) }))).toBe([
      '::error file=evals/a%2Cb.eval.ts,title=failed%3A fix-sum #1 by codex::100 %25 expected%0Ano changes',
      '::error title=errored (sandbox-gone)%3A fix-sum #2 by codex::The sandbox is gone.',
      '::error title=errored%3A fix-sum #3 by codex::errored',
      '::warning title=niceeval%3A run not whole::the run was interrupted; 2 planned Attempts were not run',
      '::warning file=evals/empty.eval.ts,title=passed%3A empty #1 by codex::passed without any claim',
      '',
    ].join('\n'));
  });

  test('are none of a whole run that passed', () => {
    expect(annotationsOf(runOf([outcome()]))).toBe('');
  });

  test.each([
    [10, 10, undefined],
    [11, 0, '1 more error not shown here'],
    [25, 12, '15 more errors and 2 more warnings not shown here'],
    [0, 11, '1 more warning not shown here'],
  ])('of %d errors and %d warnings are those that GitHub shows, and a notice of the rest', (errors, warnings, notice) => {
    const commands = commandsIn(annotationsOf(runOf([
      ...Array.from({ length: warnings }, () => outcome({ noClaims: true })),
      ...Array.from({ length: errors }, () => outcome({ verdict: 'failed' })),
    ])));
    expect(commands.filter(({ name }) => name === 'error')).toHaveLength(Math.min(errors, 10));
    expect(commands.filter(({ name }) => name === 'warning')).toHaveLength(Math.min(warnings, 10));
    expect(commands.filter(({ name }) => name === 'notice').map(({ message }) => message)).toEqual(notice === undefined ? [] : [notice]);
  });

  test.each(HOSTILE)('are one command with %s in it, wherever it stands', (_what, text, shown) => {
    expect(commandsIn(annotationsOf(runOf([outcome({ evalId: text, experimentId: text, verdict: 'errored', infrastructure: text, reasons: [text, text], evalFile: text })])))).toEqual([
      { name: 'error', properties: { file: shown, title: expect.stringMatching(/^errored \(/) }, message: `${shown}\n${shown}` },
    ]);
  });

  test('are short, however much an agent says', () => {
    const text = annotationsOf(runOf([outcome({ evalId: 'e'.repeat(1_000_000), verdict: 'failed', reasons: ['%'.repeat(1_000_000), ...Array.from({ length: 99 }, () => 'r')] })]));
    const [command] = commandsIn(text);
    expect(command?.properties['title']).toBe(`failed: ${'e'.repeat(189)}...`);
    expect(command?.message).toBe(`${'%'.repeat(997)}...${'\nr'.repeat(9)}\nand 90 more reasons`);
    expect(text.length).toBeLessThan(5000);
  });
});
