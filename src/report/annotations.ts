import { fileLine } from './file-line.js';
import { incompleteness, type AttemptOutcome, type RunReport } from './run-report.js';

// What GitHub shows of one step, for each kind.
const SHOWN = 10;
const TITLE_CHARACTERS = 200;
const FILE_CHARACTERS = 1000;
const REASON_CHARACTERS = 1000;
const MOST_REASONS = 10;

interface Annotation {
  readonly title: string;
  readonly message: string;
  readonly file?: string;
}

/**
 * A run as workflow commands for GitHub: an error for each Attempt that failed or errored; a warning when the run is not whole, and
 * for each Attempt that passed without any claim. GitHub shows ten of a kind for each step; of more, the first ten are written, and a notice
 * says how many are missing. Empty where there is nothing to say.
 */
export function annotationsOf(report: RunReport): string {
  const incomplete = incompleteness(report);
  const errors = report.attempts.filter(({ verdict }) => verdict === 'failed' || verdict === 'errored').map(errorOf);
  const warnings = [
    ...(incomplete === undefined ? [] : [{ title: 'niceeval: run not whole', message: incomplete }]),
    ...report.attempts.filter(({ verdict, noClaims }) => verdict === 'passed' && noClaims).map(warningOf),
  ];
  const missing = [countText(errors.length - SHOWN, 'error'), countText(warnings.length - SHOWN, 'warning')].flatMap((text) => (text === undefined ? [] : [text]));
  return [
    ...errors.slice(0, SHOWN).map((annotation) => commandOf('error', annotation)),
    ...warnings.slice(0, SHOWN).map((annotation) => commandOf('warning', annotation)),
    ...(missing.length === 0 ? [] : [commandOf('notice', { title: 'niceeval', message: `${missing.join(' and ')} not shown here` })]),
  ].map((line) => `${line}\n`).join('');
}

function errorOf(attempt: AttemptOutcome): Annotation {
  const { verdict, infrastructure, reasons } = attempt;
  const left = reasons.length - MOST_REASONS;
  const lines = [
    ...reasons.slice(0, MOST_REASONS).map((reason) => fileLine(reason, REASON_CHARACTERS)),
    ...(left > 0 ? [`and ${left} more ${left === 1 ? 'reason' : 'reasons'}`] : []),
  ];
  return {
    ...placeOf(attempt, infrastructure === undefined ? verdict : `${verdict} (${infrastructure})`),
    message: lines.length === 0 ? verdict : lines.join('\n'),
  };
}

function warningOf(attempt: AttemptOutcome): Annotation {
  return { ...placeOf(attempt, 'passed'), message: 'passed without any claim' };
}

function placeOf({ evalId, experimentId, index, evalFile }: AttemptOutcome, outcome: string): Omit<Annotation, 'message'> {
  return { title: `${outcome}: ${evalId} #${index} by ${experimentId}`, ...(evalFile === undefined ? {} : { file: evalFile }) };
}

function countText(count: number, kind: string): string | undefined {
  return count <= 0 ? undefined : `${count} more ${kind}${count === 1 ? '' : 's'}`;
}

function commandOf(kind: 'error' | 'warning' | 'notice', { title, message, file }: Annotation): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${property(fileLine(file, FILE_CHARACTERS))}`]),
    `title=${property(fileLine(title, TITLE_CHARACTERS))}`,
  ];
  return `::${kind} ${properties.join(',')}::${data(message)}`;
}

// As the toolkit of GitHub's actions escapes what its runner reads.
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
