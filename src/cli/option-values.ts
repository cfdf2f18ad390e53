import { InvalidArgumentError } from 'commander';

/** One more value of an option that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** @throws InvalidArgumentError */
export function wholeNumber(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return number;
}

/** @throws InvalidArgumentError */
export function countFrom0(value: string): number {
  const number = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number)) throw new InvalidArgumentError('It must be a whole number of at least 0.');
  return number;
}

/** @throws InvalidArgumentError */
export function openShare(value: string): number {
  const number = Number(value);
  if (!/^0?\.\d+$/.test(value) || !(number > 0 && number < 1)) throw new InvalidArgumentError('It must be a number between 0 and 1, for instance 0.95.');
  return number;
}
