import { posix } from 'node:path';
import { completeEvidenceCoverage } from '../../evidence/coverage.js';
import type { Turn } from '../../evidence/turn.js';
import type { SandboxAgent, SandboxAgentContext, TurnInput } from '../agent.js';
import { argsOf, checkOptions, envOf, inputFilesOf } from '../agent-options.js';
import { collectWitnesses } from '../collect-witnesses.js';
import { defineSandboxAgent } from '../define-agent.js';
import { AgentInputError, AgentSendError } from '../errors.js';
import { secretsOfServers } from '../mcp-server.js';
import { startCli, type CliEnd } from '../running-cli.js';
import { createSessionSlot } from '../session-slot.js';
import { settleSend } from '../settle-send.js';
import { outputCheckOf, type OutputCheck } from '../structured-output.js';
import type { Witness } from '../transcript.js';
import { codexConditionsOf, conditionedOptions, type CodexConditions } from './conditions.js';
import { configArguments, TOKEN_VARIABLE, uploadInput } from './arguments.js';
import { openConnection, type Connection } from './connection.js';
import { codexOptionsSchema, NOT_OF_CODEX, transportOf, type CodexOptions } from './options.js';
import { idsOf, parseCodexAppServer, parseCodexExec, type CodexThreadMemory, type ParsedCodexTurn } from './parse.js';
import { codexProblem, setUpCodex } from './setup.js';
import { toldSince } from './told-since.js';

/** An app-server in the middle of a turn. */
interface LiveTurn {
  readonly connection: Connection;
  readonly check: OutputCheck;
  readonly wantsData: boolean;
  /** Everything it has sent. */
  sent: Uint8Array;
  /** What was told of the turn when it last waited. */
  told: Turn | undefined;
}

const MEMORY = createSessionSlot<CodexThreadMemory>('what earlier turns told');
const LIVE = createSessionSlot<LiveTurn>('the app-server that waits');

/**
 * The Codex CLI, started once per send: as `codex exec`, or as `codex app-server` where a person may be asked.
 * `model` of the experiment becomes its model, `reasoningEffort` its `model_reasoning_effort`.
 *
 * @throws TypeError for an option that it does not have or that does not fit.
 */
export function codex(options: CodexOptions = {}): SandboxAgent {
  checkOptions('codex', options, codexOptionsSchema, NOT_OF_CODEX);
  return agentOf(options);
}

/** @param under What the options cannot say, and what is said over them. Absent: nothing. */
function agentOf(given: CodexOptions, under?: CodexConditions): SandboxAgent {
  const options = under === undefined ? given : conditionedOptions(given, under.conditions);
  const name = options.name ?? 'codex';
  const send = transportOf(options) === 'exec' ? sendExec : sendAppServer;
  return defineSandboxAgent({
    name,
    needsEndpoint: true,
    speaks: 'openai',
    sensitiveValues: secretsOf(options),
    inputFiles: [...inputFilesOf(options), ...[options.configFile, options.hooksFile].filter((path) => path !== undefined)],
    // The most that this CLI can give; every turn states what it really had.
    evidenceCoverage: completeEvidenceCoverage,
    homeFolders: ['.codex'],
    check: (settings) => codexProblem(options, settings),
    under: (wanted, settings) => {
      const found = codexConditionsOf(given, wanted, settings);
      return typeof found === 'string' ? found : agentOf(given, found);
    },
    setup: (ctx) => setUpCodex(options, ctx, under),
    send: (input, ctx) => send({ name, options, under, ctx }, input),
  });
}

interface Sender { readonly name: string; readonly options: CodexOptions; readonly under: CodexConditions | undefined; readonly ctx: SandboxAgentContext }

async function sendExec(sender: Sender, input: TurnInput): Promise<Turn> {
  const { options, under, ctx } = sender;
  if (input.responses !== undefined) throw new AgentInputError('There is nobody to answer: `codex exec` asks nothing.');
  const check = outputCheckOf(input.schema);
  const { images, schema } = await uploadInput(input, ctx);
  const cli = await startCli(ctx, {
    argv: [
      'codex', 'exec', ...(ctx.session.id === undefined ? [] : ['resume']), '--json', '--skip-git-repo-check',
      // Hooks that nobody trusted would be left out without a word.
      ...(options.hooksFile === undefined ? [] : ['--dangerously-bypass-hook-trust']),
      ...(ctx.model === undefined ? [] : ['--model', ctx.model]),
      ...configArguments(options, ctx, under),
      ...images.map((path) => `--image=${path}`),
      ...(schema === undefined ? [] : ['--output-schema', schema]),
      ...argsOf(options, ctx.flags),
      ...(ctx.session.id === undefined ? [] : [ctx.session.id]),
      '-',
    ],
    env: environment(options, ctx),
    sensitiveValues: secretsOf(options),
  });
  cli.write(input.text);
  cli.endInput();
  const ended = await cli.ended;
  const rollouts = await rolloutsOf(sender);
  const before = ctx.session.get(MEMORY);
  const witnesses: readonly Witness[] = [{ kind: 'stdout', bytes: cli.takeOutput() }, { kind: 'stderr', bytes: Buffer.from(ended.stderr) }, ...rollouts];
  const parsed = parseCodexExec(witnesses, ended.end, { prompt: input.text, wantsData: input.schema !== undefined, ...(before === undefined ? {} : { before }) });
  return check(settled(sender, parsed, ended));
}

