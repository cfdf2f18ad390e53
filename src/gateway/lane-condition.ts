import { quoted } from './quoted.js';
import type { LaneCondition, TurnExpectation } from './script.js';
import type { ModelRequest } from './wire.js';

/** True when every part of a lane's condition holds for a request. */
export function matchesLane(when: LaneCondition, request: ModelRequest): boolean {
  return misfitOf(when, request) === undefined;
}

/** The first part of an expectation that does not hold, with what was seen instead, on one line. `undefined`: all hold. */
export function misfitOf(expects: TurnExpectation, request: ModelRequest): string | undefined {
  for (const [part, wanted] of Object.entries(expects) as readonly [keyof TurnExpectation, string | boolean][]) {
    const { holds, seen } = PARTS[part](wanted, request);
    if (!holds) return `${part} ${typeof wanted === 'string' ? quoted(wanted) : wanted}, but the request has ${seen()}`;
  }
  return undefined;
}

interface Part {
  readonly holds: boolean;
  readonly seen: () => string;
}

const including = (of: (request: ModelRequest) => string) => (wanted: string | boolean, request: ModelRequest): Part => ({
  holds: of(request).includes(String(wanted)),
  seen: () => quoted(of(request)),
});

const toolsOf = ({ tools }: ModelRequest): string => (tools.length === 0 ? 'no tools' : `the tools ${quoted(tools.join(', '))}`);

const PARTS: { readonly [part in keyof Required<TurnExpectation>]: (wanted: string | boolean, request: ModelRequest) => Part } = {
  firstUserIncludes: including(({ firstUser }) => firstUser),
  lastUserIncludes: including(({ lastUser }) => lastUser),
  systemIncludes: including(({ system }) => system),
  toolResultIncludes: including(({ toolResults }) => toolResults),
  hasTool: (wanted, request) => ({ holds: request.tools.includes(String(wanted)), seen: () => toolsOf(request) }),
  lacksTool: (wanted, request) => ({ holds: !request.tools.includes(String(wanted)), seen: () => toolsOf(request) }),
  hasImage: (wanted, { hasImage }) => ({ holds: hasImage === wanted, seen: () => (hasImage ? 'an image' : 'no image') }),
  model: (wanted, { model }) => ({ holds: model === wanted, seen: () => quoted(model) }),
  agent: (wanted, { agent }) => ({ holds: wanted === 'subagent' ? agent !== undefined : (agent ?? 'main') === wanted, seen: () => quoted(agent ?? 'main') }),
};

/**
 * True when a condition that holds for a side request was meant for it. Title requests quote the user, so that the user's words do not
 * tell them from the conversation; what they say of the system prompt and of missing tools does.
 */
export function claimsSideRequest(when: LaneCondition, quotesUser: boolean): boolean {
  return when.systemIncludes !== undefined || when.lacksTool !== undefined || (when.lastUserIncludes !== undefined && !quotesUser);
}
