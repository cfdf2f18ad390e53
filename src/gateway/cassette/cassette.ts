import { z } from 'zod';
import { PROTOCOLS } from '../protocol.js';
import { isHeaderValue, isKeptHeader } from './headers.js';
import { MOST_PARTS, type OutlinePart, type RequestOutline } from './outline.js';

/** The format of the files of a cassette folder. A change of meaning makes it another one. */
export const CASSETTE_FORMAT = 'niceeval.cassette/v1';

/** The largest body of a cassette, in bytes. */
export const MOST_BODY_BYTES = 64 * 1024 * 1024;

/** Whose requests a cassette holds: one Attempt of one experiment at one eval. */
export interface SessionKey {
  readonly experimentId: string;
  readonly evalId: string;
  /** From 1. */
  readonly attempt: number;
}

/** A request and what was answered. */
export interface CassetteExchange {
  /** Position among the requests as they came, from 1. */
  readonly ordinal: number;
  readonly outline: RequestOutline;
  /** `body` is the hexadecimal SHA-256 of the bytes; `null` when there were none. */
  readonly request: { readonly body: string | null; readonly sizeBytes: number };
  readonly response: {
    readonly status: number;
    /** Names in small letters; only those of the allow-list. */
    readonly headers: { readonly [name: string]: string };
    readonly body: string;
    readonly sizeBytes: number;
    /** `cut`: the connection ended before the answer did. */
    readonly ending: 'whole' | 'cut';
  };
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'is no SHA-256 in hexadecimal');
const size = z.number().int().nonnegative().max(MOST_BODY_BYTES);
const count = z.number().int().nonnegative();

const partSchema: z.ZodType<OutlinePart> = z.strictObject({
  where: z.string().max(400),
  sha256,
  excerpt: z.string().max(400),
  ids: z.array(z.string().max(200)).max(200).readonly().exactOptional(),
});

const outlineSchema: z.ZodType<RequestOutline> = z.strictObject({
  protocol: z.enum(PROTOCOLS).nullable(),
  method: z.string().max(20),
  path: z.string().max(500),
  model: z.string().max(200).exactOptional(),
  parts: z.array(partSchema).max(MOST_PARTS).readonly(),
  sha256,
});

const headersSchema = z
  .record(z.string().refine(isKeptHeader, 'is a header that no cassette may hold'), z.string().max(1_000).refine(isHeaderValue, 'is no value of a header'))
  .readonly();

const headerLine = z.strictObject({
  type: z.literal('cassette'),
  format: z.literal(CASSETTE_FORMAT),
  session: z.strictObject({ experimentId: z.string().max(100_000), evalId: z.string().max(100_000), attempt: count }),
  /** Which rules made the outlines. */
  normalisation: z.string().max(100),
});

const exchangeLine = z.strictObject({
  type: z.literal('exchange'),
  ordinal: z.number().int().positive(),
  outline: outlineSchema,
  request: z.strictObject({ body: sha256.nullable(), sizeBytes: size }),
  response: z.strictObject({ status: z.number().int().min(200).max(599), headers: headersSchema, body: sha256, sizeBytes: size, ending: z.enum(['whole', 'cut']) }),
});

const endLine = z.strictObject({ type: z.literal('end'), exchanges: count });

/** One line of a cassette's file. */
export const cassetteLineSchema = z.discriminatedUnion('type', [headerLine, exchangeLine, endLine]);

/** The first line of a cassette's file. */
export type CassetteHeader = z.infer<typeof headerLine>;
/** Any line of a cassette's file. */
export type CassetteLine = z.infer<typeof cassetteLineSchema>;
