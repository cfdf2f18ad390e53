import type { CassetteExchange } from './cassette.js';
import { differenceOf, targetOf, type PartText } from './difference.js';
import { nearestTo } from './nearest.js';
import type { RequestOutline } from './outline.js';
import { renamesOf } from './renames.js';
import type { Replacement } from './replace.js';
import { cut, shown } from './excerpt.js';

/** What a request gets. */
export type Taken =
  | {
      readonly kind: 'found';
      readonly exchange: CassetteExchange;
      /** Ids by chance of the recorded run and what stands in their place in this one: put them into the answer. Mostly empty. */
      readonly renames: readonly Replacement[];
    }
  | {
      readonly kind: 'missing';
      /** For a person: at most 20 lines, nothing in it controls a terminal. */
      readonly message: string;
      /** Absent when everything that was recorded has been asked for. */
      readonly nearest?: CassetteExchange;
    };

/** Plays what was recorded. */
export interface Replay {
  /**
   * Takes the answer of a request: the earliest one that was not taken yet among those of the same content. A request that was recorded n times
   * is answered n times; probes and counts of tokens as often as they are asked.
   *
   * @param text Whole texts of the request's parts, for the message when it is missing.
   */
  take(outline: RequestOutline, text?: PartText): Taken;
  /** What was recorded and never taken, in its order. */
  unused(): readonly CassetteExchange[];
}

/** How a replay tells what is missing. */
export interface ReplayOptions {
  /** The whole texts of the parts of a recorded request; without them, and those of the request, a message has excerpts only. */
  readonly textOf?: (exchange: CassetteExchange) => PartText | undefined;
}

/** Opens a replay of recorded exchanges, which are in the order in which their requests came. Nothing is played yet. */
export function createReplay(cassette: { readonly exchanges: readonly CassetteExchange[] }, { textOf }: ReplayOptions = {}): Replay {
  const { exchanges } = cassette;
  const alike = new Map<string, CassetteExchange[]>();
  for (const exchange of exchanges) {
    const same = alike.get(exchange.outline.sha256);
    if (same === undefined) alike.set(exchange.outline.sha256, [exchange]);
    else same.push(exchange);
  }
  const takenOf = new Map<string, number>();
  const used = new Set<CassetteExchange>();

  const found = (exchange: CassetteExchange, outline: RequestOutline): Taken => {
    used.add(exchange);
    return { kind: 'found', exchange, renames: renamesOf(exchange.outline, outline) };
  };
  const missing = (outline: RequestOutline, same: number, text: PartText | undefined): Taken => {
    const nearest = nearestTo(outline, exchanges.filter((exchange) => !used.has(exchange)));
    const head = `No recorded answer for ${requestOf(outline)}. ${standOf(exchanges.length, exchanges.length - used.size)}`;
    const repeated = same === 0 ? [] : [`This very request was recorded ${same === 1 ? 'once' : `${same} times`}, and was answered as often: it is asked once more than when it was recorded.`];
    if (nearest === undefined) return { kind: 'missing', message: [head, ...repeated, REMEDY].join('\n') };
    const { exchange, equalParts } = nearest;
    const recorded = textOf?.(exchange);
    const texts = { ...(recorded === undefined ? {} : { recorded }), ...(text === undefined ? {} : { now: text }) };
    const like = `Nearest is the recorded request ${exchange.ordinal}; ${equalParts} of ${outline.parts.length} parts are the same:`;
    return { kind: 'missing', message: [head, ...repeated, like, ...differenceOf(exchange.outline, outline, texts), REMEDY].join('\n'), nearest: exchange };
  };

  return {
    take(outline, text) {
      const same = alike.get(outline.sha256) ?? [];
      const taken = takenOf.get(outline.sha256) ?? 0;
      const next = same[taken] ?? (isRepeatable(outline) ? same.at(-1) : undefined);
      if (next === undefined) return missing(outline, same.length, text);
      takenOf.set(outline.sha256, taken + 1);
      return found(next, outline);
    },
    unused: () => exchanges.filter((exchange) => !used.has(exchange)),
  };
}

const REMEDY = 'Record again (`--record DIR`), let it be forwarded (`--replay-or-forward DIR`), or name what varies in `volatile`.';

function requestOf(outline: RequestOutline): string {
  const model = outline.model === undefined ? '' : `model "${cut(shown(outline.model), 100)}", `;
  return `${targetOf(outline)} (${model}${outline.parts.length} parts)`;
}

function standOf(recorded: number, unused: number): string {
  return recorded === 0 ? 'Nothing was recorded.' : `Of ${recorded} recorded requests ${unused} ${unused === 1 ? 'has' : 'have'} not been asked for yet.`;
}

/** What asks for no work of a model may be asked more often than when it was recorded. */
function isRepeatable({ method, path }: RequestOutline): boolean {
  return method === 'HEAD' || method === 'GET' || path.endsWith('/count_tokens') || path.endsWith(':countTokens') || path.endsWith('/input_tokens');
}
