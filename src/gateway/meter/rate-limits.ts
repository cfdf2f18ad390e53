/** Headers by their names in small letters, as Node gives them. Of a header that came more than once the first counts. */
export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a vendor's headers say of one of its limits. What they do not say, or not in a way that can be, is absent. */
export interface RateLimit {
  /**
   * What is limited, in the vendor's word: `requests`, `tokens`, `input-tokens`, `output-tokens`. `unified` and `unified-<window>` are the
   * windows of an Anthropic subscription; their limit is 1, the whole of the window.
   */
  readonly unit: string;
  readonly limit?: number;
  readonly remaining?: number;
  /** When the whole limit is there again. ISO 8601. */
  readonly resetsAt?: string;
}

/** What the headers of an answer say of limits. */
export interface RateLimits {
  readonly limits: readonly RateLimit[];
  /** Milliseconds from now before which there is no use in asking again. Absent: nothing was said. */
  readonly retryAfterMs?: number;
}

const UNITS = ['requests', 'tokens', 'input-tokens', 'output-tokens'] as const;
const UNIFIED = /^anthropic-ratelimit-(unified(?:-[a-z0-9_]{1,20})?)-(?:reset|utilization)$/;
const MOST_WINDOWS = 16;
const YEAR_MS = 366 * 86_400_000;

/**
 * Reads the limit headers of Anthropic and OpenAI, and `retry-after`.
 *
 * @param now Unix milliseconds; what durations count from. Default: the present.
 */
export function rateLimitsOf(headers: AnswerHeaders, now = Date.now()): RateLimits {
  const textOf = (name: string): string | undefined => {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    return typeof value === 'string' ? value.trim() : value?.[0]?.trim();
  };
  const limits = [
    ...UNITS.map((unit) => limitOf(unit, {
      limit: countOf(textOf(`anthropic-ratelimit-${unit}-limit`)),
      remaining: countOf(textOf(`anthropic-ratelimit-${unit}-remaining`)),
      resetsAt: momentOf(dateOf(textOf(`anthropic-ratelimit-${unit}-reset`)), now),
    })),
    ...UNITS.slice(0, 2).map((unit) => limitOf(unit, {
      limit: countOf(textOf(`x-ratelimit-limit-${unit}`)),
      remaining: countOf(textOf(`x-ratelimit-remaining-${unit}`)),
      resetsAt: momentOf(later(now, durationOf(textOf(`x-ratelimit-reset-${unit}`))), now),
    })),
    ...windowsOf(headers).map((unit) => {
      const utilization = numberOf(textOf(`anthropic-ratelimit-${unit}-utilization`));
      return limitOf(unit, {
        ...(utilization !== undefined && { limit: 1, remaining: Math.max(0, 1 - utilization) }),
        resetsAt: momentOf(secondsOf(textOf(`anthropic-ratelimit-${unit}-reset`)), now),
      });
    }),
  ].filter((limit) => limit !== undefined);
  const retryAfterMs = retryAfterOf(textOf('retry-after-ms'), textOf('retry-after'), now);
  return { limits, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

type Found = { readonly [key in keyof Omit<RateLimit, 'unit'>]?: RateLimit[key] | undefined };

function limitOf(unit: string, { limit, remaining, resetsAt }: Found): RateLimit | undefined {
  if (limit === undefined && remaining === undefined && resetsAt === undefined) return undefined;
  return { unit, ...(limit !== undefined && { limit }), ...(remaining !== undefined && { remaining }), ...(resetsAt !== undefined && { resetsAt }) };
}

function windowsOf(headers: AnswerHeaders): readonly string[] {
  const units = Object.keys(headers).flatMap((name) => UNIFIED.exec(name)?.[1] ?? []);
  return [...new Set(units)].slice(0, MOST_WINDOWS);
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}(?:\.\d{1,30})?(?:e-\d{1,3})?$/i.test(text) ? Number(text) : undefined;
}

/** Unix seconds to milliseconds. */
function secondsOf(text: string | undefined): number | undefined {
  const seconds = countOf(text);
  return seconds === undefined ? undefined : seconds * 1000;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;

function dateOf(text: string | undefined): number | undefined {
  return text !== undefined && RFC_3339.test(text) ? Date.parse(text) : undefined;
}

const NUMBER = String.raw`(\d{1,9}(?:\.\d{1,9})?)`;
const DURATION = new RegExp(`^(?:${NUMBER}d)?(?:${NUMBER}h)?(?:${NUMBER}m)?(?:${NUMBER}s)?(?:${NUMBER}ms)?$`);
const PART_MS = [86_400_000, 3_600_000, 60_000, 1000, 1];

/** `6m0s` or `120ms`, as OpenAI writes durations; a bare number is seconds, as Azure writes them. */
function durationOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const parts = DURATION.exec(/^\d+(?:\.\d+)?$/.test(text) ? `${text}s` : text)?.slice(1);
  return parts?.reduce((sum, part, index) => sum + Number(part ?? 0) * (PART_MS[index] ?? 0), 0);
}

function later(now: number, durationMs: number | undefined): number | undefined {
  return durationMs === undefined ? undefined : now + durationMs;
}

/** A moment that a limit may have: within a year of now. */
function momentOf(time: number | undefined, now: number): string | undefined {
  return time !== undefined && Math.abs(time - now) <= YEAR_MS ? new Date(time).toISOString() : undefined;
}

const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

function retryAfterOf(ms: string | undefined, after: string | undefined, now: number): number | undefined {
  const seconds = numberOf(after);
  const date = after !== undefined && HTTP_DATE.test(after) ? Date.parse(after) - now : undefined;
  const waits = [numberOf(ms), seconds === undefined ? undefined : seconds * 1000, date];
  const wait = waits.find((value) => value !== undefined && value <= YEAR_MS);
  return wait === undefined ? undefined : Math.max(0, wait);
}
