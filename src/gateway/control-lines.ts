import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { PROTOCOLS } from './protocol.js';
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

/** Bytes are written in base64. */
const bytes = z.base64();
const heldRequestSchema = z.strictObject({ ordinal: count, protocol: z.enum(PROTOCOLS), method: z.string(), target: z.string(), body: bytes });
const heldAnswerSchema = z.strictObject({
  status: z.number().int().min(200).max(599), headers: z.record(z.string(), z.string()), body: bytes, ending: z.enum(['whole', 'cut']),
});
const hostAnswerSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('go') }),
  z.strictObject({ kind: z.literal('refusal'), reason: z.enum(['over-budget', 'cassette-lacks']), message: z.string().min(1).max(20_000) }),
  z.strictObject({ kind: z.literal('answer'), answer: heldAnswerSchema }),
]);

/** `script` is checked when it is opened, so that its problems can be told one by one. */
const forwardSchema = z.strictObject({ kind: z.literal('forward'), upstreams: upstreamsSchema, sampling: samplingSchema.exactOptional() });
const modeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('scripted'), script: z.unknown(), scriptName: z.string().exactOptional() }),
  forwardSchema,
  z.strictObject({ kind: z.literal('replay'), forward: forwardSchema.exactOptional() }),
]);

/** A line from the host to the gateway program. */
export const hostLineSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('open'), id, token, mode: modeSchema, faults: faultPlanSchema.exactOptional(), address: z.ipv4().exactOptional(), asks: z.boolean().exactOptional(), tapes: z.boolean().exactOptional() }),
  z.strictObject({ type: z.literal('close'), id }),
  z.strictObject({ type: z.literal('token'), id, token, window }),
  z.strictObject({ type: z.literal('expire'), id, token }),
  z.strictObject({ type: z.literal('upstreams'), id, upstreams: upstreamsSchema }),
  z.strictObject({ type: z.literal('answer'), ask: count, answer: hostAnswerSchema }),
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
  z.strictObject({ type: z.literal('ask'), id, ask: count, protocol: z.enum(PROTOCOLS), request: heldRequestSchema.exactOptional() }),
  z.strictObject({ type: z.literal('tape'), id, tape: z.strictObject({ request: heldRequestSchema, answer: heldAnswerSchema }) }),
  z.strictObject({ type: z.literal('refused'), id: id.exactOptional(), message: z.string() }),
]);

export type HostLine = z.infer<typeof hostLineSchema>;
export type ProgramLine = z.infer<typeof programLineSchema>;

/** One control line as it is written: JSON and a line feed. */
export function controlLine(line: HostLine | ProgramLine): string {
  return `${JSON.stringify(line)}\n`;
}

/** The same with its bytes in base64, as lines have them. */
export function inBase64<T extends { readonly body: Uint8Array }>(held: T): Omit<T, 'body'> & { readonly body: string } {
  return { ...held, body: Buffer.from(held.body.buffer, held.body.byteOffset, held.body.length).toString('base64') };
}

/** The same with its bytes as bytes. */
export function outOfBase64<T extends { readonly body: string }>(line: T): Omit<T, 'body'> & { readonly body: Uint8Array } {
  return { ...line, body: Buffer.from(line.body, 'base64') };
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
