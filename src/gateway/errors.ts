/** Base of every error that the gateway throws. `code` is stable; the message is for people. */
export abstract class GatewayError extends Error {
  /** Stable machine-readable name of the kind of failure. */
  abstract readonly code: string;
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** A script file cannot be played as it is written. */
export class ScriptError extends GatewayError {
  readonly code = 'gateway-script-unreadable';
  /**
   * @param scriptName The file, as the person who wrote it would name it.
   * @param problems One line for each: place in the file, what is wrong, what to do.
   */
  constructor(readonly scriptName: string, readonly problems: readonly string[], options?: ErrorOptions) {
    super(`Script "${scriptName}" cannot be played:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`, options);
  }
}

/** A session cannot be opened because its id or token is already in use. */
export class SessionTakenError extends GatewayError {
  readonly code = 'gateway-session-taken';
  constructor(readonly sessionId: string, readonly taken: 'id' | 'token') {
    super(
      taken === 'id'
        ? `Gateway session "${sessionId}" is already open. Close it first, or open the new one under another id.`
        : `Gateway session "${sessionId}" was given the token of another open session. Make a fresh token for each session.`,
    );
  }
}

/** An answer was cut on purpose: nothing more of it is to be sent. */
export class AnswerCutError extends GatewayError {
  readonly code = 'gateway-answer-cut';
  constructor() {
    super('The answer was cut on purpose.');
  }
}

/** A session was named that is not open. */
export class SessionUnknownError extends GatewayError {
  readonly code = 'gateway-session-unknown';
  constructor(readonly sessionId: string) {
    super(`Gateway session "${sessionId}" is not open. Open it before closing it, and close it once.`);
  }
}

/** The gateway program answered a call with a refusal. */
export class GatewayRefusedError extends GatewayError {
  readonly code = 'gateway-refused';
  constructor(readonly call: string, readonly reason: string) {
    super(`The gateway refused to ${call}: ${reason}`);
  }
}

/** The gateway program went away, so nothing more can be asked of it. */
export class GatewayGoneError extends GatewayError {
  readonly code = 'gateway-gone';
  constructor(readonly call: string, readonly reason: string, options?: ErrorOptions) {
    super(`The gateway was gone before it could ${call}: ${reason}. Read its stderr for the cause, then start the run again.`, options);
  }
}

/** The names and connections of a network cannot be served. */
export class EgressError extends GatewayError {
  readonly code = 'gateway-egress';
  constructor(readonly address: string, options: { readonly cause: Error }) {
    super(`The ports 53, 80 and 443 of ${address} cannot be had (${options.cause.message}). Nothing else may listen there.`, options);
  }
}

/** A model service cannot be reached, or went away before it answered. */
export class UpstreamError extends GatewayError {
  readonly code = 'gateway-upstream';
  /** @param host Whom the gateway asked. @param reason What the system said, without addresses of clients and without keys. */
  constructor(readonly host: string, readonly reason: string, options?: ErrorOptions) {
    super(`The model service at ${host} could not be asked: ${reason}. See whether the base URL is right and the service is up.`, options);
  }
}

/** A cassette, or what it is to be compared by, cannot be used. */
export class CassetteError extends GatewayError {
  readonly code = 'gateway-cassette-unreadable';
  readonly file: string;
  /** From 1; absent when it is not about a line. */
  readonly line: number | undefined;
  /**
   * @param where.file The file, or the option, as a person would name it.
   * @param where.problem What is wrong, to follow the name of the file.
   * @param where.remedy What to do, as sentences.
   */
  constructor(where: { readonly file: string; readonly line?: number; readonly problem: string; readonly remedy: string }, options?: ErrorOptions) {
    super(`${where.file}${where.line === undefined ? '' : `, line ${where.line},`} ${where.problem}. ${where.remedy}`, options);
    this.file = where.file;
    this.line = where.line;
  }
}
