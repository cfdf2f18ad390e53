import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { ScenarioResult } from './result.js';

/** Takes whole lines. */
export interface LineSink {
  /** Settles when the line is written and whoever reads it has it, or can have it. */
  write(line: string): Promise<void>;
  close(): Promise<void>;
}

/** A file, to which each line goes in one piece: whoever ends the process meanwhile leaves whole lines behind. */
export function fileSink(file: FileHandle): LineSink {
  return {
    write: (line) => {
      const bytes = Buffer.from(`${line}\n`);
      for (let at = 0; at < bytes.length;) at += writeSync(file.fd, bytes, at);
      return Promise.resolve();
    },
    close: () => file.close(),
  };
}

/** How results become lines. */
export interface ResultLinesOptions {
  /** Ids of all scenarios, in the order of their lines. */
  readonly order: readonly string[];
  readonly sink: LineSink;
  /** Reads the events of a scenario when its line is written. Absent: lines have no trace. */
  readonly traceOf?: (result: ScenarioResult) => Promise<readonly object[]>;
  /** Called once a line is written, without its trace. */
  readonly onWritten: (result: ScenarioResult) => void;
  /** Called once, when a line could not be written. */
  readonly onFailure: () => void;
}

/** Writes results in the order of the file, each when its turn has come. Results that come early wait, without their traces. */
export class ResultLines {
  readonly #options: ResultLinesOptions;
  readonly #early = new Map<string, ScenarioResult | undefined>();
  #next = 0;
  #written: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  constructor(options: ResultLinesOptions) {
    this.#options = options;
  }

  /** @param result Absent: the scenario has no line. */
  take(id: string, result?: ScenarioResult): void {
    this.#early.set(id, result);
    this.#writeDue();
  }

  #writeDue(): void {
    const { order } = this.#options;
    for (let id = order[this.#next]; id !== undefined && this.#early.has(id); id = order[this.#next]) {
      const due = this.#early.get(id);
      this.#early.delete(id);
      this.#next += 1;
      if (due !== undefined) this.#written = this.#written.then(() => this.#write(due)).catch((error: unknown) => this.#fail(error));
    }
  }

  /** Writes what waits still, since nothing more will come. @throws what kept a line from being written. */
  async end(): Promise<void> {
    for (const id of this.#options.order.slice(this.#next)) if (!this.#early.has(id)) this.#early.set(id, undefined);
    this.#writeDue();
    await this.#written;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#options.onFailure();
  }

  async #write(result: ScenarioResult): Promise<void> {
    if (this.#failure !== undefined) return;
    const { sink, traceOf, onWritten } = this.#options;
    const trace = await traceOf?.(result);
    await sink.write(JSON.stringify(trace === undefined ? result : { ...result, trace }));
    onWritten(result);
  }
}
