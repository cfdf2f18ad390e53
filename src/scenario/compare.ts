import type { ScenarioComparison, ScenarioReport, ScenarioResult } from './result.js';

/** Less of a change than this part is noise. */
const NOTABLE = 0.5;

type Change = ScenarioComparison['regressions'][number];

/**
 * Compares two runs of scenarios, scenario by scenario. A figure that grows from 0, or that one side does not tell, has no percentage and is
 * no change. Percentages are rounded to whole ones.
 */
export function compareReports(baseline: ScenarioReport, candidate: ScenarioReport): ScenarioComparison {
  const before = new Map(baseline.results.map((result) => [result.scenario_id, result]));
  const after = new Map(candidate.results.map((result) => [result.scenario_id, result]));
  const regressions: Change[] = [];
  const improvements: Change[] = [];
  for (const [id, now] of after) {
    const then = before.get(id);
    if (then === undefined) continue;
    for (const kind of worseKinds(then, now)) regressions.push({ scenario_id: id, kind });
    for (const kind of betterKinds(then, now)) improvements.push({ scenario_id: id, kind });
  }
  const [tokensBefore, tokensAfter] = [baseline.summary.total_context_input_tokens, candidate.summary.total_context_input_tokens];
  return {
    pass_rate_delta: candidate.summary.success_rate - baseline.summary.success_rate,
    avg_elapsed_delta_ms: candidate.summary.avg_elapsed_ms - baseline.summary.avg_elapsed_ms,
    total_token_delta: tokensBefore === undefined || tokensAfter === undefined ? null : tokensAfter - tokensBefore,
    regressions,
    improvements,
    only_in_baseline: [...before.keys()].filter((id) => !after.has(id)),
    only_in_candidate: [...after.keys()].filter((id) => !before.has(id)),
  };
}

function worseKinds(then: ScenarioResult, now: ScenarioResult): readonly string[] {
  const slower = growth(then.elapsed_ms, now.elapsed_ms);
  const more = growth(then.context_input_tokens, now.context_input_tokens);
  return [
    ...(then.passed && !now.passed ? ['passed_to_failed'] : []),
    ...(slower > NOTABLE ? [`slower_by_${percent(slower)}%`] : []),
    ...(more > NOTABLE ? [`more_tokens_${percent(more)}%`] : []),
  ];
}

function betterKinds(then: ScenarioResult, now: ScenarioResult): readonly string[] {
  const faster = -growth(then.elapsed_ms, now.elapsed_ms);
  return [...(!then.passed && now.passed ? ['failed_to_passed'] : []), ...(faster > NOTABLE ? [`faster_by_${percent(faster)}%`] : [])];
}

/** By which part of itself a figure grew. 0 where that cannot be told. */
function growth(then: number | undefined, now: number | undefined): number {
  return then === undefined || now === undefined || then === 0 ? 0 : (now - then) / then;
}

function percent(part: number): number {
  return Math.round(part * 100);
}
