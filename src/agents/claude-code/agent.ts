import { posix } from 'node:path';
import { completeEvidenceCoverage } from '../../evidence/coverage.js';
import type { Turn } from '../../evidence/turn.js';
import type { SandboxAgent, SandboxAgentContext, TurnInput } from '../agent.js';
import { argsOf, checkOptions, envOf, inputFilesOf } from '../agent-options.js';
import { collectWitnesses } from '../collect-witnesses.js';
import { defineSandboxAgent } from '../define-agent.js';
import { AgentInputError, AgentSendError } from '../errors.js';
import { secretsOfServers } from '../mcp-server.js';
import type { AgentConditions } from '../conditions.js';
import { createSessionSlot } from '../session-slot.js';
import { settleSend } from '../settle-send.js';
import { outputCheckOf, type OutputCheck } from '../structured-output.js';
import { userMessageOf } from './answers.js';
import { conditionedEnvironment, conditionedOptions, conditionsProblem } from './conditions.js';
import { openDialogue, type Dialogue } from './dialogue.js';
import { claudeCodeOptionsSchema, NOT_OF_CLAUDE_CODE, type ClaudeCodeOptions } from './options.js';
import { parseClaudeCode, type ClaudeCodeSessionMemory } from './parse.js';
import { claudeCodeProblem, placesOf, setUpClaudeCode } from './setup.js';

/** A process of the CLI that is at work on a turn, or waits in the middle of one. */
interface LiveProcess {
  readonly dialogue: Dialogue;
  readonly check: OutputCheck;
  readonly wantsData: boolean;
  /** Lines of its output that earlier turns told. */
  lines: number;
}

const MEMORY = createSessionSlot<ClaudeCodeSessionMemory>('what earlier turns told');
const LIVE = createSessionSlot<LiveProcess>('the process that waits');

/**
 * The Claude Code CLI, started once per send in print mode and spoken to in stream-json: what it asks a person becomes
 * `input.requested`. `model` of the experiment becomes `--model`, `reasoningEffort` becomes `--effort`.
 *
 * @throws TypeError for an option that it does not have or that does not fit.
 */
export function claudeCode(options: ClaudeCodeOptions = {}): SandboxAgent {
  checkOptions('claudeCode', options, claudeCodeOptionsSchema, NOT_OF_CLAUDE_CODE);
  return agentOf(options);
}

/** @param conditions What the options cannot say, and what is said over them. Absent: nothing. */
function agentOf(given: ClaudeCodeOptions, conditions?: AgentConditions): SandboxAgent {
  const options = conditions === undefined ? given : conditionedOptions(given, conditions);
  const name = options.name ?? 'claude-code';
  return defineSandboxAgent({
    name,
    needsEndpoint: true,
    speaks: 'anthropic',
    sensitiveValues: secretsOf(options),
    inputFiles: [...inputFilesOf(options), ...(options.settingsFile === undefined ? [] : [options.settingsFile]), ...options.plugins ?? []],
    // The most that this CLI can give; every turn states what it really had.
    evidenceCoverage: completeEvidenceCoverage,
    homeFolders: ['.claude'],
    check: (settings) => claudeCodeProblem(options, settings),
    under: (wanted) => conditionsProblem(wanted) ?? agentOf(given, wanted),
    setup: (ctx) => setUpClaudeCode(options, ctx, conditions),
    send: (input, ctx) => send({ name, options, conditions }, input, ctx),
  });
}

interface Sender { readonly name: string; readonly options: ClaudeCodeOptions; readonly conditions: AgentConditions | undefined }

async function send(sender: Sender, input: TurnInput, ctx: SandboxAgentContext): Promise<Turn> {
  const { name, options } = sender;
  const live = input.responses === undefined ? await begin(sender, input, ctx) : ctx.session.take(LIVE);
  if (live === undefined) throw new AgentInputError('There is nobody to answer: no turn of this session waits.');
  const { dialogue } = live;
  if (input.responses !== undefined) dialogue.answer(input.responses);
  const waits = await dialogue.rest() === 'asking';
  const ended = waits ? undefined : await dialogue.cli.ended;
  const stdout = dialogue.cli.takeOutput({ wholeLines: waits });
  const sessions = await collectWitnesses(ctx, {
    kind: 'session', folder: posix.join(ctx.sandbox.home, '.claude/projects'), suffixes: ['.jsonl', '.json', '.txt'], sensitiveValues: secretsOf(options),
  });
  const before = ctx.session.get(MEMORY);
  const parsed = parseClaudeCode(
    [{ kind: 'stdout', bytes: stdout }, ...(ended === undefined ? [] : [{ kind: 'stderr', bytes: Buffer.from(ended.stderr) } as const]), ...sessions],
    ended?.end ?? { exitCode: null },
    {
      prompt: input.text, wantsData: live.wantsData, denied: dialogue.denied, toBeContinued: waits,
      ...(before === undefined ? {} : { before }), ...(live.lines === 0 ? {} : { goesOn: { lines: live.lines } }),
    },
  );
  live.lines += stdout.reduce((count, byte) => (byte === LINE_FEED ? count + 1 : count), 0);
  ctx.session.set(MEMORY, parsed.after);
  if (waits) ctx.session.set(LIVE, live);
  if (parsed.sessionId !== undefined) ctx.session.capture(parsed.sessionId);
  for (const problem of parsed.problems) ctx.diagnostic('transcript', problem);
  return live.check(settleSend({ agent: name, program: 'claude', ...(ended === undefined ? {} : { ended }) }, parsed));
}

