import { z } from 'zod';

/** Any value that JSON can carry. Objects are plain; `undefined`, functions and non-finite numbers are not JSON. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A JSON object. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** Accepts exactly the values of {@link JsonValue}. */
export const jsonValueSchema: z.ZodType<JsonValue> = z.json();

/** True for a plain JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses one JSON text; text that is not JSON gives `undefined`, which no JSON text parses to. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
