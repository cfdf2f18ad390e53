import type { TestContext, TurnHandle } from '../define/context.js';
import { createMatch, type MatchOutcome } from '../expect/match.js';
import { isPermission } from './domain-events.js';
import { expectationsOf } from './expectations.js';
import type { Pattern } from './pattern.js';
import { findingsOf } from './sandbox-expectations.js';
import type { Scenario } from './scenario.js';
import { seenOf } from './seen.js';

/** So often may an agent ask for leave in one message, always in vain. */
const MOST_REFUSALS = 200;

/** What a scenario is judged by besides its own lines. */
export interface JudgedBy {
  /** Of `assistant_matches_regex`, in order. */
  readonly patterns: readonly Pattern[];
  /** Whether `post_run_commands` may run. */
  readonly allowCommands: boolean;
}

/**
 * The scenario as the test of an eval: every message in one session, a refusal to whatever the agent asks leave for, then one claim for each
 * expectation. A turn that did not complete is the last.
 */
export function testOf({ prompt, turns: more = [], expected = {} }: Scenario, { patterns, allowCommands }: JudgedBy): (t: TestContext) => Promise<void> {
  return async (t) => {
    const turns: TurnHandle[] = [];
    for (const text of [prompt, ...more]) {
      turns.push(await t.send(text));
      while (isAskingForLeave(turns.at(-1)) && turns.length <= MOST_REFUSALS) turns.push(await t.respondAll('deny'));
      if (turns.at(-1)?.status !== 'completed') break;
    }
    t.succeeded().label('turns');
    const findings = await findingsOf(expected, t.sandbox, { allowCommands });
    const seen = seenOf(turns);
    const claim = (field: string, expectation: string, outcome: MatchOutcome): void => {
      t.check(seen, createMatch({ domain: 'value', description: expectation, evaluate: () => outcome })).label(labelOf(field));
    };
    for (const { field, expected: expectation, evaluate } of expectationsOf(expected, patterns)) claim(field, expectation, evaluate(seen));
    for (const { field, expected: expectation, outcome } of findings) claim(field, expectation, outcome);
  };
}

/** Nobody is there: leave is refused; a question stays open. */
function isAskingForLeave(turn: TurnHandle | undefined): boolean {
  const asked = turn?.status === 'waiting' ? turn.events.flatMap((event) => (event.type === 'input.requested' ? [event.request] : [])) : [];
  return asked.length > 0 && asked.every(isPermission);
}

/** Names of event types stand in it, which authors wrote. */
function labelOf(field: string): string {
  return field.slice(0, 256);
}
