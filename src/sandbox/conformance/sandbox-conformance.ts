import { archiveChecks } from './archives.js';
import type { ConformanceCheck } from './check.js';
import { endingChecks } from './endings.js';
import { fileChecks } from './files.js';
import { inputChecks } from './inputs.js';
import { lifetimeChecks } from './lifetimes.js';
import { outputChecks } from './outputs.js';
import { processChecks } from './processes.js';
import type { SandboxSubject } from './sandbox-subject.js';
import { createStages } from './stage.js';
import { timeChecks } from './times.js';
import { transferChecks } from './transfers.js';

/** One thing that every backend owes. */
export interface SandboxCheck extends ConformanceCheck {
  /** What `skips` calls it: the title without the subject. */
  readonly name: string;
  /** Why it is left out. Absent: it is not. */
  readonly skipped?: string;
}

/**
 * What a backend owes, as checks for any test runner: `for (const { title, run } of sandboxConformance(subject)) it(title, run)`.
 * Run them one after the other: most share a sandbox, and a command whose time is up may end what else runs in it.
 *
 * @throws TypeError for a skip that names no check, or gives no reason.
 */
export function sandboxConformance(subject: SandboxSubject): readonly SandboxCheck[] {
  const { skips = {} } = subject;
  const all = [
    ...endingChecks, ...outputChecks, ...inputChecks, ...timeChecks, ...fileChecks, ...transferChecks, ...archiveChecks, ...processChecks, ...lifetimeChecks,
  ];
  for (const [name, reason] of Object.entries(skips)) {
    if (!all.some((check) => check.name === name)) throw new TypeError(`sandboxConformance({ skips }) has "${name}", which is no check. There are: ${all.map((check) => `"${check.name}"`).join(', ')}.`);
    if (reason.trim() === '') throw new TypeError(`sandboxConformance({ skips }) leaves out "${name}" without a reason.`);
  }
  const stages = createStages(subject);
  return all.map((check) => {
    const skipped = Object.hasOwn(skips, check.name) ? skips[check.name] : undefined;
    const title = `${subject.name}: ${check.name}`;
    if (skipped !== undefined) return { name: check.name, title, skipped, run: () => Promise.resolve() };
    return { name: check.name, title, run: () => stages.play(check) };
  });
}
