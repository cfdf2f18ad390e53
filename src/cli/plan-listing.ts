import type { Plan, PlannedAttempt } from '../plan/plan.js';
import type { Decision, RunReason } from '../plan/reuse.js';
import { plainJsonLine, plainLine } from '../report/plain-text.js';

const REASONS: Readonly<Record<RunReason, string>> = {
  'asked-for': 'runs',
  'rerun-all': 'runs: everything is to run again',
  'rerun-failed': 'runs: it failed before',
  'sandbox-kept': 'runs: its sandbox is to be kept',
  'no-record': 'runs: the newest run has no outcome of it',
  interrupted: 'runs: it was interrupted before',
  errored: 'runs: it errored before',
  skipped: 'runs: it was skipped before',
  'identity-mismatch': 'runs: something that it rests on has changed',
  'timeout-exceeded': 'runs: it took longer before than it may take now',
};

/** What a run would do, for people: warnings, a line for each Attempt, and how many would not run. */
export function planListing({ attempts, warnings }: Plan): string {
  const reused = attempts.filter(({ decision }) => decision?.action === 'reuse').length;
  return [
    ...warnings.map((message) => `warning: ${plainLine(message)}\n`),
    ...attempts.map((attempt) => `${attemptLine(attempt)}\n`),
    ...(reused === 0 ? [] : [`${attempts.length - reused} to run, ${reused} used again\n`]),
  ].join('');
}

/** The same as JSON lines: `run.warning` and `attempt.planned`. */
export function planJsonLines({ attempts, warnings }: Plan): string {
  const lines = [
    ...warnings.map((message) => ({ type: 'run.warning', message })),
    ...attempts.map(({ id, evalId, experimentId, group, index, experiment, timeout, identity, decision }) => ({
      type: 'attempt.planned', attempt: id, evalId, experimentId, group, index, agent: experiment.agent.name, timeout, identity, decision,
    })),
  ];
  return lines.map((line) => `${plainJsonLine(line)}\n`).join('');
}

function attemptLine({ evalId, experimentId, index, experiment, timeout, decision }: PlannedAttempt): string {
  const limit = timeout === undefined ? '' : `, at most ${timeout.limitMs} ms`;
  const told = decision === undefined || decision.why === 'asked-for' ? '' : `: ${decisionText(decision)}`;
  return `${plainLine(evalId)} by ${plainLine(experimentId)} #${index} (${plainLine(experiment.agent.name)}${limit})${told}`;
}

function decisionText(decision: Decision): string {
  if (decision.action === 'run') return REASONS[decision.why];
  const outcome = decision.why === 'passed-before' ? 'passed' : 'failed';
  return `used again: it ${outcome} in ${plainLine(decision.from.runId)}, ${plainLine(decision.from.attemptId)}`;
}
