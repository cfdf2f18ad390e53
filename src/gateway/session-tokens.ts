/** Which part of an Attempt a token stands for. */
export interface TokenUse {
  /** Label of the window that it was made for. Absent: it holds as long as its session. */
  readonly window?: string;
  /** Its time is over; it is remembered so that who shows it is told apart from a forger. */
  readonly isExpired: boolean;
}

/** The tokens of all sessions. One that has expired is never given again. */
export class SessionTokens {
  readonly #uses = new Map<string, TokenUse & { readonly sessionId: string }>();

  has(token: string): boolean {
    return this.#uses.has(token);
  }

  /** Makes a token valid, or says which window one is for from now on. */
  add(token: string, sessionId: string, window?: string): void {
    this.#uses.set(token, { sessionId, isExpired: false, ...(window === undefined ? {} : { window }) });
  }

  find(token: string): (TokenUse & { readonly sessionId: string }) | undefined {
    return this.#uses.get(token);
  }

  expire(token: string): void {
    const use = this.#uses.get(token);
    if (use !== undefined) this.#uses.set(token, { ...use, isExpired: true });
  }

  /** Forgets those of a session, which is over. */
  forget(sessionId: string): void {
    for (const [token, use] of this.#uses) if (use.sessionId === sessionId) this.#uses.delete(token);
  }

  all(): Iterable<string> {
    return this.#uses.keys();
  }
}
