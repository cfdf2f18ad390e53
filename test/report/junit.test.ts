import { describe, expect, test } from 'vitest';
import { junitOf } from '../../src/report/junit.js';
import { definePricingProfile } from '../../src/report/pricing/profile.js';
import { readBySaxes, readByXmldom, schemaProblems, type ReadElement } from './junit-readers.js';
import { HOSTILE, outcome, runOf } from './outcomes.js';

/** What two parsers read, when they read the same and it conforms. */
function read(xml: string): ReadElement {
  const element = readBySaxes(xml);
  expect(readByXmldom(xml)).toEqual(element);
  expect(schemaProblems(element)).toEqual([]);
  return element;
}

describe('JUnit', () => {
  test('has a suite for each experiment and a case for each Attempt', () => {
    const xml = junitOf(runOf([
      outcome({ score: { earned: 9, possible: 10 }, usage: { inputTokens: 81_000, outputTokens: 0 }, model: 'gpt-5' }),
      outcome({ id: 'a2', index: 2, verdict: 'failed', reasons: ['tests pass: expected 0, received 1', 'no changes'], durationMs: 2500, startedAt: '2026-11-30T15:57:31.000Z' }),
      outcome({ id: 'a3', experimentId: 'claude-code', agent: 'claude-code', verdict: 'errored', reasons: ['The sandbox is gone.'], infrastructure: 'sandbox-gone' }),
      outcome({ id: 'a4', experimentId: 'claude-code', agent: 'claude-code', evalId: 'points', verdict: 'errored' }),
      outcome({ id: 'a5', experimentId: 'claude-code', agent: 'claude-code', evalId: 'later', verdict: 'skipped', reasons: ['not on this machine'] }),
      outcome({ id: 'a6', experimentId: 'claude-code', agent: 'claude-code', evalId: 'empty', noClaims: true }),
    ], { interrupted: true, notRun: Array.from({ length: 2 }, () => ({ experimentId: 'codex', reason: 'interrupted' as const })) }), { pricing: definePricingProfile({ name: 'mine', prices: { 'gpt-5': { inputPerMTok: 1, outputPerMTok: 1 } } }) });
    expect(xml).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="niceeval" tests="6" failures="1" errors="2" time="61.200">
  <testsuite name="codex" tests="2" failures="1" errors="0" skipped="0" time="4.000" timestamp="2026-11-30T15:57:31">
    <properties>
      <property name="runId" value="20261130-155732-5a1efc"/>
      <property name="interrupted" value="true"/>
      <property name="attemptsNotRun" value="2"/>
    </properties>
    <testcase name="fix-sum #1" classname="codex" time="1.500">
      <system-out>attempt: a1
agent: codex
model: gpt-5
score: 9 of 10
cost by mine: $0.08</system-out>
    </testcase>
    <testcase name="fix-sum #2" classname="codex" time="2.500">
      <failure type="claims" message="tests pass: expected 0, received 1">tests pass: expected 0, received 1
no changes</failure>
      <system-out>attempt: a2
agent: codex</system-out>
    </testcase>
  </testsuite>
  <testsuite name="claude-code" tests="4" failures="0" errors="2" skipped="1" time="6.000" timestamp="2026-11-30T15:57:32">
    <properties>
      <property name="runId" value="20261130-155732-5a1efc"/>
      <property name="interrupted" value="true"/>
      <property name="attemptsNotRun" value="0"/>
    </properties>
    <testcase name="fix-sum #1" classname="claude-code" time="1.500">
      <error type="sandbox-gone" message="The sandbox is gone.">The sandbox is gone.</error>
      <system-out>attempt: a3
agent: claude-code</system-out>
    </testcase>
    <testcase name="points #1" classname="claude-code" time="1.500">
      <error type="error" message="errored"/>
      <system-out>attempt: a4
agent: claude-code</system-out>
    </testcase>
    <testcase name="later #1" classname="claude-code" time="1.500">
      <skipped message="not on this machine"/>
      <system-out>attempt: a5
agent: claude-code</system-out>
    </testcase>
    <testcase name="empty #1" classname="claude-code" time="1.500">
      <system-out>attempt: a6
agent: claude-code
passed without any claim</system-out>
    </testcase>
  </testsuite>
</testsuites>
`);
    read(xml);
  });

  test('of nothing is a document without suites', () => {
    expect(read(junitOf(runOf([])))).toEqual({ name: 'testsuites', attributes: { name: 'niceeval', tests: '0', failures: '0', errors: '0', time: '61.200' }, text: '', children: [] });
  });

  test('leaves a time out that is none', () => {
    expect(junitOf(runOf([outcome({ startedAt: 'yesterday' })]))).not.toContain('timestamp');
  });

  test.each(HOSTILE)('gives %s back as text, wherever it stands', (_what, text, shown) => {
    const root = read(junitOf(runOf([outcome({ evalId: text, experimentId: text, id: text, agent: text, model: text, verdict: 'errored', infrastructure: text, reasons: [text, text] })], { runId: text })));
    const [suite] = root.children;
    const [properties, testcase] = suite?.children ?? [];
    const [error, out] = testcase?.children ?? [];
    expect(suite?.attributes['name']).toBe(shown);
    expect(properties?.children[0]?.attributes['value']).toBe(shown);
    expect(testcase?.attributes).toEqual({ name: `${shown} #1`, classname: shown, time: '1.500' });
    expect(error).toEqual({ name: 'error', attributes: { type: shown, message: shown }, text: `${shown}\n${shown}`, children: [] });
    expect(out?.text).toBe(`attempt: ${shown}\nagent: ${shown}\nmodel: ${shown}`);
  });

  test('cuts a reason of a megabyte and a thousand reasons, and says so', () => {
    const long = junitOf(runOf([outcome({ verdict: 'failed', reasons: ['<'.repeat(1_000_000)] })]));
    const [failure] = read(long).children[0]?.children[1]?.children ?? [];
    expect(failure?.attributes['message']).toBe(`${'<'.repeat(997)}...`);
    expect(failure?.text).toBe(`${'<'.repeat(9997)}...`);
    const many = read(junitOf(runOf([outcome({ verdict: 'failed', reasons: Array.from({ length: 1000 }, (_, index) => `r${index}`) })])));
    expect(many.children[0]?.children[1]?.children[0]?.text).toMatch(/^r0\nr1\n[^]*\nr99\nand 900 more reasons$/);
  });
});
