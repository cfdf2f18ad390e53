import { createHash } from 'node:crypto';
import type { ProtocolName } from '../protocol.js';
import type { FaultCondition, FaultPlan, FaultRule } from './fault-plan.js';

/** What a rule may ask of a request. Nothing of it is in the body, which may be too large to hold. */
export interface FaultedRequest {
  readonly protocol: ProtocolName;
  readonly path: string;
}

/** The rule that a request meets. */
export interface DrawnFault {
  /** Its place in the plan, from 1. */
  readonly number: number;
  readonly rule: FaultRule;
}

/** The faults of one session. */
export interface Faults {
  /** Call once for each request to a model, in the order in which they come. `undefined`: it is answered as it should be. */
  draw(request: FaultedRequest): DrawnFault | undefined;
}

/** Starts to count the requests of a session. @param sessionId Goes into every draw. */
export function createFaults({ seed = 0, rules }: FaultPlan, sessionId: string): Faults {
  const met = rules.map(() => 0);
  let requests = 0;
  return {
    draw(request) {
      requests += 1;
      const index = rules.findIndex((rule, at) => (
        applies(rule, request, requests) &&
        (met[at] as number) < (rule.times ?? Infinity) &&
        drawn([seed, sessionId, requests, at]) < (rule.probability ?? 1)
      ));
      const rule = rules[index];
      if (rule === undefined) return undefined;
      met[index] = (met[index] as number) + 1;
      return { number: index + 1, rule };
    },
  };
}

function applies({ requests, protocol, pathIncludes = '' }: FaultCondition, request: FaultedRequest, ordinal: number): boolean {
  return (protocol === undefined || protocol === request.protocol) && request.path.includes(pathIncludes) && isAmong(requests, ordinal);
}

function isAmong(requests: FaultCondition['requests'], ordinal: number): boolean {
  if (requests === undefined) return true;
  if (isList(requests)) return requests.includes(ordinal);
  const { from = 1, to = Infinity, every = 1 } = requests;
  return ordinal >= from && ordinal <= to && (ordinal - from) % every === 0;
}

function isList(requests: NonNullable<FaultCondition['requests']>): requests is readonly number[] {
  return Array.isArray(requests);
}

/** A number from 0 up to 1 that is the same for the same facts, on every machine. */
function drawn(facts: readonly (string | number)[]): number {
  return createHash('sha256').update(JSON.stringify(facts)).digest().readUIntBE(0, 6) / 2 ** 48;
}
