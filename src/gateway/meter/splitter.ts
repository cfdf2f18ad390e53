/** Told what a body is made of, in order. */
export interface PieceListener {
  /** One event or JSON value, as UTF-8, until this returns. `name` is the event's, when it has one. */
  onPiece(bytes: Buffer, name?: string): void;
  /** One that was larger than the limit and was not kept. */
  onSkipped(name?: string): void;
}

/** Cuts a body that arrives in any portions into its pieces. */
export interface Splitter {
  write(bytes: Uint8Array): void;
  /** Nothing follows. Tells of a last piece whose end never came. */
  end(): void;
  /** The body is closed by its own syntax. Events have none, so that theirs never are. */
  readonly closed: boolean;
}
