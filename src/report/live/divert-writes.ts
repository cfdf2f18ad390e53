import { plainLine } from '../plain-text.js';

/** A stream whose `write` others call, in each form that Node knows. */
export interface WrittenStream {
  write: NodeJS.WriteStream['write'];
}

// Colours may stay; whatever else an escape could do would tear the region.
const COLOUR = /(\u001b\[[\d;]*m)/;

/**
 * Takes what others write to streams, line by line, until the function that it gives is called: that puts `write` back and tells what
 * was left without an end of line.
 */
export function divertWrites(streams: readonly WrittenStream[], print: (text: string) => void): () => void {
  const restore = streams.map((stream) => {
    const original = stream.write;
    const decoder = new TextDecoder();
    let rest = '';
    const take = (chunk: string | Uint8Array, encoding?: unknown, callback?: (error?: Error | null) => void): boolean => {
      rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      if (lines.length > 0) print(lines.map((line) => `${tamed(line)}\n`).join(''));
      const done = typeof encoding === 'function' ? encoding as () => void : callback;
      if (done !== undefined) queueMicrotask(() => done());
      return true;
    };
    stream.write = take;
    return () => {
      // Somebody else may have laid a hand on it since.
      if (stream.write === take) stream.write = original;
      if (rest !== '') print(`${tamed(rest)}\n`);
      rest = '';
    };
  });
  return () => { for (const one of restore.reverse()) one(); };
}

function tamed(line: string): string {
  const parts = line.split(COLOUR);
  const text = parts.map((part, index) => (index % 2 === 1 ? part : plainLine(part))).join('');
  return parts.length > 1 ? `${text}\u001b[0m` : text;
}
