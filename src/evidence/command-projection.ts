import { z } from 'zod';

/** The version of the rules that turn an original invocation into a logical one. */
export const LOGICAL_COMMAND_NORMALIZER = 'logical-command/v1';

/** Why the words of an invocation are not known. */
export type OriginalOpaqueReason = 'redacted' | 'truncated' | 'compound-shell' | 'dynamic-shell' | 'unsupported-protocol';

/** Why a known invocation has no single logical command. */
export type LogicalOpaqueReason =
  | 'original-opaque'
  | 'multiple-executions'
  | 'unsupported-wrapper-form'
  | 'ambiguous-wrapper-target';

/** The invocation as the protocol states it. `args` excludes the executable. */
export type OriginalCommand =
  | { readonly state: 'available'; readonly executable: string; readonly args: readonly string[] }
  | { readonly state: 'opaque'; readonly reason: OriginalOpaqueReason };

/** The invocation behind a transparent wrapper (`pnpm exec X`, `pnpm --silent exec X`, `npx X`). */
export type LogicalCommand =
  | {
      readonly state: 'available';
      readonly normalizer: typeof LOGICAL_COMMAND_NORMALIZER;
      readonly normalization: 'identity' | 'pnpm-exec' | 'npx';
      readonly executable: string;
      readonly args: readonly string[];
    }
  | {
      readonly state: 'opaque';
      readonly normalizer: typeof LOGICAL_COMMAND_NORMALIZER;
      readonly reason: LogicalOpaqueReason;
    };

/** Shell text that the agent asked to run, kept exactly as the protocol carried it. */
export interface ShellSource {
  /** The whole source, not trimmed. */
  readonly source: string;
  /** The shell that reads it, as the protocol names it, for instance `/bin/bash`. */
  readonly shell?: string;
  /** True when the source is known to be cut. */
  readonly truncated?: boolean;
}

/** The adapter's classification of one tool call as a command or not. */
export type CommandProjection =
  | { readonly classification: 'not-command' }
  | {
      readonly classification: 'command';
      readonly original: OriginalCommand;
      readonly logical: LogicalCommand;
      /** Present when the call ran shell text; `commandMatch` never looks at it, `shellMatch` does. */
      readonly shell?: ShellSource;
    };

const wordsShape = { executable: z.string().min(1), args: z.array(z.string()).readonly() };

const originalCommandSchema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('available'), ...wordsShape }),
  z.object({
    state: z.literal('opaque'),
    reason: z.enum(['redacted', 'truncated', 'compound-shell', 'dynamic-shell', 'unsupported-protocol']),
  }),
]);

const logicalCommandSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('available'),
    normalizer: z.literal(LOGICAL_COMMAND_NORMALIZER),
    normalization: z.enum(['identity', 'pnpm-exec', 'npx']),
    ...wordsShape,
  }),
  z.object({
    state: z.literal('opaque'),
    normalizer: z.literal(LOGICAL_COMMAND_NORMALIZER),
    reason: z.enum(['original-opaque', 'multiple-executions', 'unsupported-wrapper-form', 'ambiguous-wrapper-target']),
  }),
]);

export const commandProjectionSchema = z.discriminatedUnion('classification', [
  z.object({ classification: z.literal('not-command') }),
  z.object({
    classification: z.literal('command'),
    original: originalCommandSchema,
    logical: logicalCommandSchema,
    shell: z.object({ source: z.string(), shell: z.string().exactOptional(), truncated: z.boolean().exactOptional() }).exactOptional(),
  }),
]);

/**
 * Classifies a tool call as a command whose words the protocol states.
 *
 * @param original The adapter-confirmed words. Never split shell text to get them.
 * @throws TypeError when `executable` is empty or a word is not a string.
 */
export function commandProjection(original: OriginalCommand): CommandProjection {
  const words = originalCommandSchema.safeParse(original);
  if (!words.success) {
    throw new TypeError(
      'commandProjection needs {state: "available", executable, args} with a non-empty executable and string args, '
        + 'or {state: "opaque", reason}. For shell text use opaqueCommandProjection(reason, {source}).',
    );
  }
  return { classification: 'command', original: words.data, logical: normalizeLogicalCommand(words.data) };
}

/** Classifies a tool call as a command whose words are not known. `shell` keeps the source text beside it. */
export function opaqueCommandProjection(reason: OriginalOpaqueReason, shell?: ShellSource): CommandProjection {
  const original: OriginalCommand = { state: 'opaque', reason };
  return {
    classification: 'command',
    original,
    logical: normalizeLogicalCommand(original),
    ...(shell === undefined ? {} : { shell }),
  };
}

/** Classifies a tool call as certainly not a command. */
export function notCommandProjection(): CommandProjection {
  return { classification: 'not-command' };
}

/**
 * Looks through the transparent wrappers of `logical-command/v1`: `pnpm exec X`, `pnpm --silent exec X` and
 * `npx X` without options. Other pnpm forms and `npx` with options are opaque; every other command is itself.
 */
export function normalizeLogicalCommand(original: OriginalCommand): LogicalCommand {
  if (original.state === 'opaque') return opaque('original-opaque');
  const { executable, args } = original;
  if (executable === 'pnpm') return behindPnpm(args);
  if (executable === 'npx') return behindNpx(args);
  return available('identity', executable, args);
}

function behindPnpm(args: readonly string[]): LogicalCommand {
  if (args.includes('-r') || args.includes('--recursive')) return opaque('multiple-executions');
  const rest = args[0] === '--silent' ? args.slice(1) : args;
  if (rest[0] !== 'exec') return opaque('unsupported-wrapper-form');
  const [target, ...targetArgs] = rest.slice(1);
  if (target === undefined || target === '' || target.startsWith('-')) return opaque('ambiguous-wrapper-target');
  return available('pnpm-exec', target, targetArgs);
}

function behindNpx(args: readonly string[]): LogicalCommand {
  const [target, ...targetArgs] = args;
  if (target === undefined || target === '') return opaque('ambiguous-wrapper-target');
  if (target.startsWith('-')) return opaque('unsupported-wrapper-form');
  return available('npx', target, targetArgs);
}

function available(
  normalization: 'identity' | 'pnpm-exec' | 'npx',
  executable: string,
  args: readonly string[],
): LogicalCommand {
  return { state: 'available', normalizer: LOGICAL_COMMAND_NORMALIZER, normalization, executable, args: [...args] };
}

function opaque(reason: LogicalOpaqueReason): LogicalCommand {
  return { state: 'opaque', normalizer: LOGICAL_COMMAND_NORMALIZER, reason };
}
