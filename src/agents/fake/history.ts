/** How many tokens the fake agent's model has room for. */
export const FAKE_WINDOW_TOKENS = 4_096;

/** What was said in a conversation, as far as it is still before the model. */
export interface FakeHistory {
  readonly tokens: number;
  add(text: string): void;
  /** Replaces all of it by a summary. */
  compact(): void;
}

/** Tokens as the fake agent counts them: one for four characters, rounded up. */
export function fakeTokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

const QUESTION = 'What is the next step of the work, and what has to be kept in mind while it is done? ';
const ANSWER = 'The next step is the one that was agreed on before; nothing of what was done until now has to be done again. ';
/** A made-up pair is 100 tokens for the question and 100 for the answer. */
const HALF_OF_PAIR_CHARACTERS = 400;

/** A history with the system instructions and made-up pairs in it. */
export function createFakeHistory({ systemInstructions = '', syntheticPairs = 0 }: { readonly systemInstructions?: string; readonly syntheticPairs?: number }): FakeHistory {
  let tokens = 0;
  const add = (text: string): void => { tokens += fakeTokensOf(text); };
  for (let pair = 0; pair < syntheticPairs; pair += 1) for (const text of [QUESTION, ANSWER]) add(text.repeat(5).slice(0, HALF_OF_PAIR_CHARACTERS));
  const kept = fakeTokensOf(systemInstructions);
  return {
    get tokens() { return kept + tokens; },
    add,
    compact: () => { tokens = fakeTokensOf(SUMMARY); },
  };
}

const SUMMARY = 'Summary: everything that was agreed on before still holds.';
