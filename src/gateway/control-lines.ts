import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { usageSchema } from '../evidence/usage.js';
import { deniedDestinationSchema } from './egress/denied.js';
import { exchangeSchema } from './exchange.js';
import { faultPlanSchema } from './faults/fault-plan.js';
import type { Sampling } from './session-mode.js';
import { upstreamsSchema } from './upstream.js';

const id = z.string().min(1).max(200);
const count = z.number().int().nonnegative();

const token = z.string().regex(/^[!-~]{16,512}$/, 'Make it 16 to 512 printable ASCII characters without spaces.');
const window = z.string().min(1).max(200);

const samplingSchema: z.ZodType<Sampling> = z.strictObject({
  temperature: z.number().nonnegative().exactOptional(),
  seed: z.number().int().exactOptional(),
  maxTokens: z.number().int().positive().exactOptional(),
  models: z.record(z.string(), z.string().min(1).max(200)).exactOptional(),
});

/** `script` is checked when it is opened, so that its problems can be told one by one. */
const modeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('scripted'), script: z.unknown(), scriptName: z.string().exactOptional() }),
  z.strictObject({ kind: z.literal('forward'), upstreams: upstreamsSchema, sampling: samplingSchema.exactOptional() }),
]);

/** A line from the host to the gateway program. */
export const hostLineSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('open'), id, token, mode: modeSchema, faults: faultPlanSchema.exactOptional(), address: z.ipv4().exactOptional(), asks: z.boolean().exactOptional() }),
  z.strictObject({ type: z.literal('close'), id }),
  z.strictObject({ type: z.literal('token'), id, token, window }),
  z.strictObject({ type: z.literal('expire'), id, token }),
  z.strictObject({ type: z.literal('upstreams'), id, upstreams: upstreamsSchema }),
  // Answers an `ask`; without a refusal the request may go.
  z.strictObject({ type: z.literal('answer'), ask: count, refusal: z.string().min(1).max(2_000).exactOptional() }),
  // `id` is the gateway's own address in the network.
  z.strictObject({ type: z.literal('allow'), id: z.ipv4(), hosts: z.array(z.string().min(1).max(253)).max(1_000).readonly() }),
  z.strictObject({ type: z.literal('shutdown') }),
]);

/** A line from the gateway program to the host. */
export const programLineSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), port: z.number().int() }),
  z.strictObject({ type: z.literal('opened'), id }),
  z.strictObject({
    type: z.literal('closed'),
    id,
    requests: count,
    usage: usageSchema,
    lanes: z.array(z.strictObject({ lane: z.string(), played: count, total: count })).readonly(),
  }),
  z.strictObject({ type: z.literal('done'), id }),
  z.strictObject({ type: z.literal('allowed'), id, denied: z.array(deniedDestinationSchema).readonly() }),
  z.strictObject({ type: z.literal('exchange'), exchange: exchangeSchema }),
  z.strictObject({ type: z.literal('usage'), id, ordinal: count, model: z.string().exactOptional(), usage: usageSchema }),
  z.strictObject({ type: z.literal('ask'), id, ask: count }),
  z.strictObject({ type: z.literal('refused'), id: id.exactOptional(), message: z.string() }),
]);

export type HostLine = z.infer<typeof hostLineSchema>;
export type ProgramLine = z.infer<typeof programLineSchema>;

/** One control line as it is written: JSON and a line feed. */
export function controlLine(line: HostLine | ProgramLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** The lines of a stream, split at line feeds only. Text after the last one is no line. Throws what the stream throws. */
export async function* linesOf(stream: Readable): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    const [head = '', ...tail] = (typeof chunk === 'string' ? chunk : decoder.write(chunk)).split('\n');
    const lines = [rest + head, ...tail];
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
