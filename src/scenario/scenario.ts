import { z } from 'zod';
import { DOMAIN_EVENT_NAMES, STREAM_EVENT_NAMES } from './event-names.js';

const text = z.string();
const filled = z.string().refine((value) => value.trim() !== '', 'it is blank').meta({ pattern: '\\S' });
const texts = z.array(text).readonly();
const count = z.number().int().nonnegative();
const eventName = z.enum([...DOMAIN_EVENT_NAMES, ...STREAM_EVENT_NAMES]);
const countsOfEvents = z.partialRecord(eventName, count);

/** A relative path that stays where it starts, whatever it is laid below. */
const ownPath = z.string().min(1)
  .refine((path) => !path.startsWith('/') && !/(^|[/\\])\.\.([/\\]|$)/.test(path) && !path.includes('\0'), 'it must be relative, without ".." and without NUL')
  .meta({ pattern: '^(?!/)(?![\\s\\S]*(^|[/\\\\])\\.\\.([/\\\\]|$))[^\\u0000]+$' });
const withoutNul = (schema: z.ZodString): z.ZodString => schema.refine((value) => !value.includes('\0'), 'it holds a NUL byte');
/** Timers take no more. */
const LONGEST_TIMER_MS = 2_147_483_647;

export const approvalPolicySchema = z.enum(['never', 'on_request', 'always'])
  .describe('What the agent may ask before it does it. Nobody is there to say yes: whatever is asked is refused. never: it may not ask, and what would need leave is refused. on_request: it is asked for what the sandbox policy forbids. always: every action asks. Default: on_request.');

/** When the agent must ask. */
export type ApprovalPolicy = z.infer<typeof approvalPolicySchema>;

export const sandboxPolicySchema = z.strictObject({
  kind: z.enum(['read_only', 'workspace_write', 'full_access', 'danger_full_access'])
    .describe('read_only: the workspace cannot be written. workspace_write: nothing but the workspace can. full_access, danger_full_access: the limits of the container and no others. The folders for temporary files can always be written.'),
  network_access: z.boolean().exactOptional()
    .describe('Whether the sandbox reaches other hosts than the gateway to its model. Default: false; with full_access true.'),
}).describe('What the sandbox lets the agent do. Default: workspace_write.');

/** What the sandbox lets the agent do. */
export type SandboxPolicy = z.infer<typeof sandboxPolicySchema>;

const workspaceFileSchema = z.strictObject({
  path: ownPath.describe('Relative to the workspace.'),
  contains: texts.exactOptional().describe('Texts that must be in it.'),
  not_contains: texts.exactOptional().describe('Texts that must not be in it.'),
});

const postRunCommandSchema = z.strictObject({
  program: withoutNul(filled).meta({ pattern: '^(?=[\\s\\S]*\\S)[^\\u0000]+$' }).describe('A program of the sandbox; no shell reads it.'),
  args: z.array(withoutNul(text).meta({ pattern: '^[^\\u0000]*$' })).readonly().exactOptional().describe('Its arguments. Default: none.'),
  cwd: ownPath.exactOptional().describe('Relative to the workspace. Default: the workspace.'),
  exit_code: z.number().int().min(0).max(255).exactOptional().describe('What it must end with. Default: 0.'),
  timeout_ms: z.number().int().min(1).max(LONGEST_TIMER_MS).exactOptional().describe('Milliseconds that it may take. Default: 600000.'),
  stdout_contains: texts.exactOptional().describe('Texts that must be in its output.'),
  stderr_contains: texts.exactOptional().describe('Texts that must be in its error output.'),
});

export const expectedSchema = z.strictObject({
  assistant_contains: texts.exactOptional().describe('Texts that must be in the last reply.'),
  assistant_not_contains: texts.exactOptional().describe('Texts that must not be in the last reply.'),
  assistant_matches_regex: texts.exactOptional().describe('Regular expressions in the syntax of Rust that the last reply must match somewhere.'),
  event_types: z.array(eventName).readonly().exactOptional().describe('Events that must have happened.'),
  forbidden_event_types: z.array(eventName).readonly().exactOptional().describe('Events that must not have happened.'),
  min_events_of_type: countsOfEvents.exactOptional().describe('How often events must have happened at least.'),
  max_events_of_type: countsOfEvents.exactOptional().describe('How often events may have happened at the most.'),
  min_tool_invocations: count.exactOptional().describe('How many tools must have been used at least. Refused ones are not counted.'),
  max_tool_failures: count.exactOptional().describe('How many uses of tools may have failed. Refused ones are not counted.'),
  max_elapsed_ms: count.exactOptional().describe('Milliseconds that the agent may have taken for all messages together.'),
  max_context_input_tokens: count.exactOptional().describe('Input tokens that the last request to the model may have had. Without a figure it fails.'),
  max_turns: count.exactOptional().describe('How many messages the agent may have given.'),
  trajectory_actions: z.array(filled).readonly().exactOptional().describe('Ids of tools: the actions must begin with these, step by step.'),
  max_trajectory_steps: count.exactOptional().describe('How many actions there may have been.'),
  workspace_files: z.array(workspaceFileSchema).readonly().exactOptional().describe('Files of UTF-8 text that must be in the workspace at the end.'),
  post_run_commands: z.array(postRunCommandSchema).readonly().exactOptional().describe('Commands that are run in the sandbox at the end. They fail unless --allow-post-run-commands is given.'),
}).describe('What must be so at the end. Default: only that every message was answered.');

/** What must be so at the end of a scenario. */
export type ExpectedOutcome = z.infer<typeof expectedSchema>;

/** Accepts a {@link Scenario}: one line of a file. */
export const scenarioSchema = z.strictObject({
  id: filled.describe('Names the scenario; no other of the file has it.'),
  prompt: filled.describe('The first message to the agent.'),
  turns: z.array(filled).readonly().exactOptional().describe('Further messages, in the same session.'),
  system_instructions: filled.exactOptional().describe('Are added to the system prompt of the agent.'),
  profile: filled.exactOptional().describe('Agent and model: a profile of niceeval.config.ts, or fake. Default: --profile, then `defaultProfile` of the configuration.'),
  approval_policy: approvalPolicySchema.exactOptional(),
  sandbox_policy: sandboxPolicySchema.exactOptional(),
  tags: z.array(filled).readonly().exactOptional().describe('For --tags, --tag and --exclude-tag.'),
  expected: expectedSchema.exactOptional(),
});

/** What an agent is asked, under which conditions, and what must come of it. */
export type Scenario = z.infer<typeof scenarioSchema>;
