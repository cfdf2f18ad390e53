import type { EvidenceCoverage } from '../evidence/coverage.js';
import type { InputRequest } from '../evidence/events.js';
import type { JsonObject, JsonValue } from '../evidence/json.js';
import type { Turn } from '../evidence/turn.js';
import type { OwnedSandbox } from '../sandbox/sandbox.js';
import type { AgentConditions } from './conditions.js';
import type { SessionSlot } from './session-slot.js';

/** A file that is shown to the agent with a message, for instance a screenshot. */
export interface InputFile {
  readonly name: string;
  /** For instance `image/png`. */
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** A person's answer to one request: one of its options, or words of their own. */
export type InputResponse =
  | { readonly request: InputRequest; readonly optionId: string; readonly text?: never }
  | { readonly request: InputRequest; readonly text: string; readonly optionId?: never };

/** What an agent is told in one send. */
export interface TurnInput {
  /** The message. With `responses`: what was answered, in words, for the record. */
  readonly text: string;
  /** Shown with the message. Absent: none. */
  readonly files?: readonly InputFile[];
  /** Answers to every request that the waiting turn before left open. Present only then. */
  readonly responses?: readonly InputResponse[];
  /** JSON Schema of the structured product that is asked for; it goes to `turn.data`. */
  readonly schema?: JsonObject;
}

/** One line of conversation; the same object for every send of it. */
export interface AgentSession {
  /** The backend's own id, once captured. */
  readonly id: string | undefined;
  /** Position among the sessions of the Attempt, from 1. */
  readonly ordinal: number;
  /** Keeps the backend's id. The first one wins. */
  capture(id: string): void;
  /** Private state of the adapter. `undefined`: nothing was put there. */
  get<T>(slot: SessionSlot<T>): T | undefined;
  set<T>(slot: SessionSlot<T>, value: T): void;
  /** As `get`, and empties the slot. */
  take<T>(slot: SessionSlot<T>): T | undefined;
}

/** Where the agent's model is asked. The token is worth nothing outside its Attempt. */
export interface ModelEndpoint {
  /** For instance `http://gateway:8787`, without a path. */
  readonly origin: string;
  readonly token: string;
}

/** Takes raw bytes before anything reads them. */
export interface RawSink {
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** What an agent gets with every send. */
export interface AgentContext {
  /** Aborted when the Attempt's time is up or the run is interrupted. */
  readonly signal: AbortSignal;
  readonly model?: string;
  readonly reasoningEffort?: string;
  readonly flags: { readonly [flag: string]: JsonValue };
  readonly experimentId: string;
  readonly evalId: string;
  readonly attempt: { readonly id: string; readonly index: number };
  /** Where relative host paths of the experiment start: the folder of its file. Absolute. */
  readonly experimentFolder: string;
  readonly session: AgentSession;
  /** Absent when the experiment has no gateway. */
  readonly endpoint?: ModelEndpoint;
  /** Opens a place for raw output of this send, for instance `stdout.jsonl`. */
  openRaw(name: string): Promise<RawSink>;
  /** Keeps a record that the agent wrote itself, for instance a session file. A later one of the same path replaces it. */
  keepFile(path: string, bytes: Uint8Array): Promise<void>;
  /** Something worth keeping that changes no verdict. */
  diagnostic(code: string, message: string): void;
  /** Runs `cleanup` when the Attempt ends, before its sandbox goes; the last one registered runs first. */
  onEnd(what: string, cleanup: () => Promise<void> | void): void;
}

/** The sandbox as an agent may use it: everything but ending it and reading its bill. */
export type AgentSandbox = Omit<OwnedSandbox, 'stop' | 'keep' | 'unpack' | 'resources' | typeof Symbol.asyncDispose>;

/** What a sandbox agent gets with every send. */
export interface SandboxAgentContext extends AgentContext {
  readonly sandbox: AgentSandbox;
}

/** What an experiment asks of an agent besides the agent itself. */
export interface AgentSettings {
  readonly model?: string;
  readonly reasoningEffort?: string;
  readonly flags?: { readonly [flag: string]: JsonValue };
  /** Where relative host paths of the experiment start. Absent where the file is not known yet: nothing on disk can be checked. */
  readonly experimentFolder?: string;
}

interface AgentFacts {
  readonly name: string;
  readonly evidenceCoverage: EvidenceCoverage;
  /** True for an agent that can do nothing without a model endpoint. */
  readonly needsEndpoint: boolean;
  /** Whose protocol it speaks to its model. Absent: it does not say. */
  readonly speaks?: 'anthropic' | 'openai' | 'gemini';
  /** Values that are replaced by `[redacted]` in everything that is told of an Attempt. Default: none. */
  readonly sensitiveValues?: readonly string[];
  /**
   * Files and folders of the host whose content changes what the agent does, absolute or relative to the experiment's file. Results
   * are only used again while they are the same. Default: none.
   */
  readonly inputFiles?: readonly string[];
  /** Folders of its home, relative to it, that its CLI cannot work without writing to. Default: none. */
  readonly homeFolders?: readonly string[];
  /**
   * The same agent under conditions, or why it cannot keep to them. Absent: it takes only conditions that need nothing of it, see
   * {@link agentUnder}.
   */
  readonly under?: (conditions: AgentConditions, settings: AgentSettings) => Agent | string;
  /** Says why the agent cannot work with these settings. Called when an experiment is defined and again when it is planned. `undefined`: it can. */
  readonly check?: (settings: AgentSettings) => string | undefined;
}

/** An agent that works in the Attempt's sandbox. */
export interface SandboxAgent extends AgentFacts {
  readonly kind: 'sandbox';
  readonly setup?: (ctx: SandboxAgentContext) => Promise<void> | void;
  readonly send: (input: TurnInput, ctx: SandboxAgentContext) => Promise<Turn>;
  readonly teardown?: (ctx: SandboxAgentContext) => Promise<void> | void;
}

/** An agent that works somewhere else, for instance behind an HTTP interface. */
export interface DirectAgent extends AgentFacts {
  readonly kind: 'direct';
  readonly setup?: (ctx: AgentContext) => Promise<void> | void;
  readonly send: (input: TurnInput, ctx: AgentContext) => Promise<Turn>;
  readonly teardown?: (ctx: AgentContext) => Promise<void> | void;
}

/** Any agent. */
export type Agent = SandboxAgent | DirectAgent;
