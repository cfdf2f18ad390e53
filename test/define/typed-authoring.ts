// Compiled by types.test.ts: a line behind @ts-expect-error that has no error is one.
import { z } from 'zod';
import type { PassHandles, ScoreHandles } from '../../src/assert/handle.js';
import { defineEval, defineScoreEval } from '../../src/define/eval.js';
import { loadCsv, loadJson, loadJsonLines, loadText, loadYaml } from '../../src/define/loaders/index.js';
import { and, defineScoreMatch, defineValueMatch, equals, eventMatch, includes, isTrue, matches, not, or, satisfies, similarity, toolMatch, type EventMatch, type ScoreMatch, type ToolMatch, type ValueMatch } from '../../src/expect/index.js';

export const passing = defineEval({
  async test(t) {
    t.check('a', satisfies('x', (text: string) => text === 'a'));
    t.check(5, satisfies('x', (number) => number === 5));
    t.check(5, equals('5'));
    t.check({ a: 1 }, matches(z.object({ a: z.number() })));
    t.check('a', similarity('b').atLeast(0.5)).gate();
    // @ts-expect-error A number is no string.
    t.check(5, satisfies('x', (text: string) => text === 'a'));
    // @ts-expect-error A similarity is measured of strings.
    t.check(5, similarity('b'));
    // @ts-expect-error A match of tool calls is none of values.
    t.check('a', toolMatch('Edit'));
    // @ts-expect-error A plain value is no match.
    t.check('a', 'a');

    const claim: PassHandles['claim'] = t.succeeded();
    claim.key('a').label('b').group('c').optional().gate();
    claim.soft();
    await claim.orStop();
    // @ts-expect-error There are no points in an eval that passes or fails.
    claim.score(1);
    // @ts-expect-error A limit is for measurements.
    claim.atLeast(0.5);
    // @ts-expect-error A claim that holds or not takes no limit.
    claim.gate(0.5);

    const measurement: PassHandles['measurement'] = t.check('a', similarity('b'));
    await measurement.gate(0.5).atLeast(0.5).optional().orStop();
    // @ts-expect-error The gate of a measurement has a limit.
    measurement.gate();
    // @ts-expect-error A measurement is recorded by atLeast.
    measurement.soft();
    // @ts-expect-error There are no points in an eval that passes or fails.
    measurement.score(1);

    const file: PassHandles['file'] = t.sandbox.fileChanged('a.ts', { status: 'modified', after: includes('a') });
    file.label('a').optional().gate();
    t.sandbox.noChanges().soft();
    t.sandbox.untouched(['test/**']).soft();
    // @ts-expect-error What an agent changed is judged when the test has ended.
    await file.orStop();
    // @ts-expect-error There are no points in an eval that passes or fails.
    file.score(1);
    // @ts-expect-error Text is compared with a match of strings.
    t.sandbox.fileChanged('a.ts', { after: satisfies('x', (value: number) => value === 1) });

    // @ts-expect-error There are no points in an eval that passes or fails.
    t.score(1);

    t.judge.autoevals.closedQA('Good?', { input: 'a', output: 'b' }).gate(1);
    // @ts-expect-error The judge of the test needs a material.
    t.judge.autoevals.closedQA('Good?');
    const turn = await t.send('a');
    turn.judge.autoevals.closedQA('Good?').gate(1);
    // @ts-expect-error The judge of a turn has its material.
    turn.judge.autoevals.closedQA('Good?', { input: 'a', output: 'b' });

    t.event('compaction').soft();
    t.event(eventMatch('compaction', { reason: 'auto' }).atMost(2));
    t.calledTool(toolMatch('Edit').between(1, 2));
    // @ts-expect-error There is no such kind of event.
    t.event('tool');
    // @ts-expect-error A match of events is none of tool calls.
    t.calledTool(eventMatch('compaction'));
    // @ts-expect-error A match of tool calls is none of events.
    t.event(toolMatch('Edit'));
    // @ts-expect-error A count says how many or how many at least.
    t.calledTool('Edit', { count: { atMost: 2 } });
  },
});

