import { MATCHED, mismatchInWords, show, unavailable, type MatchOutcome } from '../expect/match.js';
import { countedEvents, gapOf, type Counted } from './counted.js';
import type { Pattern } from './pattern.js';
import type { ExpectedOutcome } from './scenario.js';
import type { SeenScenario } from './seen.js';

/** One expectation of a scenario. */
export interface Expectation {
  /** Where it stands, for instance `assistant_contains[0]`. */
  readonly field: string;
  /** What is expected, in words. */
  readonly expected: string;
  readonly evaluate: (seen: SeenScenario) => MatchOutcome;
}

/** What a scenario expects of what was seen, one by one. What it expects of files and commands is elsewhere. */
export function expectationsOf(expected: ExpectedOutcome, patterns: readonly Pattern[]): readonly Expectation[] {
  const {
    assistant_contains = [], assistant_not_contains = [], assistant_matches_regex = [], event_types = [], forbidden_event_types = [], min_events_of_type = {}, max_events_of_type = {},
    min_tool_invocations, max_tool_failures, max_elapsed_ms, max_context_input_tokens, max_turns, trajectory_actions = [], max_trajectory_steps,
  } = expected;
  const actions = (seen: SeenScenario): Counted => withGap(seen.actions.length, gapOf(seen.coverage, 'actions'));
  return [
    ...assistant_contains.map((text, index) => replyHas(`assistant_contains[${index}]`, `a reply that contains ${show(text)}`, (reply) => reply.includes(text))),
    ...assistant_not_contains.map((text, index) => replyLacks(`assistant_not_contains[${index}]`, text)),
    ...assistant_matches_regex.map((source, index) => replyHas(`assistant_matches_regex[${index}]`, `a reply that matches ${show(source)}`, (reply) => patterns[index]?.matches(reply) === true)),
    ...event_types.map((name, index) => atLeast(`event_types[${index}]`, 1, `an event ${name}`, (seen) => countedEvents(seen, name), () => 'none of it')),
    ...forbidden_event_types.map((name, index) => atMost(`forbidden_event_types[${index}]`, 0, `no event ${name}`, (seen) => countedEvents(seen, name))),
    ...Object.entries(min_events_of_type).map(([name, least]) => atLeast(`min_events_of_type.${name}`, least, `at least ${least} of ${name}`, (seen) => countedEvents(seen, name))),
    ...Object.entries(max_events_of_type).map(([name, most]) => atMost(`max_events_of_type.${name}`, most, `at most ${most} of ${name}`, (seen) => countedEvents(seen, name))),
    ...given(min_tool_invocations, (least) => atLeast('min_tool_invocations', least, `at least ${least} tool invocations`, actions)),
    ...given(max_tool_failures, (most) => atMost('max_tool_failures', most, `at most ${most} tool failures`, (seen) => withGap(seen.toolFailures, gapOf(seen.coverage, 'actions')))),
    ...given(max_elapsed_ms, (most) => atMost('max_elapsed_ms', most, `at most ${most} ms`, (seen) => ({ count: seen.elapsedMs }))),
    ...given(max_context_input_tokens, (most) => atMostTokens(most)),
    ...given(max_turns, (most) => atMost('max_turns', most, `at most ${most} assistant messages`, (seen) => withGap(seen.answers, gapOf(seen.coverage, 'messages')))),
    ...(trajectory_actions.length === 0 ? [] : [trajectory(trajectory_actions)]),
    ...given(max_trajectory_steps, (most) => atMost('max_trajectory_steps', most, `at most ${most} trajectory steps`, actions)),
  ];
}

function given<T>(value: T | undefined, make: (value: T) => Expectation): readonly Expectation[] {
  return value === undefined ? [] : [make(value)];
}

function withGap(count: number, gap: string | undefined): Counted {
  return { count, ...(gap === undefined ? {} : { gap }) };
}

/** What was seen stands; less may only be for what was not seen. */
function atLeast(field: string, least: number, expected: string, counted: (seen: SeenScenario) => Counted, words: (count: number) => string = String): Expectation {
  return {
    field, expected,
    evaluate: (seen) => {
      const { count, gap } = counted(seen);
      if (count >= least) return MATCHED;
      return gap === undefined ? mismatchInWords(expected, () => words(count)) : unavailable('evidence-unavailable', gap);
    },
  };
}

/** Too many that were seen stand; few enough is only known where nothing was missed. */
function atMost(field: string, most: number, expected: string, counted: (seen: SeenScenario) => Counted): Expectation {
  return {
    field, expected,
    evaluate: (seen) => {
      const { count, gap } = counted(seen);
      if (count > most) return mismatchInWords(expected, () => String(count));
      return gap === undefined ? MATCHED : unavailable('evidence-unavailable', gap);
    },
  };
}

function atMostTokens(most: number): Expectation {
  const expected = `at most ${most} context input tokens`;
  return {
    field: 'max_context_input_tokens', expected,
    evaluate: ({ context }) => {
      if (context === undefined) return mismatchInWords(expected, () => 'no figure: the agent does not tell, and no gateway counted');
      return context.inputTokens > most ? mismatchInWords(expected, () => String(context.inputTokens)) : MATCHED;
    },
  };
}

function replyHas(field: string, expected: string, has: (reply: string) => boolean): Expectation {
  return {
    field, expected,
    evaluate: ({ response, coverage }) => {
      if (response !== undefined && has(response)) return MATCHED;
      const gap = gapOf(coverage, 'messages');
      return gap === undefined ? mismatchInWords(expected, () => (response === undefined ? 'no reply' : show(response))) : unavailable('evidence-unavailable', gap);
    },
  };
}

function replyLacks(field: string, text: string): Expectation {
  const expected = `a reply without ${show(text)}`;
  return {
    field, expected,
    evaluate: ({ response = '', coverage }) => {
      if (response.includes(text)) return mismatchInWords(expected, () => show(response));
      const gap = gapOf(coverage, 'messages');
      return gap === undefined ? MATCHED : unavailable('evidence-unavailable', gap);
    },
  };
}

/** A prefix of what was done, step by step. A step that was missed would move all others, so that nothing is known then. */
function trajectory(wanted: readonly string[]): Expectation {
  const expected = `the actions to begin with ${wanted.join(', ')}`;
  return {
    field: 'trajectory_actions', expected,
    evaluate: ({ actions, coverage }) => {
      const gap = gapOf(coverage, 'actions');
      if (gap !== undefined) return unavailable('evidence-unavailable', gap);
      const wrong = wanted.findIndex((name, index) => actions[index]?.name !== name && actions[index]?.tool !== name);
      if (wrong === -1) return MATCHED;
      const seen = actions[wrong]?.name;
      return mismatchInWords(expected, () => `step ${wrong + 1}: ${seen ?? 'nothing more'} instead of ${wanted[wrong]}; the actions were ${show(actions.slice(0, 50).map(({ name }) => name))}`);
    },
  };
}
