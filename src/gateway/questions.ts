import type { HostAnswer, HostQuestion } from './tape.js';

/** Questions to the host that wait for their answers. */
export interface Questions {
  /** Asks about a request. @throws the signal's reason when nobody waits any more. */
  readonly ask: (sessionId: string, asked: HostQuestion, signal: AbortSignal) => Promise<HostAnswer>;
  /** Takes an answer. One to a question that nobody waits for is dropped. */
  answer(ask: number, answer: HostAnswer): void;
}

/** @param say Sends a question to the host. */
export function createQuestions(say: (sessionId: string, ask: number, asked: HostQuestion) => void): Questions {
  const waiting = new Map<number, (answer: HostAnswer) => void>();
  let asked = 0;
  return {
    ask: (sessionId, question, signal) => new Promise((resolve, reject) => {
      signal.throwIfAborted();
      asked += 1;
      const ask = asked;
      const leave = (): void => {
        waiting.delete(ask);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.set(ask, (answer) => {
        signal.removeEventListener('abort', leave);
        resolve(answer);
      });
      say(sessionId, ask, question);
    }),
    answer(ask, answer) {
      const settle = waiting.get(ask);
      waiting.delete(ask);
      settle?.(answer);
    },
  };
}
