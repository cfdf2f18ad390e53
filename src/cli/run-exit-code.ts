import type { RunResult } from '../run/run-result.js';
import { EXIT } from './exit-codes.js';

/**
 * What a run ends with: 0 only where everything that was planned passed.
 *
 * @param options.forgiven Experiments with early exit: they ask whether an eval passes at all, so one passed Attempt of it is enough.
 */
export function exitCodeOf({ interrupted, attempts, notRun }: Pick<RunResult, 'interrupted' | 'attempts' | 'notRun'>, { forgiven }: { readonly forgiven: ReadonlySet<string> }): number {
  if (interrupted) return EXIT.interrupted;
  const passed = new Set(attempts.filter(({ verdict, experimentId }) => verdict === 'passed' && forgiven.has(experimentId)).map(keyOf));
  const isBad = attempts.some((attempt) => (attempt.verdict === 'failed' || attempt.verdict === 'errored') && !passed.has(keyOf(attempt)));
  return isBad || notRun.some(({ reason }) => reason !== 'early-exit' && reason !== 'enough') ? EXIT.failed : EXIT.ok;
}

function keyOf({ experimentId, evalId }: { readonly experimentId: string; readonly evalId: string }): string {
  return JSON.stringify([experimentId, evalId]);
}