async function sendAppServer(sender: Sender, input: TurnInput): Promise<Turn> {
  const { ctx } = sender;
  const live = input.responses === undefined ? await beginTurn(sender, input) : ctx.session.take(LIVE);
  if (live === undefined) throw new AgentInputError('There is nobody to answer: no turn of this session waits.');
  const { connection } = live;
  if (input.responses !== undefined) connection.answer(input.responses);
  const waits = await connection.rest() === 'asking';
  const ended = waits ? undefined : await connection.cli.ended;
  live.sent = Buffer.concat([live.sent, connection.cli.takeOutput({ wholeLines: waits })]);
  const rollouts = await rolloutsOf(sender);
  const before = ctx.session.get(MEMORY);
  const parsed = parseCodexAppServer(
    [{ kind: 'stdout', bytes: live.sent }, ...(ended === undefined ? [] : [{ kind: 'stderr', bytes: Buffer.from(ended.stderr) } as const]), ...rollouts],
    ended?.end ?? { exitCode: null },
    { prompt: input.text, wantsData: live.wantsData, ownProcess: true, ...(before === undefined ? {} : { before }) },
  );
  const refusal = connection.refusal();
  if (refusal !== undefined && parsed.turn.events.length === 0) {
    throw new AgentSendError(`${sender.name} did not begin the turn: ${refusal}.`, { kind: 'not-started', agent: sender.name, turn: parsed.turn });
  }
  const part = { ...parsed, turn: toldSince(live.told, parsed.turn) };
  if (waits) {
    live.told = parsed.turn;
    ctx.session.set(LIVE, live);
  }
  return live.check(settled(sender, part, ended));
}

async function beginTurn({ options, under, ctx }: Sender, input: TurnInput): Promise<LiveTurn> {
  const check = outputCheckOf(input.schema);
  const { images } = await uploadInput(input, ctx);
  const connection = await openConnection(
    ctx,
    { argv: ['codex', 'app-server', ...configArguments(options, ctx, under), ...argsOf(options, ctx.flags)], env: environment(options, ctx), sensitiveValues: secretsOf(options) },
    {
      text: input.text, images, idOf: idsOf(ctx.session.get(MEMORY)),
      ...(ctx.session.id === undefined ? {} : { threadId: ctx.session.id }),
      ...(ctx.model === undefined ? {} : { model: ctx.model }),
      ...(ctx.reasoningEffort === undefined ? {} : { effort: ctx.reasoningEffort }),
      ...(input.schema === undefined ? {} : { schema: input.schema }),
      ...(under?.conditions.approvals === 'always' ? { approvals: 'untrusted' as const } : {}),
    },
  );
  ctx.onEnd('end the Codex app-server', () => connection.cli.stop(new Error('the Attempt has ended')));
  return { connection, check, wantsData: input.schema !== undefined, sent: new Uint8Array(), told: undefined };
}

/** Remembers what was told and settles the send. */
function settled({ name, ctx }: Sender, parsed: ParsedCodexTurn, ended: CliEnd | undefined): Turn {
  // A turn that waits is read again as a whole.
  if (ended !== undefined) ctx.session.set(MEMORY, parsed.after);
  if (parsed.sessionId !== undefined) ctx.session.capture(parsed.sessionId);
  for (const problem of parsed.problems) ctx.diagnostic('transcript', problem);
  return settleSend({ agent: name, program: 'codex', ...(ended === undefined ? {} : { ended }) }, parsed);
}

function rolloutsOf({ options, ctx }: Sender): Promise<readonly Witness[]> {
  return collectWitnesses(ctx, { kind: 'rollout', folder: posix.join(ctx.sandbox.home, '.codex/sessions'), suffixes: ['.jsonl'], sensitiveValues: secretsOf(options) });
}

function secretsOf({ sensitiveValues = [], mcpServers = [] }: CodexOptions): readonly string[] {
  return [...sensitiveValues, ...secretsOfServers(mcpServers)];
}

function environment(options: CodexOptions, ctx: SandboxAgentContext): Readonly<Record<string, string>> {
  return { HOME: ctx.sandbox.home, ...(ctx.endpoint === undefined ? {} : { [TOKEN_VARIABLE]: ctx.endpoint.token }), ...envOf(options, ctx.flags) };
}
