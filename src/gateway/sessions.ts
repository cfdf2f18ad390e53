import { addUsage, type Usage } from '../evidence/usage.js';
import { SessionTakenError, SessionUnknownError } from './errors.js';
import type { Exchange } from './exchange.js';
import { createPlayback, type LaneProgress, type Playback } from './playback.js';
import { presentedTokens, type PresentingRequest } from './presented-tokens.js';
import type { BodyBudget } from './request-body.js';
import type { Script } from './script.js';

/** What a session is opened with. */
export interface SessionOptions {
  readonly id: string;
  /** What the sandbox shows as its API key. Worth nothing anywhere else. */
  readonly token: string;
  readonly script: Script;
  /** What messages call the script. Default: `script`. */
  readonly scriptName?: string;
}

/** One Attempt's way to the model. */
export interface Session {
  readonly id: string;
  readonly token: string;
  readonly playback: Playback;
  readonly budget: BodyBudget;
  /** Keeps a request in view until it ends, so that closing the session ends it. */
  track(work: { abort(): void; readonly ended: Promise<void> }): void;
  /** Adds a finished request to the session's counts. */
  count(exchange: Exchange): void;
}

/** What a session came to. */
export interface SessionSummary {
  /** Requests that showed the session's token, whatever became of them. */
  readonly requests: number;
  /** Sum of what the answers reported. */
  readonly usage: Usage;
  /** A lane with `played` below `total` has turns that nobody asked for. */
  readonly lanes: readonly LaneProgress[];
}

/** The open sessions, found by token. */
export interface Sessions {
  /** @throws SessionTakenError when an open session has the id or the token. */
  open(options: SessionOptions): void;
  /**
   * Ends the session: its token is refused from now on and its open requests are cut. Settles when they have been counted.
   * @throws SessionUnknownError when it is not open.
   */
  close(id: string): Promise<SessionSummary>;
  /** The session whose token a request shows. */
  find(request: PresentingRequest): Session | undefined;
  /** The tokens of the open sessions, so that no record repeats one. */
  tokens(): Iterable<string>;
  closeAll(): Promise<void>;
}

interface OpenSession extends Session {
  end(): Promise<SessionSummary>;
}

/** Starts without sessions. */
export function createSessions(): Sessions {
  const byId = new Map<string, OpenSession>();
  const byToken = new Map<string, OpenSession>();

  const close = async (id: string): Promise<SessionSummary> => {
    const session = byId.get(id);
    if (session === undefined) throw new SessionUnknownError(id);
    byId.delete(id);
    byToken.delete(session.token);
    return session.end();
  };

  return {
    open(options) {
      if (byId.has(options.id)) throw new SessionTakenError(options.id, 'id');
      if (byToken.has(options.token)) throw new SessionTakenError(options.id, 'token');
      const session = openSession(options);
      byId.set(options.id, session);
      byToken.set(options.token, session);
    },
    close,
    find(request) {
      for (const token of presentedTokens(request)) {
        const session = byToken.get(token);
        if (session !== undefined) return session;
      }
      return undefined;
    },
    tokens: () => byToken.keys(),
    async closeAll() {
      await Promise.all([...byId.keys()].map(close));
    },
  };
}

function openSession({ id, token, script, scriptName = 'script' }: SessionOptions): OpenSession {
  const playback = createPlayback(script, scriptName);
  const works = new Set<{ abort(): void; readonly ended: Promise<void> }>();
  let requests = 0;
  let usage: Usage = {};
  return {
    id,
    token,
    playback,
    budget: { heldBytes: 0 },
    track(work) {
      works.add(work);
      void work.ended.then(() => works.delete(work));
    },
    count(exchange) {
      requests += 1;
      if (exchange.usage !== undefined) usage = addUsage([usage, exchange.usage]);
    },
    async end() {
      const open = [...works];
      for (const work of open) work.abort();
      await Promise.all(open.map(({ ended }) => ended));
      return { requests, usage, lanes: playback.progress() };
    },
  };
}
