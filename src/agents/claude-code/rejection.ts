/**
 * Texts by which Claude Code says that a call was refused and never ran. `permission_denials` of the result line names
 * most refused calls, but comes only at the end and lacks tools that are switched off and reads that a rule denies.
 * Deny messages of a prompt tool or of a hook are free text; only `permission_denials` shows those.
 */
// claude-code 2.1.197; fixtures/agents/claude-code/2.1.197/{permission-default,permission-plan,disallowed-tools,hooks-block-prompt-run-2}.
const REFUSALS: readonly RegExp[] = [
  /^Claude requested permissions to (?:use|write to|read from|edit) .*but you haven't granted it yet\.?/s,
  /^Permission to use [\s\S]* has been denied/,
  /^Permission to read [\s\S]* has been denied/,
  /^Cannot write to [\s\S]* while in plan mode\./,
  /^PreToolUse:\S+ hook error: /,
  /^(?:<tool_use_error>)?Error: No such tool available: [\s\S]* exists but is not enabled in this context/,
  /^<tool_use_error>File is in a directory that is denied by your permission settings/,
  /^This command requires approval/,
  /^Tool permission stream closed before response received/,
];

/** Behind the name of a folder, so not at the start. An output that quotes it comes later. */
const BLOCKED = ' was blocked. For security, Claude Code may only ';
const LONGEST_BEFORE_BLOCKED = 2000;

export function isRefusalText(text: string): boolean {
  const at = text.indexOf(BLOCKED);
  return (at !== -1 && at <= LONGEST_BEFORE_BLOCKED) || REFUSALS.some((refusal) => refusal.test(text));
}

/** The text of a call stopped by a person: a refusal when `permission_denials` names it, otherwise it had started. */
export function isInterruptText(text: string): boolean {
  return text.startsWith("The user doesn't want to proceed with this tool use.");
}
