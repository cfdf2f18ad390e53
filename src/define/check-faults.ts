import { isJsonObject } from '../evidence/json.js';
import { show } from '../expect/match.js';
import { FAULT_KINDS, faultPlanSchema } from '../gateway/faults/fault-plan.js';
import { PROTOCOLS } from '../gateway/protocol.js';
import { checkCount, checkKeys, checkText } from './brand.js';
import { DefinitionError } from './errors.js';

const CONDITIONS = ['requests', 'protocol', 'pathIncludes', 'probability', 'times'];
const OF_STATUS = ['retryAfterSeconds', 'type', 'message'];

/** @throws DefinitionError unless the value is absent or a plan of faults. */
export function checkFaults(factory: string, faults: unknown): void {
  if (faults === undefined) return;
  const who = `${factory}, faults`;
  checkKeys(who, faults, ['seed', 'rules']);
  const { seed, rules } = faults as { readonly seed?: unknown; readonly rules?: unknown };
  if (seed !== undefined && !Number.isSafeInteger(seed)) throw new DefinitionError(`${who}: \`seed\` must be a whole number, not ${show(seed)}.`);
  if (!Array.isArray(rules)) throw new DefinitionError(`${who}: \`rules\` must be a list of rules.`);
  for (const [index, rule] of rules.entries()) checkRule(`${who}, rule ${index + 1}`, rule);
  const read = faultPlanSchema.safeParse(faults);
  if (!read.success) throw new DefinitionError(`${who}: a value is of the wrong kind or too large: ${show(read.error.issues[0]?.path)}.`);
}

function checkRule(who: string, rule: unknown): void {
  checkKeys(who, rule, [...CONDITIONS, ...FAULT_KINDS, ...OF_STATUS]);
  const written = rule as Readonly<Record<string, unknown>>;
  const kinds = FAULT_KINDS.filter((kind) => written[kind] !== undefined);
  if (kinds.length !== 1) throw new DefinitionError(`${who} needs exactly one of ${FAULT_KINDS.join(', ')}; it has ${kinds.length === 0 ? 'none' : kinds.join(' and ')}.`);
  checkCondition(who, written);
  const { status, stall, trickle, cut, malformed, retryAfterSeconds } = written;
  const stray = OF_STATUS.find((key) => written[key] !== undefined && status === undefined);
  if (stray !== undefined) throw new DefinitionError(`${who}: \`${stray}\` is said beside a \`status\` only.`);
  checkText(who, 'type', written['type']);
  checkText(who, 'message', written['message']);
  if (status !== undefined && !isBetween(status, 400, 599, 'whole')) throw new DefinitionError(`${who}: \`status\` must be a whole number from 400 to 599, not ${show(status)}.`);
  if (retryAfterSeconds !== undefined && !isBetween(retryAfterSeconds, 0, Infinity)) throw new DefinitionError(`${who}: \`retryAfterSeconds\` must be a number of at least 0.`);
  if (stall !== undefined && stall !== true) checkPlace(who, 'stall', stall, 'true');
  if (cut !== undefined && cut !== 'before-head') checkPlace(who, 'cut', cut, '"before-head"');
  if (trickle !== undefined) {
    checkKeys(`${who}, trickle`, trickle, ['bytes', 'everyMs']);
    const { bytes, everyMs } = trickle as Readonly<Record<string, unknown>>;
    if (!isBetween(bytes, 1, Infinity, 'whole') || !isBetween(everyMs, 0, 3_600_000)) throw new DefinitionError(`${who}: \`trickle\` needs \`bytes\`, a whole number of at least 1, and \`everyMs\`, milliseconds up to an hour.`);
  }
  if (malformed !== undefined) {
    checkKeys(`${who}, malformed`, malformed, ['atEvent']);
    if (!isBetween((malformed as Readonly<Record<string, unknown>>)['atEvent'], 1, Infinity, 'whole')) throw new DefinitionError(`${who}: \`malformed\` needs \`atEvent\`, a whole number of at least 1.`);
  }
}

function checkCondition(who: string, { requests, protocol, pathIncludes, probability, times }: Readonly<Record<string, unknown>>): void {
  if (isJsonObject(requests)) {
    checkKeys(`${who}, requests`, requests, ['from', 'to', 'every']);
    for (const field of ['from', 'to', 'every']) checkCount(`${who}, requests`, field, requests[field]);
  } else if (requests !== undefined && !(Array.isArray(requests) && requests.every((place) => isBetween(place, 1, Infinity, 'whole')))) {
    throw new DefinitionError(`${who}: \`requests\` must be a list of whole numbers from 1, or { from, to, every }.`);
  }
  if (protocol !== undefined && !PROTOCOLS.some((name) => name === protocol)) throw new DefinitionError(`${who}: \`protocol\` must be one of ${PROTOCOLS.join(', ')}, not ${show(protocol)}.`);
  if (pathIncludes !== undefined && (typeof pathIncludes !== 'string' || pathIncludes === '')) throw new DefinitionError(`${who}: \`pathIncludes\` must be a part of a path.`);
  if (probability !== undefined && !isBetween(probability, 0, 1)) throw new DefinitionError(`${who}: \`probability\` must be a number from 0 to 1, not ${show(probability)}.`);
  checkCount(who, 'times', times);
}

function checkPlace(who: string, field: string, place: unknown, otherwise: string): void {
  const fields = isJsonObject(place) ? Object.keys(place) : [];
  const isPlace = isJsonObject(place) && fields.length === 1 && ['afterBytes', 'afterEvents'].includes(fields[0] as string) && isBetween(Object.values(place)[0], 0, Infinity, 'whole');
  if (!isPlace) throw new DefinitionError(`${who}: \`${field}\` must be ${otherwise}, { afterBytes } or { afterEvents } with a whole number of at least 0.`);
}

function isBetween(value: unknown, least: number, most: number, kind?: 'whole'): boolean {
  return typeof value === 'number' && value >= least && value <= most && (kind !== 'whole' || Number.isSafeInteger(value));
}
