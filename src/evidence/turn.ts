import { z } from 'zod';
import { partialEvidenceCoverageSchema, type EvidenceCoverage } from './coverage.js';
import { streamEventSchema, type StreamEvent } from './events.js';
import { jsonValueSchema, type JsonValue } from './json.js';
import { usageSchema, type Usage } from './usage.js';

/** `waiting`: the agent stopped for a person. */
export type TurnStatus = 'completed' | 'failed' | 'waiting';

/** What the model was given in its last request of a turn. */
export interface ContextFill {
  /** Tokens, those of the prompt cache among them. */
  readonly inputTokens: number;
  /** How many there is room for. Absent: the agent does not say. */
  readonly windowTokens?: number;
}

/** What one `send` came to. */
export interface Turn {
  /** What happened, in the order in which it happened. */
  readonly events: readonly StreamEvent[];
  /** The structured product of the turn. Absent when the agent only answers in text. */
  readonly data?: JsonValue;
  readonly status: TurnStatus;
  readonly usage?: Usage;
  /** Absent: the agent does not say, and where the gateway counts, it does. */
  readonly context?: ContextFill;
  /** Only the channels that this turn collected worse than the agent declares. */
  readonly evidenceCoverage?: Partial<EvidenceCoverage>;
}

const count = z.number().int().nonnegative();

export const contextFillSchema = z.strictObject({ inputTokens: count, windowTokens: count.exactOptional() });

/** Refuses unknown fields: a misspelt `evidenceCoverage` must not read as complete coverage. */
export const turnSchema = z.strictObject({
  events: z.array(streamEventSchema).readonly(),
  data: jsonValueSchema.exactOptional(),
  status: z.enum(['completed', 'failed', 'waiting']),
  usage: usageSchema.exactOptional(),
  context: contextFillSchema.exactOptional(),
  evidenceCoverage: partialEvidenceCoverageSchema.exactOptional(),
});
