/**
 * Texts by which Codex says that a call was refused and never ran. A sandbox that stops a command in its run is no
 * refusal: that command ran and failed. Nor are calls that could not be made: unknown tools, malformed arguments,
 * patches that do not apply, processes that cannot be spawned.
 */
// codex 0.171.0; fixtures/agents/codex/0.171.0/{rules-forbidden,escalate-never,patch-denied,auto-review,hooks,mcp}.
const REFUSALS: readonly RegExp[] = [
  /approval required by policy, but AskForApproval is set to Never/,
  /approval policy is Never; reject command/,
  /^patch rejected: (?!empty patch)/,
  /Rejected\("rejected by user"\)/,
  /This action was rejected due to unacceptable risk/,
  /Automatic approval review failed/,
  /^Command blocked by PreToolUse hook: /,
  /MCP tool call requires approval, but approval policy is never/,
  /^user rejected MCP tool call/,
  /\brejected: /,
];

export function isRefusalText(text: string): boolean {
  return !text.includes('Failed to create unified exec process') && REFUSALS.some((refusal) => refusal.test(text));
}
