import { describe, expect, test } from 'vitest';
import { compareReports } from '../../src/scenario/compare.js';
import type { ScenarioReport, ScenarioResult } from '../../src/scenario/result.js';
import { createSummary } from '../../src/scenario/summary.js';

const result = (id: string, facts: Partial<ScenarioResult> = {}): ScenarioResult => ({
  scenario_id: id, profile: 'fake', passed: true, failures: [], elapsed_ms: 100, event_types: [], tool_invocations: 0, tool_failures: 0, turns_count: 1, trajectory_actions: [], trajectory_step_count: 0, ...facts,
});

function reportOf(...results: readonly ScenarioResult[]): ScenarioReport {
  const summary = createSummary();
  for (const each of results) summary.add(each);
  return { summary: summary.value(), results: [...results] };
}

describe('a summary', () => {
  test('of nothing has a rate of 0 and no figure that nobody told', () => {
    expect(createSummary().value()).toEqual({ total: 0, passed: 0, failed: 0, success_rate: 0, total_elapsed_ms: 0, avg_elapsed_ms: 0, total_tool_invocations: 0, total_tool_failures: 0 });
  });

  test('adds up what was told, and leaves out what nobody told', () => {
    const { summary } = reportOf(
      result('a', { elapsed_ms: 10, tool_invocations: 3, tool_failures: 1, context_input_tokens: 7, model_usage: { request_count: 2, input_tokens: 5 } }),
      result('b', { elapsed_ms: 20, passed: false, model_usage: { input_tokens: 1, output_tokens: 4 } }),
      result('c', { elapsed_ms: 30, context_input_tokens: 3 }),
    );
    expect(summary).toEqual({
      total: 3, passed: 2, failed: 1, success_rate: 2 / 3, total_elapsed_ms: 60, avg_elapsed_ms: 20, total_tool_invocations: 3, total_tool_failures: 1, total_context_input_tokens: 10,
      total_model_usage: { request_count: 2, input_tokens: 6, output_tokens: 4 },
    });
  });
});

describe('a comparison', () => {
  test('tells what got worse and what got better', () => {
    const before = reportOf(result('broke'), result('mended', { passed: false }), result('slow'), result('fast', { elapsed_ms: 1000 }), result('gone'), result('more', { context_input_tokens: 100 }));
    const after = reportOf(result('broke', { passed: false }), result('mended'), result('slow', { elapsed_ms: 160 }), result('fast', { elapsed_ms: 400 }), result('more', { context_input_tokens: 266 }), result('new'));
    const { pass_rate_delta: rate, ...rest } = compareReports(before, after);
    expect(rate).toBeCloseTo(5 / 6 - 5 / 6);
    expect(rest).toEqual({
      avg_elapsed_delta_ms: (100 + 100 + 160 + 400 + 100 + 100) / 6 - 1500 / 6,
      total_token_delta: 166,
      regressions: [{ scenario_id: 'broke', kind: 'passed_to_failed' }, { scenario_id: 'slow', kind: 'slower_by_60%' }, { scenario_id: 'more', kind: 'more_tokens_166%' }],
      improvements: [{ scenario_id: 'mended', kind: 'failed_to_passed' }, { scenario_id: 'fast', kind: 'faster_by_60%' }],
      only_in_baseline: ['gone'],
      only_in_candidate: ['new'],
    });
  });

  test.each([
    ['exactly half as slow again', { elapsed_ms: 100 }, { elapsed_ms: 150 }, [], []],
    ['a little more than that', { elapsed_ms: 1000 }, { elapsed_ms: 1501 }, ['slower_by_50%'], []],
    ['exactly half the time', { elapsed_ms: 100 }, { elapsed_ms: 50 }, [], []],
    ['less than half the time', { elapsed_ms: 100 }, { elapsed_ms: 49 }, [], ['faster_by_51%']],
    ['no time before', { elapsed_ms: 0 }, { elapsed_ms: 5000 }, [], []],
    ['no tokens before', { context_input_tokens: 0 }, { context_input_tokens: 9 }, [], []],
    ['tokens that one side does not tell', {}, { context_input_tokens: 9 }, [], []],
    ['fewer tokens', { context_input_tokens: 900 }, { context_input_tokens: 9 }, [], []],
  ])('%s', (_what, then, now, worse, better) => {
    const { regressions, improvements } = compareReports(reportOf(result('a', then)), reportOf(result('a', now)));
    expect([regressions.map(({ kind }) => kind), improvements.map(({ kind }) => kind)]).toEqual([worse, better]);
  });

  test('has no difference of tokens where one side tells none', () => {
    expect(compareReports(reportOf(result('a')), reportOf(result('a', { context_input_tokens: 9 }))).total_token_delta).toBeNull();
  });
});
