import type { z } from 'zod';

/** Reads the body of a request by its schema. A string says, for the client's eyes, where it does not fit. */
export function readShape<T extends object>(schema: z.ZodType<T>, value: unknown): T | string {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const issue = read.error.issues[0];
  return `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'unreadable'}`;
}
