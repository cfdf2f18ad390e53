import type { HandleSet, PassHandles } from '../assert/handle.js';
import type { JudgeMaterial } from '../judge/material.js';

/** How a free rubric is answered. */
export interface RubricOptions {
  /** The answers that the judge may give and what each is worth, 0 to 1. Default: five steps. */
  readonly choices?: { readonly [choice: string]: number };
}

/** Questions with fixed answers. Each makes one measurement, from 0 to 1. */
interface Recipes<H extends HandleSet, M extends readonly unknown[]> {
  /** A question about the output that is answered with yes (1) or no (0). */
  closedQA(question: string, ...material: M): H['measurement'];
  /** How the output agrees with what an expert would say: all the same 1, a superset 0.6, a subset 0.4, a contradiction 0. */
  factuality(expected: string, ...material: M): H['measurement'];
  /** How well the output summarises the source. */
  summarizes(source: string, ...material: M): H['measurement'];
}

/** A model that answers questions about a text. Without a key or an answer its measurements are unavailable. */
export interface RootJudge<H extends HandleSet = PassHandles> {
  readonly autoevals: Recipes<H, readonly [material: JudgeMaterial]>;
  /** Free criteria: what is good, in words. */
  rubric(criteria: string, material: JudgeMaterial, options?: RubricOptions): H['measurement'];
}

/** The same about one turn: its input is what was sent, its output the last message of the agent. */
export interface BoundJudge<H extends HandleSet = PassHandles> {
  readonly autoevals: Recipes<H, readonly []>;
  rubric(criteria: string, options?: RubricOptions): H['measurement'];
}
