import type { Script } from './script.js';
import type { Upstreams } from './upstream.js';

/** Who answers the requests of a session. */
export type SessionMode = ScriptedMode | ForwardMode | ReplayMode;

/** Turns of a script. */
export interface ScriptedMode {
  readonly kind: 'scripted';
  readonly script: Script;
  /** What messages call the script. Default: `script`. */
  readonly scriptName?: string;
}

/** The real services. */
export interface ForwardMode {
  readonly kind: 'forward';
  readonly upstreams: Upstreams;
  /** What is written into requests instead of what the client says. Default: nothing. */
  readonly sampling?: Sampling;
}

/** A cassette, which the host holds: it is asked about each request. */
export interface ReplayMode {
  readonly kind: 'replay';
  /** Who answers what the cassette lacks. Absent: nobody. */
  readonly forward?: ForwardMode;
}

/** Parts of a request that an experiment decides, whatever its CLI asks for. */
export interface Sampling {
  readonly temperature?: number;
  readonly seed?: number;
  readonly maxTokens?: number;
  /** The model that is asked, by the one that the CLI names. `*` stands for every other. */
  readonly models?: { readonly [asked: string]: string };
}
