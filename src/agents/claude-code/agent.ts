import { posix } from 'node:path';
import { completeEvidenceCoverage } from '../../evidence/coverage.js';
import type { Turn } from '../../evidence/turn.js';
import type { SandboxAgent, SandboxAgentContext, TurnInput } from '../agent.js';
import { defineSandboxAgent } from '../define-agent.js';
import { collectWitnesses, launch } from '../launch.js';
import { settleSend } from '../settle-send.js';
import { unsupportedEffort } from '../unsupported.js';
import { parseClaudeCode, type ClaudeCodeSessionMemory } from './parse.js';

/** Options of {@link claudeCode}. */
export interface ClaudeCodeOptions {
  /** Shown in tables. Default: `claude-code`. */
  readonly name?: string;
  /** Further arguments of the CLI, after ours. */
  readonly args?: readonly string[];
  /** Further environment of the CLI. */
  readonly env?: Readonly<Record<string, string>>;
}

const MEMORY = 'claude-code.memory';
// claude 2.1.197 --help, --effort.
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * The Claude Code CLI, started once per send in print mode, without permission prompts: the container is the boundary.
 * `model` of the experiment becomes `--model`, `reasoningEffort` becomes `--effort`.
 */
export function claudeCode(options: ClaudeCodeOptions = {}): SandboxAgent {
  const name = options.name ?? 'claude-code';
  return defineSandboxAgent({
    name,
    needsEndpoint: true,
    // The most that this CLI can give; every turn states what it really had.
    evidenceCoverage: completeEvidenceCoverage,
    check: ({ reasoningEffort }) => unsupportedEffort('Claude Code', EFFORTS, reasoningEffort),
    send: (input, ctx) => send(name, options, input, ctx),
  });
}

async function send(name: string, options: ClaudeCodeOptions, input: TurnInput, ctx: SandboxAgentContext): Promise<Turn> {
  const launched = await launch(ctx, {
    argv: [
      'claude', '--print', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions',
      ...(ctx.model === undefined ? [] : ['--model', ctx.model]),
      ...(ctx.reasoningEffort === undefined ? [] : ['--effort', ctx.reasoningEffort]),
      ...(ctx.session.id === undefined ? [] : ['--resume', ctx.session.id]),
      ...options.args ?? [],
    ],
    env: { ...environment(ctx), ...options.env },
    stdin: input.text,
  });
  const sessions = await collectWitnesses(ctx, 'session', posix.join(ctx.sandbox.home, '.claude/projects'), ['.jsonl', '.json', '.txt']);
  const before = ctx.session.get<ClaudeCodeSessionMemory>(MEMORY);
  const parsed = parseClaudeCode(
    [{ kind: 'stdout', bytes: launched.stdout }, { kind: 'stderr', bytes: Buffer.from(launched.stderr) }, ...sessions],
    launched.end,
    { prompt: input.text, ...(before === undefined ? {} : { before }) },
  );
  ctx.session.set(MEMORY, parsed.after);
  if (parsed.sessionId !== undefined) ctx.session.capture(parsed.sessionId);
  for (const problem of parsed.problems) ctx.diagnostic('transcript', problem);
  return settleSend(name, 'claude', launched, parsed);
}

function environment(ctx: SandboxAgentContext): Record<string, string> {
  return {
    ...(ctx.endpoint === undefined ? {} : { ANTHROPIC_BASE_URL: ctx.endpoint.origin, ANTHROPIC_API_KEY: ctx.endpoint.token }),
    HOME: ctx.sandbox.home,
    // Nothing but the model can be reached; each of these would only wait for a host that is not there.
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // claude refuses --dangerously-skip-permissions to root unless it is told that it is boxed in.
    ...(ctx.sandbox.agentIsRoot ? { IS_SANDBOX: '1' } : {}),
  };
}