export const scoring = defineScoreEval({
  async test(t) {
    const claim: ScoreHandles['claim'] = t.succeeded();
    await claim.key('a').label('b').group('c').score(1).gate().orStop();
    // @ts-expect-error Points that cannot be told cannot be forgiven.
    claim.optional();
    // @ts-expect-error A claim there decides nothing by itself.
    claim.soft();

    const measurement: ScoreHandles['measurement'] = t.check('a', similarity('b'));
    await measurement.score(5).gate(0.5).atLeast(0.5).orStop();
    // @ts-expect-error Points that cannot be told cannot be forgiven.
    measurement.optional();

    const file: ScoreHandles['file'] = t.sandbox.noChanges();
    file.score(1).gate();
    // @ts-expect-error What an agent changed is judged when the test has ended.
    await file.orStop();
    // @ts-expect-error Points that cannot be told cannot be forgiven.
    file.optional();
    // @ts-expect-error A claim there decides nothing by itself.
    file.soft();

    const given = t.score(2);
    given.key('a').label('b').group('c');
    // @ts-expect-error Points that are given decide nothing.
    given.gate();
    // @ts-expect-error Points that are given have their points.
    given.score(1);
    // @ts-expect-error Points that are given stop nothing.
    await given.orStop();

    const other = await t.newSession().send('a');
    other.usedNoTools().score(1);
    other.judge.rubric('good').score(1);
  },
});

export const events: readonly EventMatch[] = [
  eventMatch('message', { role: 'assistant', text: /a/ }), eventMatch('operation.started', { tool: toolMatch('Edit') }), eventMatch('operation.started', { subagent: true, remoteUrl: /a/ }),
  eventMatch('operation.finished', { exitCode: 0 }), eventMatch('input.requested', { optionIds: ['yes'] }), eventMatch('error', { recovered: false }), not(eventMatch('error')),
  and(eventMatch('message'), or(eventMatch('error'), eventMatch('thinking'))),
];
// @ts-expect-error A compaction has no text.
eventMatch('compaction', { text: 'a' });
// @ts-expect-error A skill has no role.
eventMatch('skill.loaded', { role: 'user' });
// @ts-expect-error There is no such kind of event.
eventMatch('tool', {});
// @ts-expect-error Matches of two domains do not combine.
and(eventMatch('error'), toolMatch('Edit'));
// @ts-expect-error Matches of two domains do not combine.
or(isTrue(), toolMatch('Edit'));

export const tool: ToolMatch = not(or(toolMatch('Edit'), toolMatch('Write'))).atMost(2);
// @ts-expect-error A match cannot be changed.
tool.description = 'other';
// @ts-expect-error A match cannot be changed.
tool.count = undefined;
// @ts-expect-error A range cannot be changed.
tool.atLeast(1).count!.min = 2;
export const value: ValueMatch = equals(1);
// @ts-expect-error A match cannot be changed.
value.evaluate = () => ({ status: 'matched' });
// @ts-expect-error A value is there once, so there is no number of times.
value.atLeast(1);
export const score: ScoreMatch<string> = similarity('a');
// @ts-expect-error A measurement cannot be changed.
score.score = () => 1;

export const own: ValueMatch<number> = defineValueMatch({ name: 'even', evaluate: (number: number) => number % 2 === 0 });
export const share: ScoreMatch<string[]> = defineScoreMatch({ name: 'short', score: (list: string[]) => Promise.resolve(1 / list.length) });
// @ts-expect-error A comparison answers true or false.
defineValueMatch({ name: 'even', evaluate: (number: number) => number % 2 });
// @ts-expect-error A measurement gives a number.
defineScoreMatch({ name: 'short', score: () => true });

export const cases: readonly { readonly a: number }[] = loadJson('a.json', z.array(z.object({ a: z.string().transform(Number) })));
export const rows: readonly string[] = loadCsv('a.csv', (row) => (row as { readonly name: string }).name);
export const lines: readonly number[] = loadJsonLines('a.jsonl', z.number());
export const text: string = loadText(new URL('./a.txt', import.meta.url));
// @ts-expect-error What a schema gives is what comes.
export const wrong: string = loadYaml('a.yaml', z.number());
// @ts-expect-error A decoder must be there.
loadJson('a.json');
// @ts-expect-error A decoder that gives unknown checks nothing.
loadJson('a.json', (given) => given);
// @ts-expect-error A schema of anything checks nothing.
loadYaml('a.yaml', z.any());
