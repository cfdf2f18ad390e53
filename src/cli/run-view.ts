import pc from 'picocolors';
import { openLiveReporter, type OpenReporter } from '../report/live/live-reporter.js';
import { openJsonReporter, openPlainReporter } from '../report/live/plain-reporter.js';
import { takeKeys } from './quiet-keys.js';

/** How a run is shown. */
export interface ViewFlags {
  readonly json?: boolean;
  readonly live: boolean;
}

/** True where a region can be drawn anew: a terminal that a person looks at. */
export function isLive({ json, live }: ViewFlags, stream: { readonly isTTY?: boolean }, env: (name: string) => string | undefined): boolean {
  const ci = env('CI') ?? '';
  return live && json !== true && stream.isTTY === true && (ci === '' || ci === 'false' || ci === '0') && env('TERM') !== 'dumb';
}

/** Opens the view of a run that fits where it is shown. `write`: standard output as it was before anything was diverted. */
export function openRunView(flags: ViewFlags, write: (text: string) => unknown): OpenReporter {
  if (flags.json === true) return openJsonReporter({ write });
  const { stdout, stderr } = process;
  if (!isLive(flags, stdout, (name) => process.env[name])) return openPlainReporter({ write, colors: pc, ...(stdout.columns === undefined ? {} : { columns: stdout.columns }) });
  const releaseKeys = takeKeys(process.stdin);
  const view = openLiveReporter({ terminal: stdout, others: [stdout, ...(stderr.isTTY === true ? [stderr] : [])], colors: pc });
  const close = (): void => {
    process.off('exit', close);
    view.close();
    releaseKeys();
  };
  // Whatever ends the process, the terminal is given back.
  process.on('exit', close);
  return { ...view, close };
}
