import { z } from 'zod';

/** A piece of time in an Attempt, in the terms of OpenTelemetry. Spans are for looking at: no claim rests on them. */
export interface Span {
  /** 32 hexadecimal digits; the same for all spans of an Attempt. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Absent: it is in no other. */
  readonly parentSpanId?: string;
  /** For instance `chat claude-sonnet-4-5`. */
  readonly name: string;
  readonly kind: 'internal' | 'client';
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly status: 'unset' | 'ok' | 'error';
  /** Names of the OpenTelemetry semantic conventions (`gen_ai.*`, `http.*`, `error.type`), and our own below `niceeval.`. */
  readonly attributes: { readonly [name: string]: string | number | boolean | readonly string[] };
}

const hex = (digits: number): z.ZodString => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

/** Accepts a {@link Span}. */
export const spanSchema: z.ZodType<Span> = z.object({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: hex(16).exactOptional(),
  name: z.string(),
  kind: z.enum(['internal', 'client']),
  startedAt: z.string(),
  durationMs: z.number().nonnegative(),
  status: z.enum(['unset', 'ok', 'error']),
  attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).readonly()])),
});
