export { and, not, or } from './combine.js';
export { jsonMatch, type JsonPattern } from './json-match.js';
export type { Match, MatchOutcome, ToolMatch, ValueMatch } from './match.js';
export { commandMatch, type CommandConditions } from './command.js';
export { toolMatch, type ToolConditions, type ToolStatus } from './tool.js';
export { commandSucceeded, equals, excludes, includes, isDefined, isFalse, isTrue, pattern, satisfies } from './values.js';
