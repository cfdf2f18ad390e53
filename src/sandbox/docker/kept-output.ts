import { createRedactor } from '../redactor.js';
import type { CommandOptions } from '../sandbox.js';

/** Of a longer stream the first and the last half of this are kept; whoever wants all of it takes it as it comes. */
const KEPT_BYTES = 64 * 1024 * 1024;

/** What is kept of one stream of a command. */
export interface KeptOutput {
  /** Takes the next bytes. Secrets are replaced before they are kept or passed on. */
  readonly take: (chunk: Uint8Array) => void | Promise<void>;
  /** The text, and how many bytes of it were left out. Call once, at the end. */
  readonly end: () => Promise<{ readonly text: string; readonly leftOutBytes: number }>;
}

/** @param keptBytes How much is kept at the most. Default: 64 MiB. */
export function keepOutput(options: CommandOptions, callback: CommandOptions['onStdout'], keptBytes = KEPT_BYTES): KeptOutput {
  const redactor = createRedactor(options.sensitiveValues ?? []);
  const head: Uint8Array[] = [];
  const tail: Uint8Array[] = [];
  const half = Math.floor(keptBytes / 2);
  let headBytes = 0;
  let tailBytes = 0;
  let leftOutBytes = 0;

  const keep = (chunk: Uint8Array): void => {
    const first = chunk.subarray(0, half - headBytes);
    if (first.length > 0) head.push(Buffer.from(first));
    headBytes += first.length;
    const rest = chunk.subarray(first.length);
    if (rest.length === 0) return;
    tail.push(Buffer.from(rest));
    tailBytes += rest.length;
    for (let oldest = tail[0]; oldest !== undefined && tailBytes - oldest.length >= half; oldest = tail[0]) {
      tail.shift();
      tailBytes -= oldest.length;
      leftOutBytes += oldest.length;
    }
  };
  const pass = (safe: Uint8Array): void | Promise<void> => {
    if (safe.length === 0) return undefined;
    keep(safe);
    return callback?.(safe);
  };
  return {
    take: (chunk) => pass(redactor.push(chunk)),
    end: async () => {
      await pass(redactor.flush());
      const texts = leftOutBytes === 0 ? [Buffer.concat([...head, ...tail])] : [Buffer.concat(head), Buffer.from(`\n[${leftOutBytes} bytes left out]\n`), Buffer.concat(tail)];
      return { text: texts.map((bytes) => bytes.toString('utf8')).join(''), leftOutBytes };
    },
  };
}
