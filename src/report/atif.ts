import type { StreamEvent } from '../evidence/events.js';
import { isJsonObject, type JsonValue } from '../evidence/json.js';
import { bucketOf } from '../evidence/usage.js';
import type { EventLine } from '../record/schema.js';
import type { AttemptResult } from '../run/result.js';
import { eventText } from './transcript-listing.js';

/** The version that is written: RFC 0001 "Agent Trajectory Interchange Format" of Harbor, v1.7 (rfcs/0001-trajectory-format.md of harbor-framework/harbor). */
const ATIF_VERSION = 'ATIF-v1.7';

interface ToolCall { readonly tool_call_id: string; readonly function_name: string; readonly arguments: object; readonly extra?: object }
interface Outcome { readonly source_call_id: string; readonly content?: string; readonly extra: object }

interface Step {
  readonly source: 'system' | 'user' | 'agent';
  readonly timestamp?: string;
  message: string;
  reasoning_content?: string;
  tool_calls?: ToolCall[];
  observation?: { readonly results: Outcome[] };
  readonly extra: { readonly session: number; readonly turn: number; readonly type?: string; readonly parentOperationId?: string };
}

/** What belongs to a trajectory besides its events. */
export interface TrajectoryOf {
  readonly runId: string;
  readonly result: Pick<AttemptResult, 'id' | 'evalId' | 'experimentId' | 'index' | 'agent' | 'model' | 'verdict' | 'reasons' | 'usage' | 'estimatedCostUSD'>;
}

/**
 * An Attempt as one trajectory. All its sessions stand in one sequence of steps; `extra` of a step says session and turn. Tokens are known by the
 * turn and not by the step, so only the totals are told. The version of the agent is not in a record.
 */
export function trajectoryOf(events: readonly EventLine[], { runId, result }: TrajectoryOf): object {
  const steps = stepsOf(events);
  // A trajectory without steps is none.
  if (steps.length === 0) steps.push({ source: 'system', message: result.reasons.join('\n') || 'The agent was sent nothing.', extra: { session: 1, turn: 1 } });
  const { usage, estimatedCostUSD } = result;
  const input = bucketOf(usage, 'inputTokens');
  const cached = bucketOf(usage, 'cacheReadTokens');
  return {
    schema_version: ATIF_VERSION,
    session_id: runId,
    trajectory_id: `${runId}/${result.id}`,
    agent: { name: result.agent, version: 'unknown', ...(result.model === undefined ? {} : { model_name: result.model }) },
    steps: steps.map((step, index) => ({ step_id: index + 1, ...step })),
    final_metrics: {
      ...given('total_prompt_tokens', input === undefined ? undefined : input + (cached ?? 0) + (bucketOf(usage, 'cacheCreationTokens') ?? 0)),
      ...given('total_completion_tokens', bucketOf(usage, 'outputTokens')),
      ...given('total_cached_tokens', cached),
      ...given('total_cost_usd', bucketOf(usage, 'costUSD')),
      total_steps: steps.length,
      ...(estimatedCostUSD === undefined ? {} : { extra: { estimatedCostUSD } }),
    },
    extra: { evalId: result.evalId, experimentId: result.experimentId, index: result.index, verdict: result.verdict },
  };
}

function given<K extends string>(key: K, value: number | undefined): { readonly [key in K]?: number } {
  return value === undefined ? {} : { [key]: value } as { readonly [key in K]?: number };
}

function stepsOf(events: readonly EventLine[]): Step[] {
  const steps: Step[] = [];
  const stepOfCall = new Map<string, Step>();
  /** The agent's step that goes on until something comes that a new inference must have said. */
  let open: Step | undefined;
  const begin = (source: Step['source'], line: EventLine, message: string, type?: string): Step => {
    const { event, session, turn } = line;
    const step: Step = {
      source,
      ...(isTime(event.at) ? { timestamp: event.at } : {}),
      message,
      extra: { session, turn, ...(type === undefined ? {} : { type }), ...(event.parentOperationId === undefined ? {} : { parentOperationId: event.parentOperationId }) },
    };
    steps.push(step);
    open = source === 'agent' ? step : undefined;
    return step;
  };
  const ongoing = (line: EventLine, isFree: (step: Step) => boolean): Step => {
    const goesOn = open !== undefined && open.observation === undefined && open.extra.session === line.session && open.extra.turn === line.turn
      && open.extra.parentOperationId === line.event.parentOperationId && isFree(open);
    return goesOn && open !== undefined ? open : begin('agent', line, '');
  };
  for (const line of events) {
    const { event, session } = line;
    switch (event.type) {
      case 'message':
        if (event.role === 'user') begin('user', line, event.text);
        else ongoing(line, ({ message, tool_calls: calls }) => message === '' && calls === undefined).message = event.text;
        break;
      case 'thinking': {
        const step = ongoing(line, ({ message, tool_calls: calls }) => message === '' && calls === undefined);
        step.reasoning_content = step.reasoning_content === undefined ? event.text : `${step.reasoning_content}\n${event.text}`;
        break;
      }
      case 'operation.started': {
        const step = ongoing(line, ({ tool_calls: calls = [] }) => calls.every((call) => call.tool_call_id !== event.operationId));
        (step.tool_calls ??= []).push(callOf(event));
        stepOfCall.set(`${session} ${event.operationId}`, step);
        break;
      }
      case 'operation.finished': {
        const step = stepOfCall.get(`${session} ${event.operationId}`);
        if (step === undefined) begin('system', line, eventText(event), event.type);
        else (step.observation ??= { results: [] }).results.push(outcomeOf(event));
        break;
      }
      default:
        begin('system', line, eventText(event), event.type);
    }
  }
  return steps;
}

function callOf({ operationId, operation }: Extract<StreamEvent, { readonly type: 'operation.started' }>): ToolCall {
  if (operation.kind === 'subagent') return { tool_call_id: operationId, function_name: operation.name, arguments: {}, extra: { kind: 'subagent' } };
  const { input, name, tool } = operation;
  return { tool_call_id: operationId, function_name: name, arguments: isJsonObject(input) ? input : { input }, ...(tool === undefined ? {} : { extra: { tool } }) };
}

function outcomeOf(event: Extract<StreamEvent, { readonly type: 'operation.finished' }>): Outcome {
  const exitCode = event.kind === 'tool' ? event.exitCode : undefined;
  return {
    source_call_id: event.operationId,
    ...(event.output === undefined ? {} : { content: textOf(event.output) }),
    extra: { status: event.status, ...(exitCode === undefined ? {} : { exitCode }) },
  };
}

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What says it is a time may have come from an agent. */
function isTime(at: string | undefined): at is string {
  return at !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/.test(at) && Number.isFinite(Date.parse(at));
}
