import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultRule } from '../../src/gateway/faults/fault-plan.js';
import { leftovers } from '../support/project.js';
import { runScripted, type ScriptedCase, type ScriptedOutcome } from '../support/scripted-run.js';

/** What becomes of an Attempt. A fault ends in what a model's failure of that kind is, or the CLI gets over it. */
type Ending =
  | 'passed'
  | { readonly kind: 'rate-limit' | 'auth' | 'model-service'; readonly httpStatus?: number }
  | 'timeout';

interface FaultCase {
  readonly rule: FaultRule | { readonly [cli in Cli]: FaultRule };
  readonly claude: Ending;
  readonly codex: Ending;
  /** Default: one text, and no more. */
  readonly turns?: { readonly [cli in Cli]: readonly object[] };
  readonly timeoutMs?: number;
}

type Cli = 'claude' | 'codex';

const ANSWER = 'The answer is forty-two.';
const TEXT = { text: ANSWER, usage: { inputTokens: 100, outputTokens: 10 } };
const LOOK = { claude: { name: 'Bash', input: { command: 'echo looked', description: 'Look' } }, codex: { name: 'exec_command', input: { cmd: 'echo looked' } } };
const LOOKING = { claude: [{ text: 'I look.', toolCalls: [LOOK.claude] }, TEXT], codex: [{ text: 'I look.', toolCalls: [LOOK.codex] }, TEXT] };
const SERVICE = { kind: 'model-service' } as const;

const CASES: Readonly<Record<string, FaultCase>> = {
  'limited once': { rule: { requests: [1], status: 429, retryAfterSeconds: 1 }, claude: 'passed', codex: 'passed' },
  limited: { rule: { status: 429 }, claude: { kind: 'rate-limit', httpStatus: 429 }, codex: { kind: 'rate-limit', httpStatus: 429 } },
  // codex 0.171.0 tells of any 500 that demand is high, and not its status.
  broken: { rule: { status: 500 }, claude: { kind: 'model-service', httpStatus: 500 }, codex: SERVICE },
  overloaded: { rule: { status: 529 }, claude: { kind: 'model-service', httpStatus: 529 }, codex: { kind: 'model-service', httpStatus: 529 } },
  unauthorized: { rule: { status: 401 }, claude: { kind: 'auth', httpStatus: 401 }, codex: { kind: 'auth', httpStatus: 401 } },
  silent: { rule: { claude: { stall: true }, codex: { stall: { afterEvents: 3 } } }, claude: 'timeout', codex: 'timeout', timeoutMs: 15_000 },
  slow: { rule: { trickle: { bytes: 300, everyMs: 25 } }, claude: 'passed', codex: 'passed' },
  unreachable: { rule: { cut: 'before-head' }, claude: SERVICE, codex: SERVICE },
  'cut once': { rule: { requests: [1], cut: { afterEvents: 2 } }, claude: 'passed', codex: 'passed' },
  cut: { rule: { cut: { afterEvents: 2 } }, claude: SERVICE, codex: SERVICE },
  // Its text is whole, and its tool call has not begun: Claude Code does not ask again.
  'cut between': { rule: { requests: [1], cut: { afterEvents: 6 } }, turns: LOOKING, claude: SERVICE, codex: 'passed' },
  // The call came before the cut, is carried out, and its result goes to the next request.
  'cut behind a call': { rule: { claude: { requests: [1], cut: { afterEvents: 11 } }, codex: { requests: [1], cut: { afterEvents: 14 } } }, turns: LOOKING, claude: 'passed', codex: 'passed' },
  'malformed once': { rule: { requests: [1], malformed: { atEvent: 4 } }, claude: 'passed', codex: 'passed' },
  // Of Codex, the event with the whole text; it passes over it and ends without an answer.
  malformed: { rule: { claude: { malformed: { atEvent: 1 } }, codex: { malformed: { atEvent: 9 } } }, claude: SERVICE, codex: SERVICE },
};

const AGENTS: { readonly [cli in Cli]: string } = {
  claude: `claudeCode({ env: { CLAUDE_CODE_MAX_RETRIES: '1' } })`,
  codex: `codex({ args: ['-c', 'model_providers.niceeval.request_max_retries=1', '-c', 'model_providers.niceeval.stream_max_retries=1'] })`,
};
const CLIS = ['claude', 'codex'] as const;

const idOf = (cli: Cli, name: string): string => `${cli}-${name.replaceAll(' ', '-')}`;
const SCRIPTED = Object.fromEntries(CLIS.flatMap((cli) => Object.entries(CASES).map(([name, { rule, turns, timeoutMs }]): [string, ScriptedCase] => [idOf(cli, name), {
  agent: AGENTS[cli],
  faults: { rules: ['claude' in rule ? rule[cli] : rule] },
  turns: turns?.[cli] ?? [TEXT],
  test: `t.check((await t.send('What is it?')).message, equals('${ANSWER}'));`,
  ...(timeoutMs === undefined ? {} : { settings: `timeoutMs: ${timeoutMs}` }),
}])));

describe('the truth about a model whose answers are spoilt, by the real CLIs in containers', () => {
  let run: Awaited<ReturnType<typeof runScripted>>;
  beforeAll(async () => { run = await runScripted(SCRIPTED, {}, ['--retries', '0']); }, 300_000);
  afterAll(() => run[Symbol.asyncDispose]());

  const factsOf = ({ attempt: { verdict, error, failure, turns, gateway } }: ScriptedOutcome): object => ({
    verdict, code: error?.code, send: error?.send, failure, turn: turns[0]?.failure?.kind, isFaulted: (gateway?.windows?.[0]?.faulted ?? 0) > 0,
  });

  const factsFor = (ending: Ending): object => {
    const none = { code: undefined, send: undefined, failure: undefined, turn: undefined, isFaulted: true };
    if (ending === 'passed') return { ...none, verdict: 'passed' };
    if (ending === 'timeout') return { ...none, verdict: 'errored', code: 'deadline-exceeded', failure: { kind: 'timeout', infrastructure: true }, turn: 'stopped' };
    const { kind, ...status } = ending;
    return { ...none, verdict: 'errored', code: 'agent-send-failed', send: { kind: 'api-error', ...status }, failure: { kind, infrastructure: true }, turn: 'api-error' };
  };

  describe.each(CLIS)('%s', (cli) => {
    it.each(Object.keys(CASES))('tells "%s" as it was', (name) => {
      const outcome = run.of(idOf(cli, name));
      expect(factsOf(outcome)).toEqual(factsFor((CASES[name] as FaultCase)[cli]));
    });
  });

  it('tells what the CLIs got over as what they got over', () => {
    const errorsOf = (id: string): readonly unknown[] => run.of(id).events(1).flatMap((event) => (event.type === 'error' ? [event.recovered] : []));
    expect(CLIS.map((cli) => errorsOf(idOf(cli, 'limited once')))).toEqual([[true], [true]]);
    for (const id of CLIS.flatMap((cli) => Object.keys(CASES).filter((name) => CASES[name]?.[cli] === 'passed').map((name) => idOf(cli, name)))) {
      expect([id, errorsOf(id).filter((isRecovered) => isRecovered !== true)]).toEqual([id, []]);
    }
  });

  it('leaves nothing behind', async () => {
    expect(await leftovers()).toEqual([]);
  });
});
