import { calcPrice, findProvider, type MatchLogic, type ModelPrice as ListedPrices } from '@pydantic/genai-prices';
import type { ModelPrice, Pricing } from '../evidence/cost.js';

/** A price, and what it leaves open. */
export interface FoundPrice {
  readonly price: ModelPrice;
  /** Above this many input tokens of one request, the vendor charges more than `price`. */
  readonly tierFrom?: number;
  /** What cache writes cost that live for an hour. `undefined`: they have no price of their own. */
  readonly longCacheWritePerMTok?: number;
  /** The dearest rate of each bucket. */
  readonly dearest: ModelPrice;
}

/**
 * Looks a model up, in this order: the table by its exact id, the table by `provider/*`, the built-in list by its exact
 * id; then the same for the bare name after the last `/`, and for that without its date. A model that merely resembles a
 * known one has no price.
 *
 * @param at The day whose list prices count.
 */
export function priceOf(model: string, pricing: Pricing, at: Date): FoundPrice | undefined {
  const bare = model.slice(model.lastIndexOf('/') + 1);
  const dateless = bare.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  for (const name of new Set([model, bare, dateless])) {
    const own = ownPrice(pricing, name) ?? (name === model ? wildcardPrice(pricing, model) : undefined);
    if (own !== undefined) return { price: own, dearest: own };
    const listed = listedPrice(name, at);
    if (listed !== undefined) return listed;
  }
  return undefined;
}

/** The provider that the id names, or else the one that the built-in list knows the name by. */
function wildcardPrice(pricing: Pricing, model: string): ModelPrice | undefined {
  const parts = model.split('/').slice(0, -1);
  const provider = parts.length > 0 ? undefined : findProvider({ modelId: model })?.id;
  const prefixes = provider === undefined ? parts.map((_part, index) => parts.slice(0, parts.length - index).join('/')) : [provider];
  return prefixes.map((prefix) => ownPrice(pricing, `${prefix}/*`)).find((price) => price !== undefined);
}

function ownPrice(pricing: Pricing, key: string): ModelPrice | undefined {
  return Object.hasOwn(pricing, key) ? pricing[key] : undefined;
}

function listedPrice(name: string, at: Date): FoundPrice | undefined {
  const found = calcPrice({}, name, { timestamp: at });
  if (found === null || !(found.model.id === name || names(found.model.match, name))) return undefined;
  const { input_mtok: input, output_mtok: output, cache_read_mtok: read, cache_write_mtok: write } = found.model_price;
  if (input === undefined || output === undefined) return undefined;
  const longWrite = found.model_price['cache_write_1h_mtok'];
  const tiers = [input, output, read, write].flatMap((value) => (typeof value === 'object' ? value.tiers.map(({ start }) => start) : []));
  return {
    price: {
      inputPerMTok: baseOf(input),
      outputPerMTok: baseOf(output),
      ...(read === undefined ? {} : { cacheReadPerMTok: baseOf(read) }),
      ...(write === undefined ? {} : { cacheWritePerMTok: baseOf(write) }),
    },
    ...(tiers.length === 0 ? {} : { tierFrom: Math.min(...tiers) }),
    ...(longWrite === undefined ? {} : { longCacheWritePerMTok: baseOf(longWrite) }),
    dearest: {
      inputPerMTok: dearestOf(input),
      outputPerMTok: dearestOf(output),
      ...(read === undefined ? {} : { cacheReadPerMTok: dearestOf(read) }),
      ...(write === undefined ? {} : { cacheWritePerMTok: Math.max(dearestOf(write), longWrite === undefined ? 0 : dearestOf(longWrite)) }),
    },
  };
}

/** The list also knows models by the beginning of their names; a new model may begin like an old one and cost more. */
function names(match: MatchLogic, name: string): boolean {
  if ('or' in match) return match.or.some((one) => names(one, name));
  if ('equals' in match) return match.equals === name;
  if ('starts_with' in match) return match.starts_with === name;
  return 'regex' in match && new RegExp(match.regex).test(name);
}

function dearestOf(value: NonNullable<ListedPrices[string]>): number {
  return typeof value === 'number' ? value : Math.max(value.base, ...value.tiers.map(({ price }) => price));
}

function baseOf(value: NonNullable<ListedPrices[string]>): number {
  return typeof value === 'number' ? value : value.base;
}
