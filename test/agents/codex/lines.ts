/** Builders of `exec --json` lines in the shape of Codex 0.171.0. */

export const threadStarted = { type: 'thread.started', thread_id: '01a229e7-b62d-79f0-a04d-2f15668c14d5' };
export const turnStarted = { type: 'turn.started' };

export function turnCompleted(usage: object = { input_tokens: 100, cached_input_tokens: 0, output_tokens: 10 }): object {
  return { type: 'turn.completed', usage };
}

export function item(phase: 'started' | 'updated' | 'completed', fields: object): object {
  return { type: `item.${phase}`, item: fields };
}

export function message(id: string, text: string): object {
  return item('completed', { id, type: 'agent_message', text });
}

export function command(phase: 'started' | 'completed', id: string, text: string, more: object = {}): object {
  return item(phase, { id, type: 'command_execution', command: text, aggregated_output: '', exit_code: null, status: 'in_progress', ...more });
}
