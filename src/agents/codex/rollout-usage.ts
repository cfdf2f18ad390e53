import { addUsage, type Usage } from '../../evidence/usage.js';
import { fieldsOf, nameOf } from '../fields.js';
import type { RolloutThread } from './rollout.js';
import type { ProcessLines } from './turns.js';
import { isZero, parseTokens, tokensBetween, tokensTogether, usageOfTokens, type CodexTokens } from './usage.js';

export interface RolloutUsage {
  readonly usage?: Usage;
  /** Tokens of the root thread alone, for comparing with what stdout printed. */
  readonly root: CodexTokens;
}

/**
 * Sums what the responses of a process used, subagents and the CLI's own reviewer included. Newer versions record each
 * response once; older ones repeat a running total, of which only the growth counts.
 */
export function usageOfRollouts(process: ProcessLines, root: RolloutThread): RolloutUsage {
  const models = new Map<string | undefined, CodexTokens>();
  let rootTokens: CodexTokens = { input: 0, output: 0 };
  for (const { thread, lines } of process.threads) {
    const chosen = lines.length === thread.lines.length ? undefined : new Set(lines);
    const recorded = thread.lines.some(({ type }) => type === 'token_usage_record');
    let model: string | undefined;
    let total: CodexTokens | undefined;
    for (const line of thread.lines) {
      if (line.type === 'turn_context') model = nameOf(line.payload['model']) ?? model;
      let tokens: CodexTokens | undefined;
      if (recorded && line.type === 'token_usage_record') {
        tokens = parseTokens(fieldsOf(line.payload['usage']));
      } else if (!recorded && line.kind === 'token_count') {
        const next = parseTokens(fieldsOf(fieldsOf(line.payload['info'])?.['total_token_usage']) ?? line.payload);
        // A total that fell belongs to a new count.
        tokens = next === undefined ? undefined : tokensBetween(total !== undefined && next.input >= total.input ? total : undefined, next);
        total = next ?? total;
      }
      if (tokens === undefined || chosen?.has(line) === false || (!recorded && isZero(tokens))) continue;
      const sum = models.get(model);
      models.set(model, sum === undefined ? tokens : tokensTogether(sum, tokens));
      if (thread === root) rootTokens = tokensTogether(rootTokens, tokens);
    }
  }
  if (models.size === 0) return { root: rootTokens };
  return {
    root: rootTokens,
    usage: addUsage([...models].map(([model, tokens]) => {
      const usage = usageOfTokens(tokens);
      return model === undefined ? usage : { ...usage, models: { [model]: usage } };
    })),
  };
}
