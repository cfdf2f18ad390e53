import { bucketOf } from '../evidence/usage.js';
import { durationSummary } from '../statistics/durations.js';
import { passRates, type PassRate } from '../statistics/pass-rates.js';
import { codeCell, codeSpan, createPage } from './markdown-text.js';
import { byExperiment, countOf, incompleteness, type AttemptOutcome, type RunReport } from './run-report.js';
import { builtInPricingProfile } from './pricing/built-in.js';
import { costSumText } from './pricing/cost-text.js';
import type { PricingProfile } from './pricing/profile.js';
import { projectCost, sumCosts } from './pricing/project-cost.js';
import { points, seconds } from './words.js';

/** How much Markdown is made. */
export interface MarkdownOptions {
  /** At least 4,096. Default: 1,000 KiB, within what GitHub takes as the summary of a step (1,024 KiB). */
  readonly limitBytes?: number;
  /** What costs are worked out by. Default: the built-in list. */
  readonly pricing?: PricingProfile;
}

const STEP_SUMMARY_BYTES = 1000 * 1024;
const LEAST_BYTES = 4096;
// For the two lines that say what was left out.
const KEPT_FOR_CUTS = 256;
const NAME_CHARACTERS = 200;
const REASON_CHARACTERS = 1000;
const MOST_REASONS = 20;

/**
 * A run as Markdown: a table of its experiments, then every Attempt that failed or errored, with its reasons. Also fit for the step
 * summary of a GitHub workflow. Texts of strangers are code spans, so that nothing in them is taken for Markdown or HTML. What does not
 * fit within `limitBytes` is left out, and how much that is, is said.
 *
 * @throws RangeError when `limitBytes` is less than 4,096.
 */
export function markdownOf(report: RunReport, { limitBytes = STEP_SUMMARY_BYTES, pricing = builtInPricingProfile }: MarkdownOptions = {}): string {
  if (!(limitBytes >= LEAST_BYTES)) throw new RangeError(`markdownOf({ limitBytes }) must be at least ${LEAST_BYTES}, not ${limitBytes}.`);
  const page = createPage(limitBytes - KEPT_FOR_CUTS);
  const cuts: string[] = [];
  const say = (left: number, what: string): void => { if (left > 0) cuts.push('', `${left} more ${what}${left === 1 ? ' is' : 's are'} not shown: there is no room.`); };
  page.add(headOf(report));
  const experiments = [...byExperiment(report.attempts)];
  if (experiments.length > 0) {
    page.add(['', '| experiment | agent | passed of completed | passed of all | skipped | cost | tokens in/out | median time |', '|---|---|---|---|---|---|---|---|']);
    say(page.add(experiments.map(([experimentId, attempts]) => rowOf(experimentId, attempts, pricing))), 'experiment');
    page.add(costRemark(report.attempts, pricing));
  }
  const broken = report.attempts.filter(({ verdict }) => verdict === 'failed' || verdict === 'errored');
  if (broken.length > 0) {
    const untitled = page.add(['\n## Not passed\n']);
    say(untitled > 0 ? broken.length : page.add(broken.map(failureOf)), 'Attempt');
  }
  return `${page.text()}${cuts.map((line) => `${line}\n`).join('')}`;
}

function headOf(report: RunReport): readonly string[] {
  const { runId, attempts, durationMs } = report;
  const incomplete = incompleteness(report);
  const unclaimed = attempts.filter(({ verdict, noClaims }) => verdict === 'passed' && noClaims).length;
  const counts = (['passed', 'failed', 'errored', 'skipped'] as const).map((verdict) => `${countOf(attempts, verdict)} ${verdict}`).join(', ');
  return [
    `# Run ${codeSpan(runId, NAME_CHARACTERS)}`,
    '',
    `${counts} in ${seconds(durationMs)}.`,
    ...(incomplete === undefined ? [] : ['', `**Not whole: ${incomplete}.**`]),
    ...(unclaimed === 0 ? [] : ['', `${unclaimed} passed without any claim.`]),
    ...(attempts.length === 0 ? ['', 'No Attempt was started.'] : []),
  ];
}

