import { createHash } from 'node:crypto';
import { RULES_OF_ALL, RULES_OF_OUTPUTS, RULES_OF_PROMPTS, VOLATILE_FIELDS, type NormalRule } from './rules.js';
import { openVolatile } from './volatile.js';

/** Who wrote a text: a person or the client; a tool; the model. */
export type Author = 'prompt' | 'output' | 'model';

/** Normalises the texts of one request, in their order. */
export interface Normaliser {
  /**
   * The texts after the user's own patterns; the same list when there are none.
   *
   * @throws CassetteError when these take too long for the request as a whole.
   */
  own(texts: readonly string[]): readonly string[];
  /** @param ids Gets the ids that the text names, each as often as it does. */
  text(text: string, author: Author, ids: string[]): string;
}

/**
 * @throws CassetteError when a source of `volatile` cannot be used.
 */
export function createNormaliser(volatile: readonly string[] = []): Normaliser {
  const patterns = openVolatile(volatile);
  const known = new Set<string>();
  let leftMs = patterns.budgetMs;

  return {
    own(texts) {
      const began = performance.now();
      const replaced = patterns.replaced(texts, leftMs);
      leftMs -= performance.now() - began;
      return replaced;
    },
    text(given, author, ids) {
      const text = RULES_OF_ALL.reduce((normal, rule) => applied(rule, normal, ids), given);
      if (author === 'model') return known.size === 0 ? text : text.replace(TOKEN, (token) => (known.has(token) ? '<id>' : token));
      const before = ids.length;
      let normal = text;
      for (const rule of RULES_OF_PROMPTS) normal = applied(rule, normal, ids);
      if (author === 'output') for (const rule of RULES_OF_OUTPUTS) normal = applied(rule, normal, ids);
      for (let index = before; index < ids.length; index += 1) known.add(ids[index] ?? '');
      return normal;
    },
  };
}

// An id that the model repeats stands alone or in a path.
const TOKEN = /[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*/g;

function applied({ pattern, becomes, namesId }: NormalRule, text: string, ids: string[]): string {
  if (namesId === undefined) return text.replace(pattern, becomes);
  return text.replace(pattern, (match: string) => {
    ids.push(match);
    return becomes;
  });
}

/** Names the rules and the user's own patterns: outlines can be compared when they were made by the same ones. */
export function normalisationOf(volatile: readonly string[] = []): string {
  const rules = [...RULES_OF_ALL, ...RULES_OF_PROMPTS, ...RULES_OF_OUTPUTS].map(({ pattern, becomes }) => [pattern.source, pattern.flags, becomes]);
  return createHash('sha256').update(JSON.stringify([OUTLINE_SHAPE, rules, Object.keys(VOLATILE_FIELDS), volatile])).digest('hex').slice(0, 16);
}

/** Goes up when the parts of an outline are cut or written otherwise. */
const OUTLINE_SHAPE = 1;
