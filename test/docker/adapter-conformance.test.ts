import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { SandboxAgent, SandboxAgentContext } from '../../src/agents/agent.js';
import { claudeCode } from '../../src/agents/claude-code/agent.js';
import { codex } from '../../src/agents/codex/agent.js';
import { agentConformance } from '../../src/agents/conformance/agent-conformance.js';
import type { OpenedContext } from '../../src/agents/conformance/agent-subject.js';
import { openMemoryContext } from '../../src/agents/conformance/memory-context.js';
import { placeGateway, type PlacedGateway } from '../../src/gateway/placement.js';
import { scriptOf } from '../../src/gateway/script.js';
import { openTestSandbox, type TestSandbox } from '../support/sandboxes.js';

/** More sends than any check makes. */
const MOST_SENDS = 6;

/** What one CLI's model says: a call and a word for each message, a call that takes long, and a question. */
interface Words {
  readonly call: object;
  readonly longCall: object;
  readonly question?: object;
}

const CLAUDE_CODE: Words = {
  call: { name: 'Bash', input: { command: 'echo worked', description: 'Work' } },
  longCall: { name: 'Bash', input: { command: 'sleep 100', description: 'Wait' } },
  question: { name: 'AskUserQuestion', input: { questions: [{ question: 'Which colour?', header: 'Colour', multiSelect: false, options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue', description: 'Cold' }] }] } },
};
const CODEX: Words = {
  call: { name: 'exec_command', input: { cmd: 'echo worked' } },
  longCall: { name: 'exec_command', input: { cmd: 'sleep 100', yield_time_ms: 30_000 } },
};
const CODEX_ASKING: Words = {
  ...CODEX,
  question: { name: 'request_user_input', input: { questions: [{ id: 'colour', header: 'Colour', question: 'Which colour?', options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue', description: 'Cold' }] }] } },
};

function scriptFor({ call, longCall, question }: Words): object {
  return {
    format: 'niceeval.script/v1',
    lanes: [
      { name: 'long', when: { firstUserIncludes: 'LONG' }, turns: [{ toolCalls: [longCall] }, { text: 'Too late.' }] },
      ...(question === undefined ? [] : [{ name: 'question', when: { firstUserIncludes: 'QUESTION' }, turns: [{ toolCalls: [question] }, { text: 'Red it is.' }] }]),
      { name: 'main', turns: Array.from({ length: MOST_SENDS }, () => [{ text: 'I work.', toolCalls: [call] }, { text: 'Done.' }]).flat() },
    ],
  };
}

// One sandbox and one gateway for all of them: what the checks need is a context of their own, not a container.
describe('the adapters with their real CLIs', () => {
  let open: TestSandbox;
  let gateway: PlacedGateway;

  beforeAll(async () => {
    open = await openTestSandbox({ closed: true, onNetwork: async (network, provider) => { gateway = await placeGateway(provider, network); } });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await open[Symbol.asyncDispose]();
  });

  const openContext = async (words: Words): Promise<OpenedContext<SandboxAgentContext>> => {
    const id = randomBytes(8).toString('hex');
    const token = `niceeval-${randomBytes(24).toString('hex')}`;
    await gateway.control.open({ id, token, mode: { kind: 'scripted', script: scriptOf(scriptFor(words), 'conformance') } });
    const context = openMemoryContext({ sandbox: open.sandbox, endpoint: { origin: gateway.origin, token } });
    return {
      ctx: context.ctx,
      async [Symbol.asyncDispose]() {
        await context[Symbol.asyncDispose]();
        await gateway.control.close(id);
      },
    };
  };

  const agents: readonly (readonly [SandboxAgent, Words])[] = [
    [claudeCode(), CLAUDE_CODE], [codex({ name: 'codex exec' }), CODEX], [codex({ name: 'codex app-server', askUser: true }), CODEX_ASKING],
  ];
  for (const [agent, words] of agents) {
    const checks = agentConformance({
      agent, openContext: () => openContext(words), prompt: 'Work.', longPrompt: 'LONG work.',
      ...(words.question === undefined ? {} : { waitingPrompt: 'QUESTION first.' }),
    });
    for (const { title, run } of checks) it(title, run);
  }
});
