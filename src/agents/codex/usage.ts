import type { Usage } from '../../evidence/usage.js';
import { countOf, type Fields } from '../fields.js';

/** Token counts as Codex reports them: cached and written tokens are part of the input, reasoning is part of the output. */
export interface CodexTokens {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

/** Undefined when the counts that every version reports are missing. */
export function parseTokens(fields: Fields | undefined): CodexTokens | undefined {
  const input = countOf(fields?.['input_tokens'] ?? fields?.['inputTokens']);
  const output = countOf(fields?.['output_tokens'] ?? fields?.['outputTokens']);
  if (fields === undefined || input === undefined || output === undefined) return undefined;
  const cached = countOf(fields['cached_input_tokens'] ?? fields['cachedInputTokens']);
  const cacheWrite = countOf(fields['cache_write_input_tokens'] ?? fields['cacheWriteInputTokens']);
  const reasoning = countOf(fields['reasoning_output_tokens'] ?? fields['reasoningOutputTokens']);
  return {
    input,
    output,
    ...(cached === undefined ? {} : { cached }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

/** What was used between two totals of one thread. Never below zero: Codex does no arithmetic on what the service says. */
export function tokensBetween(before: CodexTokens | undefined, after: CodexTokens): CodexTokens {
  if (before === undefined) return after;
  const minus = (a: number, b: number | undefined): number => Math.max(0, a - (b ?? 0));
  return {
    input: minus(after.input, before.input),
    output: minus(after.output, before.output),
    ...(after.cached === undefined ? {} : { cached: minus(after.cached, before.cached) }),
    ...(after.cacheWrite === undefined ? {} : { cacheWrite: minus(after.cacheWrite, before.cacheWrite) }),
    ...(after.reasoning === undefined ? {} : { reasoning: minus(after.reasoning, before.reasoning) }),
  };
}

/** The sum of two counts. What one of them does not report is what the other says. */
export function tokensTogether(a: CodexTokens, b: CodexTokens): CodexTokens {
  const plus = (x: number | undefined, y: number | undefined): number | undefined => (x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0));
  const cached = plus(a.cached, b.cached);
  const cacheWrite = plus(a.cacheWrite, b.cacheWrite);
  const reasoning = plus(a.reasoning, b.reasoning);
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    ...(cached === undefined ? {} : { cached }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
    ...(reasoning === undefined ? {} : { reasoning }),
  };
}

/** The exclusive buckets of the standard. A count that was not reported stays absent. */
export function usageOfTokens(tokens: CodexTokens): Usage {
  return {
    inputTokens: Math.max(0, tokens.input - (tokens.cached ?? 0) - (tokens.cacheWrite ?? 0)),
    outputTokens: tokens.output,
    ...(tokens.cached === undefined ? {} : { cacheReadTokens: tokens.cached }),
    ...(tokens.cacheWrite === undefined ? {} : { cacheCreationTokens: tokens.cacheWrite }),
    ...(tokens.reasoning === undefined ? {} : { reasoningTokens: tokens.reasoning }),
  };
}

export function isZero(tokens: CodexTokens): boolean {
  return tokens.input === 0 && tokens.output === 0;
}
