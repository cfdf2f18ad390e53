import { readFile } from 'node:fs/promises';
import { messageOf } from '../lifetime/error.js';
import { ReportInputError } from '../report/errors.js';
import { builtInPricingProfile } from '../report/pricing/built-in.js';
import { definePricingProfile, type PricingProfile, type PricingProfileInput } from '../report/pricing/profile.js';

/**
 * The profile in a file, or the built-in one.
 *
 * @throws ReportInputError when the file cannot be read or holds no profile.
 */
export async function profileFrom(file: string | undefined): Promise<PricingProfile> {
  if (file === undefined) return builtInPricingProfile;
  try {
    return definePricingProfile(JSON.parse(await readFile(file, 'utf8')) as PricingProfileInput);
  } catch (error) {
    throw new ReportInputError(`--pricing ${file}: ${messageOf(error)}`, { cause: error });
  }
}
