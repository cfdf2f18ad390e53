import { fieldsOf, textOf, type Fields } from '../fields.js';
import type { RecordContext, Teller } from './teller.js';

/** The words of an answer that is still being streamed (`--include-partial-messages`). */
export interface PartialAnswer {
  streamEvent(event: Fields | undefined): void;
  /** The whole block came as a line of its own. */
  arrived(): void;
  /** Tells what was on its way when the process ended. */
  tell(teller: Teller, context: RecordContext): void;
}

export function createPartialAnswer(): PartialAnswer {
  let words: string[] = [];
  let thoughts: string[] = [];
  const forget = (): void => {
    words = [];
    thoughts = [];
  };
  return {
    streamEvent(event) {
      if (event?.['type'] === 'message_start' || event?.['type'] === 'content_block_start') return forget();
      if (event?.['type'] !== 'content_block_delta') return;
      const delta = fieldsOf(event['delta']);
      const text = textOf(delta?.['text']);
      const thinking = textOf(delta?.['thinking']);
      if (text !== undefined) words.push(text);
      if (thinking !== undefined) thoughts.push(thinking);
    },
    arrived: forget,
    tell(teller, context) {
      if (thoughts.length > 0) teller.emit({ type: 'thinking', text: thoughts.join('') }, context);
      if (words.length > 0) teller.emit({ type: 'message', role: 'assistant', text: words.join('') }, context);
      forget();
    },
  };
}
