/** Questions to the host that wait for their answers. */
export interface Questions {
  /** Asks whether a request may go. @throws the signal's reason when nobody waits any more. */
  readonly ask: (sessionId: string, signal: AbortSignal) => Promise<string | undefined>;
  /** Takes an answer. One to a question that nobody waits for is dropped. */
  answer(ask: number, refusal: string | undefined): void;
}

/** @param say Sends a question to the host. */
export function createQuestions(say: (sessionId: string, ask: number) => void): Questions {
  const waiting = new Map<number, (refusal: string | undefined) => void>();
  let asked = 0;
  return {
    ask: (sessionId, signal) => new Promise((resolve, reject) => {
      signal.throwIfAborted();
      asked += 1;
      const ask = asked;
      const leave = (): void => {
        waiting.delete(ask);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.set(ask, (refusal) => {
        signal.removeEventListener('abort', leave);
        resolve(refusal);
      });
      say(sessionId, ask);
    }),
    answer(ask, refusal) {
      const settle = waiting.get(ask);
      waiting.delete(ask);
      settle?.(refusal);
    },
  };
}