function rowOf(experimentId: string, attempts: readonly AttemptOutcome[], pricing: PricingProfile): string {
  const { ofCompleted, ofAll } = passRates({ passed: countOf(attempts, 'passed'), failed: countOf(attempts, 'failed'), errored: countOf(attempts, 'errored') });
  const agents = [...new Set(attempts.map(({ agent, model }) => (model === undefined ? agent : `${agent} (${model})`)))];
  const tokens = [sumText(attempts.map(({ usage }) => bucketOf(usage, 'inputTokens')), String), sumText(attempts.map(({ usage }) => bucketOf(usage, 'outputTokens')), String)];
  const cells = [
    codeCell(experimentId, NAME_CHARACTERS),
    codeCell(agents.join(', '), NAME_CHARACTERS),
    rateText(ofCompleted),
    rateText(ofAll),
    String(countOf(attempts, 'skipped')),
    costSumText(sumCosts(attempts.map((attempt) => projectCost(attempt, pricing)))),
    tokens.join(' / '),
    medianText(attempts),
  ];
  return `| ${cells.join(' | ')} |`;
}

const NAMED_MODELS = 5;

/** By what prices, and what has none. */
function costRemark(attempts: readonly AttemptOutcome[], pricing: PricingProfile): readonly string[] {
  const { unpricedModels, partial, unknown } = sumCosts(attempts.map((attempt) => projectCost(attempt, pricing)));
  const models = unpricedModels.slice(0, NAMED_MODELS).map((model) => codeSpan(model, NAME_CHARACTERS));
  const more = unpricedModels.length > NAMED_MODELS ? ` and ${unpricedModels.length - NAMED_MODELS} more` : '';
  return ['', [
    `Costs by ${codeSpan(pricing.name, NAME_CHARACTERS)}`,
    ...(partial + unknown === 0 ? [] : [`known in part for ${partial} and not at all for ${unknown} of ${attempts.length}`]),
    ...(models.length === 0 ? [] : [`no price for ${models.join(', ')}${more}`]),
  ].join('; ') + '.'];
}

/** With the 95 % interval of Wilson. */
function rateText({ passed, total, rate, interval }: PassRate): string {
  if (rate === undefined || interval === undefined) return '-';
  return `${passed} of ${total}: ${percent(rate)} % (${percent(interval.low)} to ${percent(interval.high)})`;
}

function percent(share: number): string {
  return (100 * share).toFixed(1);
}

/** What is not known is no zero: it is told how many are known. */
function sumText(values: readonly (number | undefined)[], show: (sum: number) => string): string {
  const known = values.flatMap((value) => (value === undefined ? [] : [value]));
  if (known.length === 0) return '-';
  return `${show(known.reduce((sum, value) => sum + value, 0))}${known.length === values.length ? '' : ` (${known.length} of ${values.length} known)`}`;
}

/** Of the Attempts that came to an end by themselves, and of those that were cut off. */
function medianText(attempts: readonly AttemptOutcome[]): string {
  const told = attempts.filter(({ verdict, cutOff }) => cutOff === true || verdict === 'passed' || verdict === 'failed');
  const { total, censored, median } = durationSummary(told.map(({ durationMs, cutOff }) => ({ value: durationMs, censored: cutOff === true })));
  if (total === 0) return '-';
  const cut = censored === 0 ? '' : ` (${censored} of ${total} cut off)`;
  return `${median === undefined ? 'not reached' : seconds(median)}${cut}`;
}

function failureOf({ evalId, experimentId, index, verdict, infrastructure, score, reasons }: AttemptOutcome): string {
  const why = infrastructure === undefined ? '' : ` (${codeSpan(infrastructure, NAME_CHARACTERS)})`;
  const earned = score === undefined ? '' : `, ${points(score.earned)} of ${points(score.possible)} points`;
  const left = reasons.length - MOST_REASONS;
  return [
    `- ${verdict}${why}: ${codeSpan(`${evalId} #${index}`, NAME_CHARACTERS)} by ${codeSpan(experimentId, NAME_CHARACTERS)}${earned}`,
    ...reasons.slice(0, MOST_REASONS).map((reason) => `  - ${codeSpan(reason, REASON_CHARACTERS)}`),
    ...(left > 0 ? [`  - and ${left} more ${left === 1 ? 'reason' : 'reasons'}`] : []),
  ].join('\n');
}
