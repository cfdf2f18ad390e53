import type { DiagnosticInput } from '../define/context.js';
import type { Diagnostic } from './result.js';

/** Remarks of one Attempt: they stay in its record and change no verdict. */
export class AttemptNotes {
  readonly diagnostics: Diagnostic[] = [];
  readonly logs: string[] = [];
  readonly #keys = new Set<string>();

  /** A remark of the harness or of an adapter. */
  note(code: string, message: string): void {
    this.diagnostics.push({ code, message });
  }

  /** A remark of the test. One whose key was there before is dropped. */
  remark({ dedupeKey, ...diagnostic }: DiagnosticInput): void {
    if (dedupeKey !== undefined && this.#keys.has(dedupeKey)) return;
    if (dedupeKey !== undefined) this.#keys.add(dedupeKey);
    this.diagnostics.push(diagnostic);
  }

  log(message: string): void {
    this.logs.push(message);
  }
}
