import type { LaneCondition } from './script.js';
import type { ModelRequest } from './wire.js';

/** True when every part of a lane's condition holds for a request. */
export function matchesLane(when: LaneCondition, request: ModelRequest): boolean {
  const { firstUserIncludes = '', lastUserIncludes = '', systemIncludes = '', hasTool, lacksTool, hasImage, model } = when;
  return (
    request.firstUser.includes(firstUserIncludes) &&
    request.lastUser.includes(lastUserIncludes) &&
    request.system.includes(systemIncludes) &&
    (hasTool === undefined || request.tools.includes(hasTool)) &&
    (lacksTool === undefined || !request.tools.includes(lacksTool)) &&
    (hasImage === undefined || request.hasImage === hasImage) &&
    (model === undefined || request.model === model)
  );
}

/**
 * True when a condition that holds for a side request was meant for it. Title requests quote the user, so that the user's words do not
 * tell them from the conversation; what they say of the system prompt and of missing tools does.
 */
export function claimsSideRequest(when: LaneCondition, quotesUser: boolean): boolean {
  return when.systemIncludes !== undefined || when.lacksTool !== undefined || (when.lastUserIncludes !== undefined && !quotesUser);
}
