import { setTimeout as delay } from 'node:timers/promises';
import pRetry from 'p-retry';
import { addUsage, type Usage } from '../evidence/usage.js';
import { startDeadline, type Deadline } from '../lifetime/deadline.js';
import { messageOf } from '../lifetime/error.js';
import { Semaphore } from '../lifetime/semaphore.js';
import { anthropicMessages } from './anthropic-messages.js';
import type { JudgeAnswer, JudgeUnavailableCode } from './answer.js';
import { completeJudgeConfig, judgeConfigProblem, type CompleteJudgeConfig, type JudgeConfig } from './config.js';
import { JudgeConfigError } from './errors.js';
import { createPrompt, judgeMaterialSchema, tooLongProblem, type JudgeMaterial, type JudgePrompt } from './material.js';
import { openaiChat } from './openai-chat.js';
import { judgeQuestionProblem, type JudgeQuestion } from './question.js';
import { shownText } from './shown-text.js';
import { tryOnce, type TryFailure, type TrySuccess } from './try-once.js';

/** What a judge needs of the world. */
export interface JudgeWorld {
  /** The value of an environment variable. Read anew for each question. */
  readonly env: (name: string) => string | undefined;
  /** Ends every question, for instance on Ctrl-C. */
  readonly signal?: AbortSignal;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
  /** Milliseconds before the second try, doubled before the third, each made up to twice as long by chance. Default: 500. */
  readonly backoffMs?: number;
}

/** A model that can be asked about what an agent produced. */
export interface Judge {
  readonly config: CompleteJudgeConfig;
  /**
   * Asks one question. Never rejects: without an answer there is a code and a reason. At most four questions of a judge are
   * asked at once; the others wait, and their time begins when it is their turn.
   *
   * Tries three times in all when the endpoint is busy, fails (408, 409, 429, 5xx), cannot be reached or takes too long, and a
   * second time, once, when the answer cannot be read. Waits as long as `Retry-After` says; gives up when that is longer
   * than what is left. A request in a simpler form, for a server that refuses the better one, is not one of the three.
   *
   * @param options.signal Ends this question.
   */
  ask(question: JudgeQuestion, material: JudgeMaterial, options?: { readonly signal?: AbortSignal }): Promise<JudgeAnswer>;
}

const MOST_AT_ONCE = 4;
const TRIES = 3;
const LONGEST_BACKOFF_MS = 10_000;

/** @throws JudgeConfigError for a configuration with a {@link judgeConfigProblem}. */
export function createJudge(input: JudgeConfig, world: JudgeWorld): Judge {
  const problem = judgeConfigProblem(input);
  if (problem !== undefined) throw new JudgeConfigError(problem);
  const config = completeJudgeConfig(input);
  const wire = config.protocol === 'openai' ? openaiChat : anthropicMessages;
  const places = new Semaphore(MOST_AT_ONCE);
  // What a server refused once it is not asked for again.
  let formIndex = 0;

  async function tryWith(prompt: JudgePrompt, key: string, signal: AbortSignal): Promise<TrySuccess | TryFailure> {
    const used = formIndex;
    const form = wire.forms[used];
    if (form === undefined) throw new RangeError(`There is no form ${used}.`);
    const outcome = await tryOnce({
      config, wire, form, prompt, key, signal, fetch: world.fetch ?? fetch, limitMs: Math.ceil(config.timeoutMs / TRIES),
    });
    if (outcome.kind === 'failed' && outcome.again === 'other-form') formIndex = Math.max(formIndex, used + 1);
    return outcome;
  }

  return {
    config,
    async ask(question, material, { signal: own } = {}) {
      const unusable = unusableProblem(question, material);
      if (unusable !== undefined) return unasked('judge-question-unusable', unusable);
      const tooLong = tooLongProblem(question, material);
      if (tooLong !== undefined) return unasked('material-too-long', tooLong);
      const key = world.env(config.apiKeyEnv)?.trim() ?? '';
      const keyProblem = keyProblemOf(key, config);
      if (keyProblem !== undefined) return unasked('judge-key-missing', keyProblem);

      const signals = [world.signal, own].filter((signal) => signal !== undefined);
      const caller = AbortSignal.any(signals);
      let leave: () => void;
      try {
        leave = await places.acquire(caller);
      } catch {
        return unasked('interrupted', INTERRUPTED);
      }
      const deadline = startDeadline(config.timeoutMs, { budget: 'judge timeout', parent: caller });
      try {
        const prompt = createPrompt(question, material);
        return await measure({ config, key, caller, deadline, prompt, backoffMs: world.backoffMs ?? 500, once: () => tryWith(prompt, key, deadline.signal) });
      } finally {
        deadline.close();
        leave();
      }
    },
  };
}

interface Measurement {
  readonly config: CompleteJudgeConfig;
  readonly key: string;
  readonly caller: AbortSignal;
  readonly deadline: Deadline;
  readonly prompt: JudgePrompt;
  readonly backoffMs: number;
  once(): Promise<TrySuccess | TryFailure>;
}

