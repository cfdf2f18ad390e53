import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../src/evidence/events.js';
import { toolOccurrencesOf } from '../../src/evidence/occurrence.js';

type Facts = { readonly output?: string; readonly exitCode?: number };

const started = (operationId: string, name = 'Bash'): StreamEvent => ({
  type: 'operation.started', operationId, operation: { kind: 'tool', name, input: { of: name } },
});
const finished = (operationId: string, status: 'completed' | 'failed' | 'rejected' = 'completed', facts: Facts = {}): StreamEvent => ({
  type: 'operation.finished', operationId, kind: 'tool', status, ...facts,
});
const subagentStarted = (operationId: string): StreamEvent => ({ type: 'operation.started', operationId, operation: { kind: 'subagent', name: 'helper' } });
const subagentFinished = (operationId: string): StreamEvent => ({ type: 'operation.finished', operationId, kind: 'subagent', status: 'completed' });

/** Each call as `name status`, with its output behind a colon. */
function told(events: readonly StreamEvent[]): { readonly calls: readonly string[]; readonly orphanEnds: number } {
  const { occurrences, orphanEnds } = toolOccurrencesOf(events);
  return {
    calls: occurrences.map((call) => `${call.operation.name} ${call.status}${call.output === undefined ? '' : `: ${call.output as string}`}`),
    orphanEnds,
  };
}

describe('toolOccurrencesOf', () => {
  test('makes one call of a start and its end, with everything that both say', () => {
    const events: readonly StreamEvent[] = [
      { type: 'message', role: 'assistant', text: 'Now.' },
      { ...started('call_1', 'Bash'), parentOperationId: 'task_1' },
      finished('call_1', 'failed', { output: 'no such file', exitCode: 2 }),
    ];
    expect(toolOccurrencesOf(events)).toEqual({
      occurrences: [{
        operationId: 'call_1',
        startedIndex: 1,
        operation: { kind: 'tool', name: 'Bash', input: { of: 'Bash' } },
        status: 'failed',
        output: 'no such file',
        exitCode: 2,
        parentOperationId: 'task_1',
      }],
      orphanEnds: 0,
    });
  });

  test.each<[string, readonly StreamEvent[], readonly string[], number]>([
    ['a start without an end is pending', [started('1')], ['Bash pending'], 0],
    ['an end without output leaves the output unknown', [started('1'), finished('1')], ['Bash completed'], 0],
    ['a refusal is not a failure', [started('1'), finished('1', 'rejected')], ['Bash rejected'], 0],
    [
      'calls that run at once are told apart by their ids, in the order of their starts',
      [started('1', 'A'), started('2', 'B'), finished('2', 'failed', { output: 'b' }), finished('1', 'completed', { output: 'a' })],
      ['A completed: a', 'B failed: b'], 0,
    ],
    [
      'an id that is used again after its end makes two calls',
      [started('1', 'A'), finished('1', 'completed', { output: 'a' }), started('1', 'B'), finished('1', 'failed', { output: 'b' })],
      ['A completed: a', 'B failed: b'], 0,
    ],
    [
      'an id that is used again before its end says nothing of how either call ended',
      [started('1', 'A'), started('1', 'B'), finished('1', 'completed', { output: 'a' }), finished('1', 'failed', { output: 'b' })],
      ['A undecidable', 'B undecidable'], 0,
    ],
    [
      'an overlap does not touch the calls before and after it',
      [
        started('1', 'A'), finished('1', 'completed', { output: 'a' }),
        started('1', 'B'), started('1', 'C'), finished('1'), finished('1'),
        started('1', 'D'), finished('1', 'failed', { output: 'd' }),
      ],
      ['A completed: a', 'B undecidable', 'C undecidable', 'D failed: d'], 0,
    ],
    [
      'an overlap does not touch other ids',
      [started('1', 'A'), started('2', 'B'), started('1', 'C'), finished('2', 'completed', { output: 'b' })],
      ['A undecidable', 'B completed: b', 'C undecidable'], 0,
    ],
    ['an end without a start is an orphan', [finished('1')], [], 1],
    ['an end before its start is an orphan', [finished('1'), started('1')], ['Bash pending'], 1],
    [
      'a second end is an orphan, and which of the two was the end is not known',
      [started('1'), finished('1', 'completed', { output: 'a' }), finished('1', 'failed', { output: 'b' })],
      ['Bash undecidable'], 1,
    ],
    ['a tool that ends as a subagent is not decided', [started('1'), subagentFinished('1')], ['Bash undecidable'], 0],
    ['a subagent that ends as a tool is an orphan end', [subagentStarted('1'), finished('1')], [], 1],
    [
      'ids belong to their kind: a subagent of the same id does not disturb a tool call',
      [started('1'), subagentStarted('1'), subagentFinished('1'), finished('1', 'completed', { output: 'a' })],
      ['Bash completed: a'], 0,
    ],
    ['subagents are no tool calls', [subagentStarted('1'), subagentFinished('1')], [], 0],
  ])('%s', (_rule, events, calls, orphanEnds) => {
    expect(told(events)).toEqual({ calls, orphanEnds });
  });
});
