import { nameOf } from '../fields.js';

/** The model id without the marker of its context window (`claude-opus-4-8[1m]`): init and modelUsage carry it, messages do not. */
export function modelIdOf(value: unknown): string | undefined {
  return nameOf(value)?.replace(/\[[^\]]*\]$/, '');
}

// claude-code 2.1.197: texts that the CLI writes itself carry this model; fixtures/agents/claude-code/2.1.197/api-400.
export const SYNTHETIC_MODEL = '<synthetic>';

/** System subtypes that say nothing the standard events could carry. */
export const SILENT_SYSTEM_SUBTYPES: ReadonlySet<string> = new Set([
  'hook_started', 'thinking_tokens', 'session_state_changed', 'task_progress', 'local_command', 'notification',
  'turn_duration', 'away_summary', 'stop_hook_summary', 'bridge_status', 'memory_saved',
]);
