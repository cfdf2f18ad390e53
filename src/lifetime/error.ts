/** Base of every error that niceeval throws on purpose. `code` is stable; the message is for people. */
export abstract class NiceEvalError extends Error {
  /** A stable, kebab-case name of the kind of trouble. */
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
