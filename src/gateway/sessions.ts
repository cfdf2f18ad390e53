import { addUsage, type Usage } from '../evidence/usage.js';
import { SessionTakenError, SessionUnknownError } from './errors.js';
import type { Exchange } from './exchange.js';
import { createFaults, type Faults } from './faults/draw-fault.js';
import type { FaultPlan } from './faults/fault-plan.js';
import { createPlayback, type LaneProgress, type Playback } from './playback.js';
import { presentedTokens, type PresentingRequest } from './presented-tokens.js';
import type { BodyBudget } from './request-body.js';
import type { ForwardMode, ReplayMode, SessionMode } from './session-mode.js';
import { SessionTokens } from './session-tokens.js';
import type { Upstreams } from './upstream.js';

/** What a session is opened with. */
export interface SessionOptions {
  readonly id: string;
  /** What the sandbox shows as its API key, in every window. Worth nothing anywhere else. */
  readonly token: string;
  readonly mode: SessionMode;
  /** Answers that are spoilt on purpose. Default: none. */
  readonly faults?: FaultPlan;
  /** The gateway's own address in the network of the session: its tokens are worth nothing in another. Absent: they hold wherever it listens. */
  readonly address?: string;
  /** The host is asked before each request to a model. Default: false. */
  readonly asks?: boolean;
  /** What services answer is told to the host, with the requests. Default: false. */
  readonly tapes?: boolean;
}

/** How the requests of a session are answered, with what was answered so far. */
export type Answering = { readonly kind: 'scripted'; readonly playback: Playback } | ForwardMode | ReplayMode;

/** One Attempt's way to the model. */
export interface Session {
  readonly id: string;
  readonly answering: Answering;
  readonly asks: boolean;
  readonly tapes: boolean;
  readonly budget: BodyBudget;
  /** Absent: no answer is spoilt. */
  readonly faults?: Faults;
  /** Keeps a request in view until it ends, so that closing the session ends it. @returns its place among the session's requests, from 1. */
  track(work: { abort(): void; readonly ended: Promise<void> }): number;
  /** Adds a finished request to the session's counts. */
  count(exchange: Exchange): void;
}

/** The session of a request, or why it has none. */
export type FoundSession =
  | { readonly kind: 'open'; readonly session: Session; readonly window?: string }
  /** Its session is known, but the token is over, or was shown in another network. */
  | { readonly kind: 'refused'; readonly session: Session; readonly window?: string; readonly message: string }
  | { readonly kind: 'unknown' };

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
   * Makes one more token valid, for one window; or says that one is for another window from now on.
   * @throws SessionUnknownError when the session is not open, SessionTakenError when the token is another session's.
   */
  addToken(id: string, token: string, window: string): void;
  /** Ends the life of a token. @throws SessionUnknownError when the session is not open. */
  expireToken(id: string, token: string): void;
  /** Changes whom a session that forwards asks, and by which keys. @throws SessionUnknownError when it is not open. */
  setUpstreams(id: string, upstreams: Upstreams): void;
  /**
   * Ends the session: its tokens are refused from now on and its open requests are cut. Settles when they have been counted.
   * @throws SessionUnknownError when it is not open.
   */
  close(id: string): Promise<SessionSummary>;
  /** The session whose token a request shows. @param address The gateway's own address that the request came to. */
  find(request: PresentingRequest, address?: string): FoundSession;
  /** The tokens of the open sessions, so that no record repeats one. */
  tokens(): Iterable<string>;
  closeAll(): Promise<void>;
}

interface OpenSession extends Session {
  answering: Answering;
  readonly address?: string;
  end(): Promise<SessionSummary>;
}

const EXPIRED = 'The API key is the token of a part of the Attempt that is over.';
const ELSEWHERE = 'The API key is the token of a session in another network.';

/** Starts without sessions. */
export function createSessions(): Sessions {
  const byId = new Map<string, OpenSession>();
  const tokens = new SessionTokens();

  const known = (id: string): OpenSession => {
    const session = byId.get(id);
    if (session === undefined) throw new SessionUnknownError(id);
    return session;
  };
  const close = async (id: string): Promise<SessionSummary> => {
    const session = known(id);
    byId.delete(id);
    tokens.forget(id);
    return session.end();
  };

  return {
    open(options) {
      if (byId.has(options.id)) throw new SessionTakenError(options.id, 'id');
      if (tokens.has(options.token)) throw new SessionTakenError(options.id, 'token');
      byId.set(options.id, openSession(options));
      tokens.add(options.token, options.id);
    },
    addToken(id, token, window) {
      known(id);
      const use = tokens.find(token);
      if (use !== undefined && (use.sessionId !== id || use.isExpired)) throw new SessionTakenError(id, 'token');
      tokens.add(token, id, window);
    },
    expireToken(id, token) {
      known(id);
      if (tokens.find(token)?.sessionId === id) tokens.expire(token);
    },
    setUpstreams(id, upstreams) {
      const session = known(id);
      const { answering } = session;
      if (answering.kind === 'forward') session.answering = { ...answering, upstreams };
      if (answering.kind === 'replay' && answering.forward !== undefined) session.answering = { ...answering, forward: { ...answering.forward, upstreams } };
    },
    close,
    find(request, address) {
      for (const token of presentedTokens(request)) {
        const use = tokens.find(token);
        const session = use === undefined ? undefined : byId.get(use.sessionId);
        if (use === undefined || session === undefined) continue;
        const found = { session, ...(use.window === undefined ? {} : { window: use.window }) };
        if (use.isExpired) return { kind: 'refused', ...found, message: EXPIRED };
        if (session.address !== undefined && session.address !== address) return { kind: 'refused', ...found, message: ELSEWHERE };
        return { kind: 'open', ...found };
      }
      return { kind: 'unknown' };
    },
    tokens: () => tokens.all(),
    async closeAll() {
      await Promise.all([...byId.keys()].map(close));
    },
  };
}

function openSession({ id, mode, faults, address, asks = false, tapes = false }: SessionOptions): OpenSession {
  const answering: Answering = mode.kind === 'scripted' ? { kind: 'scripted', playback: createPlayback(mode.script, mode.scriptName ?? 'script') } : mode;
  const works = new Set<{ abort(): void; readonly ended: Promise<void> }>();
  let begun = 0;
  let requests = 0;
  let usage: Usage = {};
  return {
    id,
    answering,
    asks,
    tapes,
    ...(address === undefined ? {} : { address }),
    budget: { heldBytes: 0 },
    ...(faults === undefined ? {} : { faults: createFaults(faults, id) }),
    track(work) {
      works.add(work);
      void work.ended.then(() => works.delete(work));
      begun += 1;
      return begun;
    },
    count(exchange) {
      requests += 1;
      if (exchange.usage !== undefined) usage = addUsage([usage, exchange.usage]);
    },
    async end() {
      const open = [...works];
      for (const work of open) work.abort();
      await Promise.all(open.map(({ ended }) => ended));
      return { requests, usage, lanes: answering.kind === 'scripted' ? answering.playback.progress() : [] };
    },
  };
}
