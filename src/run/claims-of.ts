import { ClaimAuthoringError } from '../assert/errors.js';
import { event, eventOrder, notEvent } from '../assert/event-claims.js';
import type { ClaimSpec } from '../assert/entry.js';
import type { AnyHandle, HandleSet } from '../assert/handle.js';
import type { ClaimLedger } from '../assert/ledger.js';
import { maxCost, maxDuration, maxRequests, maxTokens, maxTurns } from '../assert/limits.js';
import type { ScopeEvidence } from '../assert/scope.js';
import { succeeded } from '../assert/status-claims.js';
import { calledTool, maxToolCalls, noFailedActions, notCalledTool, toolOrder, usedNoTools } from '../assert/tool-claims.js';
import type { ScopedClaims } from '../define/context.js';

/** Handles that can do whatever their claim allows; authors see the part that their kind of eval has. */
export interface AnyHandles extends HandleSet {
  readonly claim: AnyHandle;
  readonly file: AnyHandle;
  readonly measurement: AnyHandle;
}

/** The claims of one scope. Each takes a frozen look at it when it is made. */
export function claimsOf(claims: ClaimLedger, scope: () => ScopeEvidence): ScopedClaims<AnyHandles> {
  const claim = <A extends readonly unknown[]>(name: string, most: number, specOf: (scope: ScopeEvidence, ...given: A) => ClaimSpec) => (...given: A): AnyHandle => {
    checkArguments(name, most, given);
    return claims.register(specOf(scope(), ...given));
  };
  return {
    succeeded: claim('succeeded', 0, succeeded),
    calledTool: claim('calledTool', 2, calledTool),
    notCalledTool: claim('notCalledTool', 1, notCalledTool),
    toolOrder: claim('toolOrder', 1, toolOrder),
    usedNoTools: claim('usedNoTools', 0, usedNoTools),
    maxToolCalls: claim('maxToolCalls', 1, maxToolCalls),
    noFailedActions: claim('noFailedActions', 0, noFailedActions),
    event: claim('event', 2, event),
    notEvent: claim('notEvent', 1, notEvent),
    eventOrder: claim('eventOrder', 1, eventOrder),
    maxTokens: claim('maxTokens', 2, maxTokens),
    maxCost: claim('maxCost', 1, maxCost),
    maxDuration: claim('maxDuration', 1, maxDuration),
    maxTurns: claim('maxTurns', 1, maxTurns),
    maxRequests: claim('maxRequests', 1, maxRequests),
  };
}

/** @throws ClaimAuthoringError for an argument too many: it would be taken and not be looked at. */
export function checkArguments(name: string, most: number, given: readonly unknown[]): void {
  if (given.length <= most) return;
  throw new ClaimAuthoringError(`${name}() takes ${most === 0 ? 'no arguments' : `${most} argument${most === 1 ? '' : 's'} at the most`}, not ${given.length}.`);
}
