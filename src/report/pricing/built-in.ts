import { calcPrice, type MatchLogic, type ModelPrice } from '@pydantic/genai-prices';
import { ratesFrom, type ModelRates, type PricingProfile } from './profile.js';

/**
 * The vendors' list prices as the package `@pydantic/genai-prices` has them, of the day of use: rates without surcharges. A model that
 * is not listed by exactly this id has none.
 */
export const builtInPricingProfile: PricingProfile = Object.freeze({ name: 'list prices', ratesOf: listedRates });

function listedRates(model: string, at: Date): ModelRates | undefined {
  const found = calcPrice({}, model, { timestamp: at });
  if (found === null || !(found.model.id === model || isNamed(found.model.match, model))) return undefined;
  const { input_mtok: input, output_mtok: output, cache_read_mtok: read, cache_write_mtok: write } = found.model_price;
  if (input === undefined || output === undefined) return undefined;
  const starts = [input, output, read, write].flatMap((value) => (typeof value === 'object' ? value.tiers.map(({ start }) => start) : []));
  return ratesFrom({
    inputPerMTok: baseOf(input),
    outputPerMTok: baseOf(output),
    ...(read === undefined ? {} : { cacheReadPerMTok: baseOf(read) }),
    ...(write === undefined ? {} : { cacheWritePerMTok: baseOf(write) }),
  }, [
    ...(starts.length === 0 ? [] : [`${model}: requests of more than ${Math.min(...starts)} input tokens cost more than the rate used here`]),
    ...(found.model_price['cache_write_1h_mtok'] === undefined ? [] : [`${model}: cache writes have the rate of five minutes; those of an hour cost more`]),
  ]);
}

/** Only what the list spells out in full; it also knows models by how their names begin. */
function isNamed(match: MatchLogic, model: string): boolean {
  return 'or' in match ? match.or.some((one) => isNamed(one, model)) : 'equals' in match && match.equals === model;
}

function baseOf(value: NonNullable<ModelPrice[string]>): number {
  return typeof value === 'number' ? value : value.base;
}
