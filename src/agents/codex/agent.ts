import { posix } from 'node:path';
import { completeEvidenceCoverage } from '../../evidence/coverage.js';
import type { Turn } from '../../evidence/turn.js';
import type { SandboxAgent, SandboxAgentContext, TurnInput } from '../agent.js';
import { defineSandboxAgent } from '../define-agent.js';
import { collectWitnesses, launch } from '../launch.js';
import { settleSend } from '../settle-send.js';
import { unsupportedEffort } from '../unsupported.js';
import { parseCodexExec, type CodexThreadMemory } from './parse.js';

/** Options of {@link codex}. */
export interface CodexOptions {
  /** Shown in tables. Default: `codex`. */
  readonly name?: string;
  /** Further arguments of `codex exec`, after ours. */
  readonly args?: readonly string[];
  /** Further environment of the CLI. */
  readonly env?: Readonly<Record<string, string>>;
}

const MEMORY = 'codex.memory';
// codex 0.171.0, model_reasoning_effort.
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'];
const TOKEN_VARIABLE = 'CODEX_API_KEY';

/**
 * The Codex CLI, started once per send as `codex exec`, without approvals and without its own sandbox: the container
 * is the boundary. `model` of the experiment becomes `--model`, `reasoningEffort` its `model_reasoning_effort`.
 */
export function codex(options: CodexOptions = {}): SandboxAgent {
  const name = options.name ?? 'codex';
  return defineSandboxAgent({
    name,
    needsEndpoint: true,
    // The most that this CLI can give; every turn states what it really had.
    evidenceCoverage: completeEvidenceCoverage,
    check: ({ reasoningEffort }) => unsupportedEffort('Codex', EFFORTS, reasoningEffort),
    send: (input, ctx) => send(name, options, input, ctx),
  });
}

async function send(name: string, options: CodexOptions, input: TurnInput, ctx: SandboxAgentContext): Promise<Turn> {
  const launched = await launch(ctx, {
    argv: [
      'codex', 'exec', ...(ctx.session.id === undefined ? [] : ['resume']),
      '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox',
      ...(ctx.model === undefined ? [] : ['--model', ctx.model]),
      ...configArguments(ctx),
      ...options.args ?? [],
      ...(ctx.session.id === undefined ? [] : [ctx.session.id]),
      '-',
    ],
    env: { HOME: ctx.sandbox.home, ...(ctx.endpoint === undefined ? {} : { [TOKEN_VARIABLE]: ctx.endpoint.token }), ...options.env },
    stdin: input.text,
  });
  const rollouts = await collectWitnesses(ctx, 'rollout', posix.join(ctx.sandbox.home, '.codex/sessions'), ['.jsonl']);
  const before = ctx.session.get<CodexThreadMemory>(MEMORY);
  const parsed = parseCodexExec(
    [{ kind: 'stdout', bytes: launched.stdout }, { kind: 'stderr', bytes: Buffer.from(launched.stderr) }, ...rollouts],
    launched.end,
    { prompt: input.text, ...(before === undefined ? {} : { before }) },
  );
  ctx.session.set(MEMORY, parsed.after);
  if (parsed.sessionId !== undefined) ctx.session.capture(parsed.sessionId);
  for (const problem of parsed.problems) ctx.diagnostic('transcript', problem);
  return settleSend(name, 'codex', launched, parsed);
}

/** `-c key=value` takes TOML; JSON strings are TOML strings. */
function configArguments(ctx: SandboxAgentContext): readonly string[] {
  const settings: [string, string | boolean | number][] = [
    // Nothing but the model can be reached; each of these would only wait for a host that is not there.
    ['check_for_update_on_startup', false],
    ['analytics.enabled', false],
    ['features.plugins', false],
    ['features.enable_request_compression', false],
    ...(ctx.reasoningEffort === undefined ? [] : [['model_reasoning_effort', ctx.reasoningEffort] as [string, string]]),
    ...(ctx.endpoint === undefined ? [] : ([
      ['model_provider', 'niceeval'],
      ['model_providers.niceeval.name', 'niceeval'],
      ['model_providers.niceeval.base_url', `${ctx.endpoint.origin}/v1`],
      ['model_providers.niceeval.wire_api', 'responses'],
      ['model_providers.niceeval.env_key', TOKEN_VARIABLE],
    ] as [string, string][])),
  ];
  return settings.flatMap(([key, value]) => ['-c', `${key}=${JSON.stringify(value)}`]);
}
