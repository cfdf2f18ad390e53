import { describe, expect, test } from 'vitest';
import { completeEvidenceCoverage, type EvidenceCoverage } from '../../src/evidence/coverage.js';
import type { StreamEvent } from '../../src/evidence/events.js';
import { expectationsOf } from '../../src/scenario/expectations.js';
import { compilePatterns } from '../../src/scenario/pattern.js';
import type { ExpectedOutcome } from '../../src/scenario/scenario.js';
import { seenOf, type SeenTurn } from '../../src/scenario/seen.js';

const call = (id: string, name: string, status: 'completed' | 'failed' | 'rejected', tool?: 'shell'): readonly StreamEvent[] => [
  { type: 'operation.started', operationId: id, operation: { kind: 'tool', name, input: {}, ...(tool === undefined ? {} : { tool }) } },
  { type: 'operation.finished', operationId: id, kind: 'tool', status },
];

/** Two actions, one of them failed, a third that was refused, and two answers. */
const TURN: SeenTurn = {
  status: 'completed', coverage: completeEvidenceCoverage, durationMs: 700, usage: { inputTokens: 50, requests: 4 }, context: { inputTokens: 40 },
  events: [
    { type: 'message', role: 'user', text: 'go' }, { type: 'message', role: 'assistant', text: 'I look.' }, ...call('1', 'Bash', 'completed', 'shell'), ...call('2', 'Read', 'failed'), ...call('3', 'Write', 'rejected'),
    { type: 'message', role: 'assistant', text: 'All done.\nBye.' }, { type: 'message', role: 'assistant', text: ' ' },
  ],
};

const REASON = 'only the end was heard';
const HALF: EvidenceCoverage = Object.fromEntries(Object.keys(completeEvidenceCoverage).map((channel) => [channel, { status: 'partial', reason: REASON }])) as unknown as EvidenceCoverage;

async function judged(expected: ExpectedOutcome, turn: Partial<SeenTurn> = {}): Promise<readonly string[]> {
  const seen = seenOf([{ ...TURN, ...turn }]);
  return expectationsOf(expected, await compilePatterns(expected.assistant_matches_regex ?? [])).map(({ field, evaluate }) => {
    const outcome = evaluate(seen);
    return `${field}: ${outcome.status === 'mismatched' ? `${outcome.expected} | ${outcome.received}` : outcome.status === 'unavailable' ? outcome.reason : 'ok'}`;
  });
}

