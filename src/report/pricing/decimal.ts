/** An exact decimal number of at least 0: `units` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const ZERO: Decimal = { units: 0n, scale: 0 };

const WRITTEN = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/** The decimal that is written: of a number, its shortest text, so that 0.1 is a tenth. `undefined`: it is none, or less than 0. */
export function decimalOf(value: number | string): Decimal | undefined {
  const [, whole, fraction = '', exponent = '0'] = WRITTEN.exec(String(value)) ?? [];
  if (whole === undefined) return undefined;
  const scale = fraction.length - Number(exponent);
  const units = BigInt(whole + fraction);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

export function plus(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

/** `tokens` at a price for a million of them. */
export function priceFor(tokens: number, perMillion: Decimal): Decimal {
  return { units: perMillion.units * BigInt(tokens), scale: perMillion.scale + 6 };
}

/** All its digits and no more, without an exponent. */
export function textOf({ units, scale }: Decimal): string {
  const digits = String(units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function unitsAt({ units, scale }: Decimal, wanted: number): bigint {
  return units * 10n ** BigInt(wanted - scale);
}
