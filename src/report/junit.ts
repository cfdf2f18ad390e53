import XMLBuilder from 'fast-xml-builder';
import { fileLine } from './file-line.js';
import { byExperiment, countOf, type AttemptOutcome, type RunReport } from './run-report.js';
import { costText } from './pricing/cost-text.js';
import { builtInPricingProfile } from './pricing/built-in.js';
import type { PricingProfile } from './pricing/profile.js';
import { projectCost } from './pricing/project-cost.js';
import { points } from './words.js';

const NAME_CHARACTERS = 1000;
const REASON_CHARACTERS = 10_000;
const MOST_REASONS = 100;

/** An element: attributes begin with `@_`, its text is `#text`, everything else is a child. */
type Element = { readonly [key: string]: string | Element | readonly Element[] };

/**
 * A run as JUnit XML, as Jenkins' junit-10.xsd and Ant's readers take it: a suite for each experiment, a case for each Attempt. Claims
 * that do not hold are failures (type `claims`); whatever else broke is an error, its type the class of infrastructure that broke or
 * `error`. What XML 1.0 forbids is shown as escapes. Long reasons are cut, the cut marked.
 *
 * @param options.pricing What costs are worked out by. Default: the built-in list.
 */
export function junitOf(report: RunReport, { pricing = builtInPricingProfile }: { readonly pricing?: PricingProfile } = {}): string {
  const builder = new XMLBuilder({ ignoreAttributes: false, attributeNamePrefix: '@_', format: true, suppressEmptyNode: true, suppressBooleanAttributes: false });
  return builder.build({
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    testsuites: {
      '@_name': 'niceeval',
      '@_tests': String(report.attempts.length),
      '@_failures': String(countOf(report.attempts, 'failed')),
      '@_errors': String(countOf(report.attempts, 'errored')),
      '@_time': secondsOf(report.durationMs),
      testsuite: [...byExperiment(report.attempts)].map(([experimentId, attempts]) => suiteOf(experimentId, attempts, { report, pricing })),
    },
  } satisfies Element);
}

function suiteOf(experimentId: string, attempts: readonly AttemptOutcome[], { report: { runId, interrupted, notRun }, pricing }: { readonly report: RunReport; readonly pricing: PricingProfile }): Element {
  const startedAt = timestampOf(attempts);
  const properties = { runId, interrupted: String(interrupted), attemptsNotRun: String(notRun.filter((missing) => missing.experimentId === experimentId).length) };
  return {
    '@_name': name(experimentId),
    '@_tests': String(attempts.length),
    '@_failures': String(countOf(attempts, 'failed')),
    '@_errors': String(countOf(attempts, 'errored')),
    '@_skipped': String(countOf(attempts, 'skipped')),
    '@_time': secondsOf(attempts.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    ...(startedAt === undefined ? {} : { '@_timestamp': startedAt }),
    properties: { property: Object.entries(properties).map(([key, value]) => ({ '@_name': key, '@_value': name(value) })) },
    testcase: attempts.map((attempt) => caseOf(attempt, pricing)),
  };
}

function caseOf(attempt: AttemptOutcome, pricing: PricingProfile): Element {
  const { evalId, experimentId, index, durationMs } = attempt;
  const remarks = remarksOf(attempt, pricing);
  return {
    '@_name': name(`${evalId} #${index}`),
    '@_classname': name(experimentId),
    '@_time': secondsOf(durationMs),
    ...outcomeOf(attempt),
    'system-out': remarks.join('\n'),
  };
}

function outcomeOf({ verdict, reasons, infrastructure }: AttemptOutcome): Element {
  const message = { '@_message': name(reasons[0] ?? infrastructure ?? verdict) };
  switch (verdict) {
    case 'passed': return {};
    case 'skipped': return { skipped: message };
    case 'failed': return { failure: { '@_type': 'claims', ...message, '#text': reasonsText(reasons) } };
    case 'errored': return { error: { '@_type': name(infrastructure ?? 'error'), ...message, '#text': reasonsText(reasons) } };
  }
}

function remarksOf(attempt: AttemptOutcome, pricing: PricingProfile): readonly string[] {
  const { id, agent, model, verdict, noClaims, score } = attempt;
  const cost = projectCost(attempt, pricing);
  return [
    `attempt: ${name(id)}`,
    `agent: ${name(agent)}`,
    ...(model === undefined ? [] : [`model: ${name(model)}`]),
    ...(score === undefined ? [] : [`score: ${points(score.earned)} of ${points(score.possible)}`]),
    ...(cost.state === 'unknown' ? [] : [`cost by ${name(pricing.name)}: ${costText(cost)}`]),
    ...(noClaims && verdict === 'passed' ? ['passed without any claim'] : []),
  ];
}

function reasonsText(reasons: readonly string[]): string {
  const shown = reasons.slice(0, MOST_REASONS).map((reason) => fileLine(reason, REASON_CHARACTERS));
  return [...shown, ...(reasons.length > MOST_REASONS ? [`and ${reasons.length - MOST_REASONS} more reasons`] : [])].join('\n');
}

function name(text: string): string {
  return fileLine(text, NAME_CHARACTERS);
}

function secondsOf(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(3);
}

/** When the first of them started. Ant's readers take it in UTC and without a zone. */
function timestampOf(attempts: readonly AttemptOutcome[]): string | undefined {
  const times = attempts.map(({ startedAt }) => Date.parse(startedAt)).filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : new Date(times.reduce((first, time) => Math.min(first, time))).toISOString().slice(0, 19);
}