async function measure(measurement: Measurement): Promise<JudgeAnswer> {
  const { config, deadline, prompt } = measurement;
  const usages: Usage[] = [];
  let unreadable = 0;
  let last: TryFailure | undefined;
  let tries = 0;
  const effort = (): Pick<JudgeAnswer, 'usage' | 'tries'> => ({ usage: addUsage(usages), tries });

  try {
    const { choice, rationale, model } = await pRetry(async () => {
      tries += 1;
      const outcome = await measurement.once();
      usages.push(outcome.usage);
      if (outcome.kind === 'chosen') return outcome;
      last = outcome;
      if (outcome.code === 'judge-answer-unreadable') unreadable += 1;
      throw new FailedTry(outcome);
    }, {
      retries: TRIES - 1,
      minTimeout: measurement.backoffMs,
      maxTimeout: LONGEST_BACKOFF_MS,
      randomize: true,
      signal: deadline.signal,
      shouldConsumeRetry: ({ error }) => !(error instanceof FailedTry && error.failure.again === 'other-form'),
      shouldRetry: ({ error }) => error instanceof FailedTry && unreadable <= 1 && mayRetry(error.failure, deadline),
    });
    const score = prompt.choices.find(({ name }) => name === choice)?.score;
    if (score === undefined) throw new RangeError(`There is no choice "${choice}".`);
    return { status: 'measured', score, choice, rationale, model: config.model, ...(model !== undefined && model !== config.model && { reportedModel: model }), ...effort() };
  } catch (thrown) {
    return { status: 'unavailable', ...endOf(thrown, last, measurement), ...effort() };
  }
}

/** Waits as long as the endpoint asks for, beyond the back-off, when there is time for that. */
async function mayRetry(failure: TryFailure, deadline: Deadline): Promise<boolean> {
  if (failure.again !== 'later') return failure.again === 'other-form';
  const { retryAfterMs = 0 } = failure;
  if (retryAfterMs >= deadline.remainingMs()) {
    throw new FailedTry({ ...failure, reason: `${failure.reason} It asks to wait for ${Math.ceil(retryAfterMs / 1000)} s, which is longer than what is left of \`timeoutMs\`.` });
  }
  if (retryAfterMs > 0) await delay(retryAfterMs, undefined, { signal: deadline.signal });
  return true;
}

/** Why a measurement has no answer, from what ended its tries. */
function endOf(thrown: unknown, last: TryFailure | undefined, { config, key, caller, deadline }: Measurement): { code: JudgeUnavailableCode; reason: string } {
  if (caller.aborted) return { code: 'interrupted', reason: INTERRUPTED };
  if (thrown instanceof FailedTry && thrown.failure.code !== 'judge-timeout') return toldBy(thrown.failure);
  if (deadline.signal.aborted) {
    const before = last === undefined || last.code === 'judge-timeout' ? '' : ` The last try: ${last.reason}`;
    return { code: 'judge-timeout', reason: `The judge "${config.model}" gave no answer within its \`timeoutMs\` of ${config.timeoutMs} ms. Raise it, or choose a faster model.${before}` };
  }
  if (thrown instanceof FailedTry) return toldBy(thrown.failure);
  return { code: 'judge-call-failed', reason: `The judge "${config.model}" could not be asked: ${shownText(messageOf(thrown), { key, longest: 400 })}.` };
}

function toldBy({ code, reason }: TryFailure): { code: JudgeUnavailableCode; reason: string } {
  return { code, reason };
}

const INTERRUPTED = 'The question to the judge was interrupted.';

function unasked(code: JudgeUnavailableCode, reason: string): JudgeAnswer {
  return { status: 'unavailable', code, reason, usage: {}, tries: 0 };
}

function unusableProblem(question: unknown, material: unknown): string | undefined {
  const problem = judgeQuestionProblem(question);
  if (problem !== undefined) return `This cannot be asked: ${problem}.`;
  return judgeMaterialSchema.safeParse(material).success ? undefined : 'This cannot be judged: a material has two texts, `input` and `output`, and nothing else.';
}

function keyProblemOf(key: string, { model, apiKeyEnv }: CompleteJudgeConfig): string | undefined {
  if (key === '') return `The judge "${model}" has no key: ${apiKeyEnv} is not set. Set it, or name another variable with \`apiKeyEnv\`.`;
  // Nothing else fits into a header, and fetch would repeat the key in its error.
  return /^[\x21-\x7e]+$/.test(key) ? undefined : `The judge "${model}" has no key: what ${apiKeyEnv} holds is none, since keys are printable ASCII without spaces.`;
}

/** p-retry is told of a failure by a throw. */
class FailedTry extends Error {
  constructor(readonly failure: TryFailure) {
    super(failure.reason);
  }
}