const LINE_FEED = 0x0a;

/** Starts the CLI, waits for its tool servers, and says the message. */
async function begin({ name, options, conditions }: Sender, input: TurnInput, ctx: SandboxAgentContext): Promise<LiveProcess> {
  const check = outputCheckOf(input.schema);
  const message = userMessageOf(input);
  const isFirst = ctx.session.id === undefined;
  const dialogue = await openDialogue(ctx, {
    argv: argvOf(options, conditions, input, ctx), env: { ...environment(ctx), ...(conditions === undefined ? {} : conditionedEnvironment(conditions, placesOf(ctx.sandbox.home).own)), ...envOf(options, ctx.flags) }, sensitiveValues: secretsOf(options),
  });
  ctx.onEnd('end Claude Code', () => dialogue.cli.stop(new Error('the Attempt has ended')));
  if ((options.mcpServers ?? []).length > 0) {
    const absent = (await dialogue.serversReady()).filter(({ status }) => status !== 'connected');
    for (const { name: server, status, error } of absent) {
      const message = `The MCP server "${server}" is ${status}${error === undefined ? '' : `: ${error}`}.`;
      // What the agent itself broke in an earlier turn is its own doing, and nobody relies on a server that only the workspace names.
      if (!isFirst || options.mcpServers?.some((own) => own.name === server) !== true) ctx.diagnostic('mcp-server', message);
      else {
        await dialogue.cli.stop(new Error('a tool server is missing'));
        throw new AgentSendError(`${name} was not asked anything: ${message} Look at its \`mcpServers\`.`, { kind: 'not-started', agent: name });
      }
    }
  }
  dialogue.say(message);
  return { dialogue, check, wantsData: input.schema !== undefined, lines: 0 };
}

function argvOf(options: ClaudeCodeOptions, conditions: AgentConditions | undefined, input: TurnInput, ctx: SandboxAgentContext): readonly string[] {
  const places = placesOf(ctx.sandbox.home);
  const { permissionMode = 'bypassPermissions', mcpServers = [], plugins = [] } = options;
  const given = (flag: string, value: string | number | undefined): readonly string[] => (value === undefined ? [] : [`${flag}=${value}`]);
  return [
    'claude', '--print', '--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json', '--permission-prompt-tool', 'stdio',
    ...(permissionMode === 'bypassPermissions' ? ['--dangerously-skip-permissions'] : ['--permission-mode', permissionMode]),
    ...given('--model', ctx.model),
    ...given('--effort', ctx.reasoningEffort),
    ...given('--resume', ctx.session.id),
    ...given('--system-prompt', options.systemPrompt),
    ...given('--append-system-prompt', options.appendSystemPrompt),
    ...given('--allowedTools', options.allowedTools?.join(',')),
    ...given('--disallowedTools', options.disallowedTools?.join(',')),
    ...given('--tools', options.tools?.join(',')),
    ...given('--max-turns', options.maxTurns),
    ...given('--json-schema', input.schema === undefined ? undefined : JSON.stringify(input.schema)),
    ...given('--settings', options.settingsFile === undefined && conditions === undefined ? undefined : places.settings),
    // Under conditions the servers of the workspace may start as well, or none at all.
    ...((conditions === undefined ? mcpServers.length > 0 : !conditions.mcp) ? ['--strict-mcp-config'] : []),
    ...(mcpServers.length === 0 ? [] : [`--mcp-config=${places.mcp}`]),
    ...plugins.map((_plugin, index) => `--plugin-dir=${places.plugin(index)}`),
    ...argsOf(options, ctx.flags),
  ];
}

function secretsOf({ sensitiveValues = [], mcpServers = [] }: ClaudeCodeOptions): readonly string[] {
  return [...sensitiveValues, ...secretsOfServers(mcpServers)];
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
