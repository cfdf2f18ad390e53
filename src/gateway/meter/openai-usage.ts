import { isJsonObject, type JsonValue } from '../../evidence/json.js';
import type { Usage } from '../../evidence/usage.js';
import { countOf, objectOf } from './said.js';

/** What the two APIs of OpenAI call the same things. */
export interface UsageNames {
  readonly input: string;
  readonly inputDetails: string;
  readonly output: string;
  readonly outputDetails: string;
}

/**
 * The usage of an OpenAI answer as buckets that exclude each other: the service counts cached and written tokens into the input, and
 * reasoning into the output. `undefined`: it says nothing.
 */
export function openaiUsageOf(value: JsonValue | undefined, names: UsageNames): Usage | undefined {
  if (!isJsonObject(value)) return undefined;
  const input = countOf(value[names.input]);
  const output = countOf(value[names.output]);
  if (input === undefined && output === undefined) return undefined;
  const { cached_tokens, cache_write_tokens } = objectOf(value[names.inputDetails]);
  const cached = countOf(cached_tokens);
  const written = countOf(cache_write_tokens);
  const reasoning = countOf(objectOf(value[names.outputDetails]).reasoning_tokens);
  return {
    ...(input !== undefined && { inputTokens: Math.max(0, input - (cached ?? 0) - (written ?? 0)) }),
    ...(output !== undefined && { outputTokens: output }),
    ...(cached !== undefined && { cacheReadTokens: cached }),
    ...(written !== undefined && { cacheCreationTokens: written }),
    // Some who copy the API count reasoning beside the output. As a part of it, it cannot be more.
    ...(reasoning !== undefined && reasoning <= (output ?? 0) && { reasoningTokens: reasoning }),
  };
}
