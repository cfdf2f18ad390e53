import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { StreamEvent } from '../../src/evidence/events.js';
import { trajectoryOf } from '../../src/report/atif.js';
import { attemptResult } from '../run/results.js';

/*
 * The rules as Harbor publishes them: RFC 0001 v1.7 (rfcs/0001-trajectory-format.md of harbor-framework/harbor) and the validators of its
 * models (src/harbor/models/trajectories): unknown fields are forbidden, step ids count from 1, some fields belong to steps of
 * the agent, a result names a call of its own step, calls of a step differ.
 */
const extra = z.record(z.string(), z.unknown()).optional();
const stepSchema = z.strictObject({
  step_id: z.number().int().min(1),
  timestamp: z.iso.datetime({ offset: true }).optional(),
  source: z.enum(['system', 'user', 'agent']),
  model_name: z.string().optional(),
  message: z.string(),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(z.strictObject({ tool_call_id: z.string(), function_name: z.string(), arguments: z.record(z.string(), z.unknown()), extra })).optional(),
  observation: z.strictObject({ results: z.array(z.strictObject({ source_call_id: z.string().optional(), content: z.string().optional(), extra })) }).optional(),
  metrics: z.strictObject({}).optional(),
  extra,
}).superRefine((step, context) => {
  const calls = (step.tool_calls ?? []).map((call) => call.tool_call_id);
  if (step.source !== 'agent' && (step.model_name ?? step.reasoning_content ?? step.tool_calls ?? step.metrics) !== undefined) context.addIssue({ code: 'custom', message: 'a field of agents only' });
  if (new Set(calls).size !== calls.length) context.addIssue({ code: 'custom', message: 'two calls of one id' });
  for (const { source_call_id: id } of step.observation?.results ?? []) if (id !== undefined && !calls.includes(id)) context.addIssue({ code: 'custom', message: `no call ${id}` });
});
const count = z.number().int().nonnegative().optional();
const trajectorySchema = z.strictObject({
  schema_version: z.literal('ATIF-v1.7'),
  session_id: z.string().optional(),
  trajectory_id: z.string().optional(),
  agent: z.strictObject({ name: z.string(), version: z.string(), model_name: z.string().optional(), extra }),
  steps: z.array(stepSchema).min(1).refine((steps) => steps.every((step, index) => step.step_id === index + 1)),
  final_metrics: z.strictObject({ total_prompt_tokens: count, total_completion_tokens: count, total_cached_tokens: count, total_cost_usd: z.number().optional(), total_steps: count, extra }).optional(),
  extra,
});

type Trajectory = z.infer<typeof trajectorySchema>;
const told = (events: readonly StreamEvent[], more: Parameters<typeof attemptResult>[0] = {}): Trajectory => (
  trajectorySchema.parse(trajectoryOf(events.map((event) => ({ session: 1, turn: 1, event })), { runId: 'r1', result: attemptResult(more) })));

const started = (operationId: string, input: unknown = {}): StreamEvent => ({ type: 'operation.started', operationId, operation: { kind: 'tool', name: 'Bash', input: input as never } });
const finished = (operationId: string, output?: string): StreamEvent => ({ type: 'operation.finished', operationId, kind: 'tool', status: 'completed', ...(output === undefined ? {} : { output }) });

describe('a trajectory', () => {
  test('holds an inference as one step: thinking, words, calls and what came of them', () => {
    const { steps, agent, final_metrics: metrics } = told([
      { type: 'message', role: 'user', text: 'Mend it.' },
      { type: 'thinking', text: 'Look first.', at: '2025-03-01T10:00:01.000Z' },
      { type: 'message', role: 'assistant', text: 'I look.' },
      started('1', { command: 'ls' }), started('2', 'text'), finished('2', 'b'), finished('1', 'a'),
      { type: 'message', role: 'assistant', text: 'Done.' },
    ], { usage: { inputTokens: 90, cacheReadTokens: 10, cacheCreationTokens: 5, outputTokens: 7, costUSD: 0.5 }, model: 'big' });
    const where = { session: 1, turn: 1 };
    expect(steps).toEqual([
      { step_id: 1, source: 'user', message: 'Mend it.', extra: where },
      {
        step_id: 2, source: 'agent', timestamp: '2025-03-01T10:00:01.000Z', message: 'I look.', reasoning_content: 'Look first.', extra: where,
        tool_calls: [{ tool_call_id: '1', function_name: 'Bash', arguments: { command: 'ls' } }, { tool_call_id: '2', function_name: 'Bash', arguments: { input: 'text' } }],
        observation: { results: [{ source_call_id: '2', content: 'b', extra: { status: 'completed' } }, { source_call_id: '1', content: 'a', extra: { status: 'completed' } }] },
      },
      { step_id: 3, source: 'agent', message: 'Done.', extra: where },
    ]);
    expect(agent).toEqual({ name: 'codex', version: 'unknown', model_name: 'big' });
    // Prompt tokens of ATIF hold the cached ones.
    expect(metrics).toEqual({ total_prompt_tokens: 105, total_completion_tokens: 7, total_cached_tokens: 10, total_cost_usd: 0.5, total_steps: 3 });
  });

  test.each<[string, readonly StreamEvent[], number]>([
    ['without any event', [], 1],
    ['with a result that no call asked for', [finished('9', 'x')], 1],
    ['with an id that is used twice', [started('1'), started('1'), finished('1')], 2],
    ['with a result that comes twice', [started('1'), finished('1'), finished('1')], 1],
    ['with a time that is none', [{ type: 'thinking', text: 'x', at: 'yesterday' }], 1],
    ['with every other kind of event', [
      { type: 'skill.loaded', skill: 's' }, { type: 'input.requested', request: { prompt: 'Which?' } }, { type: 'context.injected', text: 'c' }, { type: 'compaction' }, { type: 'error', message: 'e' },
      { type: 'operation.started', operationId: '3', operation: { kind: 'subagent', name: 'helper' } }, { ...started('4'), parentOperationId: '3' } as StreamEvent,
    ], 7],
  ])('%s keeps to the rules', (_what, events, length) => {
    expect(told(events).steps.length).toBe(length);
  });

  test('tells no tokens that were not reported', () => {
    expect(told([], { usage: {} }).final_metrics).toEqual({ total_steps: 1 });
  });
});
