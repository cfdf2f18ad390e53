import { Scope } from '../../lifetime/scope.js';
import type { AgentContext, AgentSandbox, ModelEndpoint, RawSink, SandboxAgentContext } from '../agent.js';
import type { Flags } from '../agent-options.js';
import type { OpenedContext } from './agent-subject.js';
import { createMemorySession } from './memory-session.js';

/** Options of {@link openMemoryContext}. Everything may be left out. */
export interface MemoryContextOptions {
  readonly endpoint?: ModelEndpoint;
  readonly model?: string;
  readonly reasoningEffort?: string;
  /** Default: none. */
  readonly flags?: Flags;
  /** Absolute. Default: the working directory of the process. */
  readonly experimentFolder?: string;
}

/** A context that keeps in memory what a run would keep on disk. Closing it runs what was given to `onEnd`, the last first. */
export interface MemoryContext<C extends AgentContext> extends OpenedContext<C> {
  /** Raw output by the name that the agent gave it; of a name that was opened again, one behind the other. */
  readonly raw: ReadonlyMap<string, Uint8Array>;
  /** What the agent gave to `keepFile`, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What the agent remarked, and cleanups that failed. */
  readonly diagnostics: readonly { readonly code: string; readonly message: string }[];
}

/**
 * Opens a context in which an agent can be sent to without a run. A sandbox agent needs a real sandbox, which stays
 * the caller's to close.
 */
export function openMemoryContext(options?: MemoryContextOptions & { readonly sandbox?: never }): MemoryContext<AgentContext>;
export function openMemoryContext(options: MemoryContextOptions & { readonly sandbox: AgentSandbox }): MemoryContext<SandboxAgentContext>;
export function openMemoryContext({ sandbox, endpoint, model, reasoningEffort, flags = {}, experimentFolder = process.cwd() }: MemoryContextOptions & { readonly sandbox?: AgentSandbox } = {}): MemoryContext<AgentContext> {
  const raw = new Map<string, Uint8Array>();
  const files = new Map<string, Uint8Array>();
  const diagnostics: { readonly code: string; readonly message: string }[] = [];
  const scope = new Scope();
  const ctx: AgentContext = {
    signal: new AbortController().signal,
    flags,
    experimentId: 'conformance',
    evalId: 'conformance',
    attempt: { id: 'conformance', index: 1 },
    experimentFolder,
    session: createMemorySession(1),
    ...(model === undefined ? {} : { model }),
    ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(sandbox === undefined ? {} : { sandbox }),
    openRaw: (name) => Promise.resolve(sinkInto(raw, name)),
    keepFile: (path, bytes) => {
      files.set(path, Uint8Array.from(bytes));
      return Promise.resolve();
    },
    diagnostic: (code, message) => { diagnostics.push({ code, message }); },
    onEnd: (what, cleanup) => scope.defer(what, cleanup),
  };
  return {
    ctx, raw, files, diagnostics,
    async [Symbol.asyncDispose]() {
      for (const { what, message } of await scope.close()) diagnostics.push({ code: 'cleanup', message: `${what}: ${message}` });
    },
  };
}

function sinkInto(raw: Map<string, Uint8Array>, name: string): RawSink {
  return {
    write: (chunk) => {
      raw.set(name, Buffer.concat([raw.get(name) ?? new Uint8Array(0), chunk]));
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}