describe('what was expected is met or told with what was seen', () => {
  test.each<[ExpectedOutcome, string]>([
    [{ assistant_contains: ['done'] }, 'assistant_contains[0]: ok'],
    [{ assistant_contains: ['look'] }, 'assistant_contains[0]: a reply that contains "look" | "All done.\\nBye."'],
    [{ assistant_not_contains: ['look'] }, 'assistant_not_contains[0]: ok'],
    [{ assistant_not_contains: ['Bye'] }, 'assistant_not_contains[0]: a reply without "Bye" | "All done.\\nBye."'],
    [{ assistant_matches_regex: ['(?m)^Bye\\.$'] }, 'assistant_matches_regex[0]: ok'],
    [{ assistant_matches_regex: ['^Bye'] }, 'assistant_matches_regex[0]: a reply that matches "^Bye" | "All done.\\nBye."'],
    [{ event_types: ['PermissionDenied'] }, 'event_types[0]: ok'],
    [{ event_types: ['operation.finished'] }, 'event_types[0]: ok'],
    [{ event_types: ['thinking'] }, 'event_types[0]: an event thinking | none of it'],
    [{ forbidden_event_types: ['ContextCompactionStarted'] }, 'forbidden_event_types[0]: ok'],
    [{ forbidden_event_types: ['ToolInvocationFailed'] }, 'forbidden_event_types[0]: no event ToolInvocationFailed | 1'],
    [{ min_events_of_type: { ModelRequestStarted: 4 } }, 'min_events_of_type.ModelRequestStarted: ok'],
    [{ min_events_of_type: { ToolInvocationStarted: 3 } }, 'min_events_of_type.ToolInvocationStarted: at least 3 of ToolInvocationStarted | 2'],
    [{ max_events_of_type: { ToolInvocationStarted: 2 } }, 'max_events_of_type.ToolInvocationStarted: ok'],
    [{ max_events_of_type: { message: 3 } }, 'max_events_of_type.message: at most 3 of message | 4'],
    [{ min_tool_invocations: 2 }, 'min_tool_invocations: ok'],
    [{ min_tool_invocations: 3 }, 'min_tool_invocations: at least 3 tool invocations | 2'],
    [{ max_tool_failures: 1 }, 'max_tool_failures: ok'],
    [{ max_tool_failures: 0 }, 'max_tool_failures: at most 0 tool failures | 1'],
    [{ max_elapsed_ms: 700 }, 'max_elapsed_ms: ok'],
    [{ max_elapsed_ms: 699 }, 'max_elapsed_ms: at most 699 ms | 700'],
    [{ max_context_input_tokens: 40 }, 'max_context_input_tokens: ok'],
    [{ max_context_input_tokens: 39 }, 'max_context_input_tokens: at most 39 context input tokens | 40'],
    [{ max_turns: 3 }, 'max_turns: ok'],
    [{ max_turns: 2 }, 'max_turns: at most 2 assistant messages | 3'],
    [{ trajectory_actions: ['Bash'] }, 'trajectory_actions: ok'],
    [{ trajectory_actions: ['shell', 'Read'] }, 'trajectory_actions: ok'],
    [{ trajectory_actions: ['Read'] }, 'trajectory_actions: the actions to begin with Read | step 1: Bash instead of Read; the actions were ["Bash","Read"]'],
    [{ trajectory_actions: ['Bash', 'Read', 'Write'] }, 'trajectory_actions: the actions to begin with Bash, Read, Write | step 3: nothing more instead of Write; the actions were ["Bash","Read"]'],
    [{ max_trajectory_steps: 1 }, 'max_trajectory_steps: at most 1 trajectory steps | 2'],
  ])('%j', async (expected, told) => {
    expect(await judged(expected)).toEqual([told]);
  });

  test('without any figure of the context, a limit of it is not kept', async () => {
    const { context: _context, ...without } = TURN;
    const seen = seenOf([without]);
    expect(expectationsOf({ max_context_input_tokens: 10 }, [])[0]?.evaluate(seen)).toMatchObject({ status: 'mismatched', received: 'no figure: the agent does not tell, and no gateway counted' });
  });

  test('without a reply, nothing is in it', async () => {
    expect(await judged({ assistant_contains: ['x'], assistant_not_contains: ['x'] }, { events: [] })).toEqual(['assistant_contains[0]: a reply that contains "x" | no reply', 'assistant_not_contains[0]: ok']);
  });
});

describe('where something may have been missed', () => {
  test.each<[string, ExpectedOutcome, string]>([
    ['what was seen stands', { assistant_contains: ['done'] }, 'assistant_contains[0]: ok'],
    ['what was not seen may have been', { assistant_contains: ['x'] }, `assistant_contains[0]: the channel "messages" is partial: ${REASON}`],
    ['a violation that was seen stands', { max_tool_failures: 0 }, 'max_tool_failures: at most 0 tool failures | 1'],
    ['a limit is not known to be kept', { max_tool_failures: 1 }, `max_tool_failures: the channel "actions" is partial: ${REASON}`],
    ['something forbidden that was seen stands', { forbidden_event_types: ['ToolInvocationFailed'] }, 'forbidden_event_types[0]: no event ToolInvocationFailed | 1'],
    ['nothing forbidden is known not to be', { forbidden_event_types: ['compaction'] }, `forbidden_event_types[0]: the channel "events" is partial: ${REASON}`],
    ['the steps may have been others', { trajectory_actions: ['Bash'] }, `trajectory_actions: the channel "actions" is partial: ${REASON}`],
    ['time is known all the same', { max_elapsed_ms: 700 }, 'max_elapsed_ms: ok'],
    ['what the harness did is known all the same', { max_events_of_type: { UserMessageAdded: 1 } }, 'max_events_of_type.UserMessageAdded: ok'],
  ])('%s', async (_what, expected, told) => {
    expect(await judged(expected, { coverage: HALF })).toEqual([told]);
  });

  test('requests that nobody counted are not limited', async () => {
    expect(await judged({ max_events_of_type: { ModelRequestStarted: 9 } }, { usage: { inputTokens: 1 } })).toEqual(['max_events_of_type.ModelRequestStarted: nobody counted the requests of every turn']);
  });

  test('replies are known by either of two channels', async () => {
    expect(await judged({ max_events_of_type: { AssistantMessageCompleted: 3 } }, { coverage: { ...completeEvidenceCoverage, messages: { status: 'partial', reason: REASON } } })).toEqual(['max_events_of_type.AssistantMessageCompleted: ok']);
  });
});
