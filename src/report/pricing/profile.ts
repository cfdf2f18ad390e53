import { z } from 'zod';
import { ReportInputError } from '../errors.js';
import { decimalOf, type Decimal } from './decimal.js';

/** US dollars for a million tokens of each bucket: a number, or a decimal in writing. A bucket left out has no price. */
export interface ProfilePrice {
  readonly inputPerMTok: number | string;
  readonly outputPerMTok: number | string;
  readonly cacheReadPerMTok?: number | string;
  readonly cacheWritePerMTok?: number | string;
}

/** What a profile charges for one model. */
export interface ModelRates {
  readonly inputTokens: Decimal;
  readonly outputTokens: Decimal;
  /** Absent, as the last: this bucket has no price. */
  readonly cacheReadTokens?: Decimal;
  readonly cacheCreationTokens?: Decimal;
  /** What the bill may have besides, one sentence each. */
  readonly notes: readonly string[];
}

/** Prices that the cost in a report is worked out by, named in that report. */
export interface PricingProfile {
  readonly name: string;
  /** By the model's id, letter by letter: no beginnings, no dates left out. `at`: the day of use. `undefined`: no price. */
  ratesOf(model: string, at: Date): ModelRates | undefined;
}

/** What {@link definePricingProfile} takes, and what a file for `--pricing` holds. */
export interface PricingProfileInput {
  readonly name: string;
  /** By the exact id of a model. */
  readonly prices: Readonly<Record<string, ProfilePrice>>;
}

const price = z.union([z.number(), z.string()]).refine((value) => decimalOf(value) !== undefined, 'must be a decimal number of at least 0');
const profileSchema = z.strictObject({
  name: z.string().min(1),
  prices: z.record(z.string(), z.strictObject({ inputPerMTok: price, outputPerMTok: price, cacheReadPerMTok: price.exactOptional(), cacheWritePerMTok: price.exactOptional() })),
});

/**
 * Makes a profile of a table of prices.
 *
 * @throws ReportInputError with every part that is no name or no price.
 */
export function definePricingProfile(input: PricingProfileInput): PricingProfile {
  const read = profileSchema.safeParse(input);
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => `${path.length === 0 ? 'the profile' : path.map(String).join('.')}: ${message}`);
    throw new ReportInputError(`This is no pricing profile: ${problems.join('; ')}. It looks like {"name": "mine", "prices": {"some-model": {"inputPerMTok": 3, "outputPerMTok": 15}}}.`);
  }
  const rates = new Map(Object.entries(input.prices).map(([model, one]) => [model, ratesFrom(one)]));
  return Object.freeze({ name: input.name, ratesOf: (model: string) => rates.get(model) });
}

/** Prices that were checked, as rates. */
export function ratesFrom(prices: ProfilePrice, notes: readonly string[] = []): ModelRates {
  const { inputPerMTok, outputPerMTok, cacheReadPerMTok, cacheWritePerMTok } = prices;
  return {
    inputTokens: decimal(inputPerMTok),
    outputTokens: decimal(outputPerMTok),
    ...(cacheReadPerMTok === undefined ? {} : { cacheReadTokens: decimal(cacheReadPerMTok) }),
    ...(cacheWritePerMTok === undefined ? {} : { cacheCreationTokens: decimal(cacheWritePerMTok) }),
    notes,
  };
}

function decimal(value: number | string): Decimal {
  const found = decimalOf(value);
  if (found === undefined) throw new ReportInputError(`"${value}" is no price. A price is a decimal number of at least 0.`);
  return found;
}
