import { fieldsOf, listOf, nameOf, textOf, type Fields } from '../fields.js';
import { tellPrompt } from './rollout-items.js';
import { emit, type LineContext, type RolloutState } from './rollout-state.js';

/** The parts of a message that no person wrote. What a person wrote and what the agent said are records of their own. */
export function tellContext(state: RolloutState, payload: Fields, context: LineContext): void {
  if (payload['role'] === 'assistant') {
    // Summaries of compactions come as messages too, so only a version that records its messages nowhere else is told by these.
    if (state.speaking.has(context.thread.id)) return;
    const text = listOf(payload['content']).map((part) => textOf(fieldsOf(part)?.['text']) ?? '').join('');
    if (context.thread.role === 'root') state.seen.lastMessage = text;
    return emit(state, { type: 'message', role: 'assistant', text }, context);
  }
  const marks = fieldsOf(payload['internal_chat_message_metadata_passthrough']);
  const kinds = listOf(marks?.['content_item_kinds']);
  const origins = listOf(marks?.['content_item_metadata']);
  for (const [index, part] of listOf(payload['content']).entries()) {
    const text = textOf(fieldsOf(part)?.['text']);
    if (text === undefined) continue;
    const kind = nameOf(kinds[index]) ?? 'unknown';
    const origin = nameOf(fieldsOf(fieldsOf(origins[index])?.['provenance'])?.['type']);
    if (origin === 'user' || kind.startsWith('user.')) continue;
    if (text.startsWith('<hook_prompt ')) continue;
    if (marks === undefined && payload['role'] === 'user' && !isContextText(text)) {
      if (!state.speaking.has(context.thread.id)) tellPrompt(state, text, context);
      continue;
    }
    if (kind === 'skills.selected_skill_instructions') {
      const skill = /<name>([^<]+)<\/name>/.exec(text)?.[1];
      if (skill !== undefined) emit(state, { type: 'skill.loaded', skill }, context);
    }
    emit(state, { type: 'context.injected', text, source: kind === 'unknown' ? origin ?? 'codex' : kind }, context);
  }
}

/** Versions without provenance mark what they inject by its first words. */
function isContextText(text: string): boolean {
  return /^\s*(?:<(?:environment_context|user_instructions|permissions instructions|turn_aborted|user_shell_command|skill|INSTRUCTIONS)\b|# AGENTS\.md instructions)/.test(text);
}
