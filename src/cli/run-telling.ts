import type { Plan } from '../plan/plan.js';
import { plainLine } from '../report/plain-text.js';
import type { RunEvent } from '../run/ports.js';
import type { RunResult } from '../run/run-result.js';
import { EXIT } from './exit-codes.js';
import { remark } from './output.js';
import { receiptLine } from './receipt.js';
import type { ReportFlags } from './report-options.js';
import { openRunReports } from './run-reports.js';
import { openRunView } from './run-view.js';

/** All that tells of a run: what is on the terminal while it goes on, and the reports at its end. */
export interface RunTelling extends AsyncDisposable {
  readonly onEvent: (event: RunEvent) => void;
  /** Ends it all for a run that came to its end, and gives the exit code: that of the run, unless a report could not be written. */
  end(result: RunResult, facts: { readonly record: string; readonly exitCode: number }): Promise<number>;
}

/** What is told. */
export interface TellingOptions {
  readonly flags: ReportFlags & { readonly json?: boolean };
  readonly plan: Plan;
  /** Standard output, whatever is diverted. */
  readonly write: (text: string) => unknown;
}

/** Disposed of before its end, for a run that broke, it still gives the terminal back and writes the reports. */
export async function openRunTelling({ flags, plan, write }: TellingOptions): Promise<RunTelling> {
  const isJson = flags.json === true;
  const reports = await openRunReports(flags, plan, {
    env: (name) => process.env[name], cwd: process.cwd(), annotate: isJson ? (text) => process.stderr.write(text) : write,
  });
  const view = openRunView(flags, write);
  let closing: Promise<readonly string[]> | undefined;
  const close = async (): Promise<readonly string[]> => {
    view.close();
    const problems = await reports.write();
    for (const problem of problems) remark(plainLine(problem));
    return problems;
  };
  return {
    onEvent: (event) => {
      reports.onEvent(event);
      view.onEvent(event);
    },
    end: async (result, { record, exitCode: own }) => {
      const problems = await (closing ??= close());
      const exitCode = own === EXIT.ok && problems.length > 0 ? EXIT.failed : own;
      if (!isJson) {
        for (const { id, keptUntil } of result.attempts) if (keptUntil !== undefined) write(`kept until ${keptUntil}: niceeval shell ${id}\n`);
        write(`record: ${plainLine(record)}\n`);
      } else write(receiptLine(result, { planned: plan.attempts.length, record, problems, exitCode }));
      return exitCode;
    },
    [Symbol.asyncDispose]: async () => { await (closing ??= close()); },
  };
}
