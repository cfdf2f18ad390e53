import { countOf, fieldsOf, nameOf, type Fields } from '../fields.js';
import { emit, type LineContext, type RolloutState, type ThreadTrail } from './rollout-state.js';

export function trailOf(state: RolloutState, context: LineContext): ThreadTrail {
  const known = state.trails.get(context.thread.id);
  if (known !== undefined) return known;
  const trail: ThreadTrail = { responses: [], asked: undefined, compaction: undefined };
  state.trails.set(context.thread.id, trail);
  return trail;
}

/** One model response: its tokens are the size of the context at that point. */
export function noteResponse(state: RolloutState, payload: Fields, context: LineContext): void {
  const total = countOf(fieldsOf(payload['usage'])?.['total_tokens']);
  if (total === undefined) return;
  const { responses } = trailOf(state, context);
  responses.push({ id: nameOf(payload['response_id']), contextTokens: total });
  if (responses.length > 2) responses.shift();
}

/**
 * A rollout states no reason. A compaction inside a turn that somebody asked for is automatic; one that runs as a turn of
 * its own, which nobody asked for, was started by hand (codex 0.171.0; fixtures/agents/codex/0.171.0/{compaction-auto,app-compact}).
 */
export function tellCompaction(state: RolloutState, payload: Fields, context: LineContext): void {
  const trail = trailOf(state, context);
  const own = nameOf(payload['compaction_response_id']);
  const before = trail.responses.filter(({ id }) => own === undefined || id !== own).at(-1)?.contextTokens;
  trail.compaction = state.events.length;
  emit(state, {
    type: 'compaction',
    ...(trail.asked === undefined ? {} : { reason: trail.asked ? 'auto' : 'manual' }),
    ...(before === undefined ? {} : { tokensBefore: before }),
  }, context);
  const summary = nameOf(payload['message']);
  if (summary !== undefined) emit(state, { type: 'context.injected', text: summary, source: 'compaction' }, context);
}

/** After a compaction the CLI estimates the new context: a total without parts. */
export function noteContextSize(state: RolloutState, payload: Fields, context: LineContext): void {
  const trail = trailOf(state, context);
  const last = fieldsOf(fieldsOf(payload['info'])?.['last_token_usage']);
  const after = countOf(last?.['total_tokens']);
  if (trail.compaction === undefined || last === undefined || after === undefined) return;
  const event = state.events[trail.compaction];
  if (event?.type === 'compaction' && last['input_tokens'] === 0 && last['output_tokens'] === 0) state.events[trail.compaction] = { ...event, tokensAfter: after };
  trail.compaction = undefined;
}

