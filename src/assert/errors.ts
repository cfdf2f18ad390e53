/** A mistake in how an eval makes its claims. */
export class ClaimAuthoringError extends Error {
  readonly code = 'claim-authoring';
  override readonly name = 'ClaimAuthoringError';
}

/** Ends a test after `orStop`. Not a failure by itself. */
export class ClaimStop extends Error {
  readonly code = 'claim-stop';
  override readonly name = 'ClaimStop';
  constructor(readonly description: string) {
    super(`Stopped: "${description}" does not hold.`);
  }
}

/** What was thrown, in words. */
export function wordsOfThrown(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
