import type { ProtocolName } from './protocol.js';

/** A request of a session, whole. */
export interface HeldRequest {
  readonly ordinal: number;
  readonly protocol: ProtocolName;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly body: Uint8Array;
}

/** What a client was answered. */
export interface HeldAnswer {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: { readonly [name: string]: string };
  readonly body: Uint8Array;
  /** `cut`: the connection ended before the answer did. */
  readonly ending: 'whole' | 'cut';
}

/** A request with its answer, for a cassette. */
export interface Tape {
  readonly request: HeldRequest;
  readonly answer: HeldAnswer;
}

/** What the host is asked: whether a request may go; with the whole request, what its answer is. */
export interface HostQuestion {
  readonly protocol: ProtocolName;
  readonly request?: HeldRequest;
}

/** What the host says to a question about a request. */
export type HostAnswer =
  /** It may go to whoever answers the session. */
  | { readonly kind: 'go' }
  /** It may not, and this is why. */
  | { readonly kind: 'refusal'; readonly reason: 'over-budget' | 'cassette-lacks'; readonly message: string }
  /** This is the answer. */
  | { readonly kind: 'answer'; readonly answer: HeldAnswer };

/** The largest answer that is taped. */
export const MOST_TAPED_BYTES = 64 * 1024 * 1024;
