import { isJsonObject } from '../evidence/json.js';
import { show } from '../expect/match.js';
import { DefinitionError } from './errors.js';

/** What may be spent. What is absent has no limit. */
export interface Limits {
  /** US dollars, by the price list: an estimate, not the bill. */
  readonly usd?: number;
  /** Input and output; what comes from a cache is not counted. */
  readonly tokens?: number;
  /** Requests to the model, as far as somebody counts them. */
  readonly requests?: number;
  /** Milliseconds from the start of the first Attempt on. Of one Attempt `timeoutMs` is the limit. */
  readonly wallMs?: number;
}

const FIELDS = ['usd', 'tokens', 'requests', 'wallMs'] as const satisfies readonly (keyof Limits)[];

/** A number stands for US dollars. */
export function limitsOf(budget: number | Limits): Limits {
  return typeof budget === 'number' ? { usd: budget } : budget;
}

/** @throws DefinitionError unless the value is absent, a number of dollars, or limits above 0. */
export function checkLimits(factory: string, field: string, value: unknown, options: { readonly takesWall: boolean }): void {
  if (value === undefined) return;
  const fields = FIELDS.filter((name) => options.takesWall || name !== 'wallMs');
  const wanted = `${factory}: \`${field}\` must be a number of US dollars above 0, or an object with some of ${fields.join(', ')}`;
  if (typeof value === 'number' && isLimit(value)) return;
  if (!isJsonObject(value)) throw new DefinitionError(`${wanted}, not ${show(value)}.`);
  for (const [name, limit] of Object.entries(value)) {
    if (!(fields as readonly string[]).includes(name)) throw new DefinitionError(`${wanted}; it does not know "${name}".`);
    if (limit !== undefined && !isLimit(limit)) throw new DefinitionError(`${factory}: \`${field}.${name}\` must be a number above 0, not ${show(limit)}.`);
  }
}

function isLimit(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
