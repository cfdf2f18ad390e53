import { z } from 'zod';
import { commandProjectionSchema, type CommandProjection } from './command-projection.js';
import { jsonValueSchema, type JsonValue } from './json.js';
import { toolNameSchema, type ToolName } from './tool-name.js';

/** A place in a source file of the author. Lines and columns count from 1. */
export interface SourceLoc {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
}

/** What an agent asks a person when it stops. Fields that the protocol leaves out are absent. */
export interface InputRequest {
  readonly id?: string;
  /** The action it stopped at, for instance a tool name. */
  readonly action?: string;
  /** The input of that action. */
  readonly input?: JsonValue;
  /** The question. */
  readonly prompt?: string;
  readonly options?: readonly { readonly id: string; readonly label?: string }[];
}

/** Optional facts that any event may carry beside its own fields. */
export interface EventFacts {
  /** When it happened, ISO 8601, only when a witness states the time. */
  readonly at?: string;
  /** The operation this event happened inside, for instance the subagent that called a tool. */
  readonly parentOperationId?: string;
  /** Which record gave the event: `stdout`, `session`, `rollout`, `stderr`, ... Absent: the only witness. */
  readonly witness?: string;
}

/** A tool call as it was started. */
export interface ToolOperation {
  readonly kind: 'tool';
  /** The tool's own name, as the CLI calls it. */
  readonly name: string;
  readonly input: JsonValue;
  /** Canonical class of the tool. Absent: not classified, so the call may be of any class. */
  readonly tool?: ToolName;
  /** Whether the call is a command, and which. Absent: not classified, which lowers `actions` coverage. */
  readonly command?: CommandProjection;
}

/** A delegation to a subagent. */
export interface SubagentOperation {
  readonly kind: 'subagent';
  readonly name: string;
  readonly remoteUrl?: string;
}

/** One thing that happened in a turn. The ten kinds of the standard event stream. */
export type StreamEvent = EventFacts & (
  | { readonly type: 'message'; readonly role: 'assistant'; readonly text: string; readonly loc?: SourceLoc }
  | { readonly type: 'message'; readonly role: 'user'; readonly text: string; readonly loc?: SourceLoc; readonly sourceOrder?: number }
  | { readonly type: 'operation.started'; readonly operationId: string; readonly operation: ToolOperation | SubagentOperation }
  | {
      readonly type: 'operation.finished';
      readonly operationId: string;
      readonly kind: 'tool';
      /** Absent: the output is not known. */
      readonly output?: JsonValue;
      readonly status: 'completed' | 'failed' | 'rejected';
      /** Exit code of a command, when the protocol states it. */
      readonly exitCode?: number;
    }
  | {
      readonly type: 'operation.finished';
      readonly operationId: string;
      readonly kind: 'subagent';
      readonly output?: JsonValue;
      readonly status: 'completed' | 'failed';
    }
  | { readonly type: 'skill.loaded'; readonly skill: string; readonly operationId?: string }
  | { readonly type: 'input.requested'; readonly request: InputRequest }
  | { readonly type: 'thinking'; readonly text: string }
  | { readonly type: 'context.injected'; readonly text: string; readonly source?: string }
  | { readonly type: 'compaction'; readonly reason?: string; readonly tokensBefore?: number; readonly tokensAfter?: number }
  | {
      readonly type: 'error';
      readonly message: string;
      /** True for a trouble that the CLI got over by itself, for instance a retried request. */
      readonly recovered?: boolean;
    }
);

const facts = {
  at: z.string().exactOptional(),
  parentOperationId: z.string().exactOptional(),
  witness: z.string().exactOptional(),
};
const locSchema = z.object({ file: z.string(), line: z.number(), column: z.number().exactOptional() });

export const inputRequestSchema = z.object({
  id: z.string().exactOptional(),
  action: z.string().exactOptional(),
  input: jsonValueSchema.exactOptional(),
  prompt: z.string().exactOptional(),
  options: z.array(z.object({ id: z.string(), label: z.string().exactOptional() })).readonly().exactOptional(),
});

const operationSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('tool'),
    name: z.string().min(1),
    input: jsonValueSchema,
    tool: toolNameSchema.exactOptional(),
    command: commandProjectionSchema.exactOptional(),
  }),
  z.object({ kind: z.literal('subagent'), name: z.string().min(1), remoteUrl: z.string().exactOptional() }),
]);

const finishedSchema = z.discriminatedUnion('kind', [
  z.object({
    type: z.literal('operation.finished'),
    operationId: z.string().min(1),
    kind: z.literal('tool'),
    output: jsonValueSchema.exactOptional(),
    status: z.enum(['completed', 'failed', 'rejected']),
    exitCode: z.number().int().exactOptional(),
    ...facts,
  }),
  z.object({
    type: z.literal('operation.finished'),
    operationId: z.string().min(1),
    kind: z.literal('subagent'),
    output: jsonValueSchema.exactOptional(),
    status: z.enum(['completed', 'failed']),
    ...facts,
  }),
]);

export const streamEventSchema: z.ZodType<StreamEvent> = z.discriminatedUnion('type', [
  z.discriminatedUnion('role', [
    z.object({ type: z.literal('message'), role: z.literal('assistant'), text: z.string(), loc: locSchema.exactOptional(), ...facts }),
    z.object({
      type: z.literal('message'),
      role: z.literal('user'),
      text: z.string(),
      loc: locSchema.exactOptional(),
      sourceOrder: z.number().exactOptional(),
      ...facts,
    }),
  ]),
  z.object({ type: z.literal('operation.started'), operationId: z.string().min(1), operation: operationSchema, ...facts }),
  finishedSchema,
  z.object({ type: z.literal('skill.loaded'), skill: z.string().min(1), operationId: z.string().exactOptional(), ...facts }),
  z.object({ type: z.literal('input.requested'), request: inputRequestSchema, ...facts }),
  z.object({ type: z.literal('thinking'), text: z.string(), ...facts }),
  z.object({ type: z.literal('context.injected'), text: z.string(), source: z.string().exactOptional(), ...facts }),
  z.object({
    type: z.literal('compaction'),
    reason: z.string().exactOptional(),
    tokensBefore: z.number().exactOptional(),
    tokensAfter: z.number().exactOptional(),
    ...facts,
  }),
  z.object({ type: z.literal('error'), message: z.string(), recovered: z.boolean().exactOptional(), ...facts }),
]);
