import { dollars } from '../words.js';
import type { CostSum, ProjectedCost } from './project-cost.js';

/** A cost in a few characters: `>=` before what is only known in part, a dash for what is not. */
export function costText({ state, usd }: Pick<ProjectedCost, 'state' | 'usd'>): string {
  return usd === undefined ? '-' : `${state === 'partial' ? '>=' : ''}${dollars(Number(usd))}`;
}

/** The same of a sum. */
export function costSumText({ usd, partial, unknown }: CostSum): string {
  return usd === undefined ? '-' : `${partial + unknown > 0 ? '>=' : ''}${dollars(Number(usd))}`;
}
