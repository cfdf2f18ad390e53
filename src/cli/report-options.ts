import { Option, type Command } from 'commander';

/** Options of `niceeval run` that say what it tells, as commander hands them over. */
export interface ReportFlags {
  readonly junit?: string;
  readonly markdown?: string;
  /** Absent: where GitHub Actions runs it. */
  readonly github?: boolean;
  readonly pricing?: string;
  readonly live: boolean;
}

/** Adds them. */
export function addReportOptions(command: Command): Command {
  return command
    .option('--junit <file>', 'write a JUnit report at the end, also when the run was interrupted')
    .option('--markdown <file>', 'the same in Markdown')
    .addOption(new Option('--github', 'annotations for GitHub, and the Markdown in the summary of its step (default: where GITHUB_ACTIONS is true)'))
    .option('--no-github', 'neither')
    .option('--pricing <file>', 'a pricing profile (JSON) that costs in these reports are worked out by; default: list prices')
    .option('--no-live', 'lines one after the other, also on a terminal');
}
