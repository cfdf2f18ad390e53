import { CommandOutputError } from './errors.js';
import { createRedactor } from './redactor.js';
import type { CommandOptions } from './sandbox.js';
import { SpilledBytes } from './spilled-bytes.js';
import { createWholeCharacters } from './whole-characters.js';

/** The longest stream that a command may hand over as a text; whoever wants more takes it as it comes. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** What is kept of one stream of a command. Closing it lets go what it holds. */
export interface KeptOutput extends AsyncDisposable {
  /** Takes the next bytes. Secrets are replaced before they are kept or passed on. */
  readonly take: (chunk: Uint8Array) => void | Promise<void>;
  /**
   * The whole text. Call once, at the end.
   *
   * @throws CommandOutputError when there was more than could be kept: a text that lacks a part would be read as if it did not.
   */
  readonly end: () => Promise<string>;
}

/**
 * Keeps a stream as text, a long one on disk, and passes it on. Beyond the limit nothing more is kept; passing on continues.
 *
 * @param limits.keptBytes How much is kept at the most. Default: 256 MiB.
 * @param limits.memoryBytes How much of it in memory. Default: 128 MiB, less where other outputs fill it.
 */
export function keepOutput(
  argv: readonly string[], options: CommandOptions, callback: CommandOptions['onStdout'], limits: { readonly keptBytes?: number; readonly memoryBytes?: number } = {},
): KeptOutput {
  const { keptBytes = KEPT_BYTES } = limits;
  const characters = createWholeCharacters();
  const tell = (bytes: Uint8Array): void | Promise<void> => (bytes.length === 0 ? undefined : callback?.(bytes));
  const redactor = createRedactor(options.sensitiveValues ?? []);
  const kept = new SpilledBytes(limits.memoryBytes);
  let sizeBytes = 0;
  const pass = (safe: Uint8Array): void | Promise<void> => {
    if (safe.length === 0) return undefined;
    sizeBytes += safe.length;
    const stored = sizeBytes > keptBytes ? kept.clear() : kept.push(safe);
    const told = (): void | Promise<void> => (callback === undefined ? undefined : tell(characters.push(safe)));
    return stored === undefined ? told() : stored.then(told);
  };
  return {
    take: (chunk) => pass(redactor.push(chunk)),
    end: async () => {
      await pass(redactor.flush());
      await tell(characters.flush());
      if (sizeBytes > keptBytes) throw new CommandOutputError(argv, sizeBytes, keptBytes);
      return kept.text();
    },
    [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
  };
}
