import type { Colors } from 'picocolors/types.js';
import type { AttemptResult } from '../run/result.js';
import { explanationOf } from './explanation.js';
import { plainLine } from './plain-text.js';
import { isUsageIncomplete } from '../run/run-result.js';
import { costText } from './pricing/cost-text.js';
import type { PricingProfile } from './pricing/profile.js';
import { projectCost } from './pricing/project-cost.js';
import { dollars, mark, seconds } from './words.js';

/** How a page is laid out. */
export interface PageOptions {
  readonly colors: Colors;
  readonly columns: number;
  /** What its cost is worked out by. */
  readonly pricing: PricingProfile;
}

/** What one Attempt came to: verdict, causes, claims, turns, what it took, what it changed. */
export function attemptPage(result: AttemptResult, options: PageOptions): string {
  const { evalId, experimentId, index, agent, model, verdict, score, turns, claims, timings, startedAt, failure } = result;
  const lines = [
    `${mark(verdict, options.colors)}${score === undefined ? '' : ` ${score.earned} of ${score.possible} points`}  ${plainLine(evalId)} by ${plainLine(experimentId)} (${index})`,
    ...explanationOf(result, options),
    ...(failure === undefined ? [] : [`cause     ${plainLine(failure.kind)}${failure.infrastructure ? ' (the infrastructure: nothing was learnt about the agent)' : ''}`]),
    `agent     ${plainLine(agent)}${model === undefined ? '' : `, model ${plainLine(model)}`}`,
    `started   ${plainLine(startedAt)}`,
    `time      ${seconds(timings.totalMs)}: sandbox ${seconds(timings.sandboxMs)}, test ${seconds(timings.testMs)}, teardown ${seconds(timings.teardownMs)}; queued ${seconds(timings.queuedMs)} before`,
    `tokens    ${bucketsText(result.usage)}`,
    ...costLines(result, options.pricing),
    `claims    ${claims.length === 0 ? 'none' : `${claims.filter(({ state }) => state === 'matched').length} of ${claims.length} matched`}`,
    ...turns.map((turn) => `turn      ${plainLine(turn.label)}: ${turn.status} in ${seconds(turn.durationMs)}${turn.failure === undefined ? '' : `: ${plainLine(turn.failure.message)}`}`),
    ...changeLines(result.changes),
  ];
  return `${lines.join('\n')}\n`;
}

/** What is known and why not all of it, then what the CLI itself observed: the two never stand for each other. */
function costLines(result: AttemptResult, pricing: PricingProfile): readonly string[] {
  const cost = projectCost({ ...result, usageIncomplete: isUsageIncomplete(result.turns) }, pricing);
  const observed = result.usage.costUSD === undefined ? '' : `; observed ${dollars(result.usage.costUSD)}`;
  return [
    `cost      ${costText(cost)} by ${plainLine(pricing.name)}${cost.reasons.length === 0 ? '' : ` (${plainLine(cost.reasons.join('; '))})`}${observed}`,
    ...cost.notes.map((note) => `          ${plainLine(note)}`),
  ];
}

/** Claims, one line each and how they came out. */
export function claimListing(claims: AttemptResult['claims']): string {
  return claims.map((claim) => {
    const name = claim.label === undefined ? claim.description : `${claim.label} (${claim.description})`;
    const groups = (claim.groups ?? []).map((title) => `${title} > `).join('');
    const why = claim.state === 'mismatched' ? `: expected ${claim.expected ?? ''}, received ${claim.received ?? ''}` : claim.reason === undefined ? '' : `: ${claim.reason}`;
    const score = claim.score === undefined ? '' : ` (${claim.score})`;
    return `${String(claim.ordinal).padStart(4)}  ${claim.state.padEnd(11)}  ${plainLine(`${groups}${name}${score}${why}`)}\n`;
  }).join('');
}

function bucketsText({ models: _models, costUSD: _cost, ...buckets }: AttemptResult['usage']): string {
  return Object.entries(buckets).map(([bucket, count]) => `${bucket} ${count}`).join(', ') || 'not reported';
}

function changeLines(changes: AttemptResult['changes']): readonly string[] {
  if (changes.state === 'unavailable') return [`changes   not known: ${plainLine(changes.reason)}`];
  if (changes.net.length === 0) return ['changes   none'];
  return changes.net.map((change) => `changes   ${change.mixed === true ? 'mixed' : change.status} ${plainLine(change.path)}`);
}

/** What the test logged, and what was remarked. */
export function logListing({ logs, diagnostics }: Pick<AttemptResult, 'logs' | 'diagnostics'>): string {
  return [
    ...logs.map((line) => `log      ${plainLine(line)}`),
    ...diagnostics.map(({ code, level, message }) => `${(level ?? 'remark').padEnd(7)}  ${plainLine(`[${code}] ${message}`)}`),
  ].map((line) => `${line}\n`).join('');
}

/** A patch for a screen: its lines stay, what could steer a terminal is shown as an escape. */
export function plainPatch(patch: string): string {
  return patch.split('\n').map((line) => plainLine(line.replaceAll('\t', '    '))).join('\n');
}

/** The part of a patch that is about one path. Empty: there is none. */
export function patchOfPath(patch: string, path: string): string {
  return patch.split(/^(?=diff --git )/m).filter((part) => {
    const head = part.slice(0, Math.max(0, part.indexOf('\n')));
    return head === `diff --git a/${path} b/${path}` || head.endsWith(`"b/${path}"`);
  }).join('');
}
