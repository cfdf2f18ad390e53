import type { CassetteExchange } from '../gateway/cassette/cassette.js';
import type { PartText } from '../gateway/cassette/difference.js';
import { outlineOf, partTextsOf, type OutlinedRequest } from '../gateway/cassette/outline.js';
import { createReplay, type Replay } from '../gateway/cassette/replay.js';
import { withRenames } from '../gateway/cassette/rewrite.js';
import { CassetteError } from '../gateway/errors.js';
import type { HeldRequest, HostAnswer, Tape } from '../gateway/tape.js';
import { messageOf } from '../lifetime/error.js';
import type { PlannedAttempt } from '../plan/plan.js';
import { openCassetteFolder, type Cassette } from './cassette-folder.js';
import type { CassetteWriter } from './cassette-writer.js';
import { ModelTroubleError } from './model-trouble.js';
import type { DiagnosticInput } from '../define/context.js';

/** What is done with answers of model services. */
export interface CassetteUse {
  /** `record`: they are kept. `replay`: those that were kept are given again, and no service is asked. `grow`: it is asked for what was not kept, and that is added. */
  readonly kind: 'record' | 'replay' | 'grow';
  /** The folder of the cassettes. */
  readonly folder: string;
}

/** The cassette of one Attempt. */
export interface AttemptCassette {
  /** Answers what was recorded. Absent: nothing is replayed. */
  readonly answer?: (request: HeldRequest) => Promise<HostAnswer>;
  /** Keeps what a service answered. Absent: nothing is kept. */
  readonly tape?: (tape: Tape) => void;
  /**
   * Puts what was kept into its place, or leaves what was there as it was.
   *
   * @returns what people should know of it.
   */
  close(options: { readonly keep: boolean }): Promise<readonly DiagnosticInput[]>;
}

/** What a cassette is opened for. */
export interface AttemptCassetteOptions {
  readonly attempt: Pick<PlannedAttempt, 'experimentId' | 'evalId' | 'index'>;
  /** Sources of patterns of what varies. */
  readonly volatile: readonly string[];
  /** What may not be kept; looked at each time, so it may grow. */
  readonly secrets: readonly string[];
}

/** @throws ModelTroubleError when there is nothing to replay, CassetteError when it cannot be read. */
export async function openAttemptCassette({ kind, folder: path }: CassetteUse, { attempt, volatile, secrets }: AttemptCassetteOptions): Promise<AttemptCassette> {
  const folder = openCassetteFolder(path);
  const session = { experimentId: attempt.experimentId, evalId: attempt.evalId, attempt: attempt.index };
  const options = { volatile, secrets };
  if (kind === 'record') {
    const recording = new Recording(folder.record(session, options), options);
    return { tape: recording.tape, close: recording.close };
  }
  const cassette = await folder.read(session, options);
  if (kind === 'replay') {
    if (cassette === undefined) throw new ModelTroubleError('cassette-lacks', `Nothing was recorded in "${path}" for attempt ${attempt.index} of "${attempt.evalId}" by "${attempt.experimentId}". Record it with \`--record\`, or grow the folder with \`--replay-or-forward\`.`);
    const replaying = new Replaying(cassette, options);
    return {
      answer: (request) => replaying.answer(request),
      close: () => Promise.resolve([...replaying.remarks, ...replaying.unusedTold()]),
    };
  }
  const replaying = new Replaying(cassette, options);
  const recording = new Recording(await folder.append(session, options), options);
  return {
    answer: async (request) => {
      const said = await replaying.answer(request);
      return said.kind === 'answer' ? said : { kind: 'go' };
    },
    tape: recording.tape,
    close: async (how) => [...replaying.remarks, ...await recording.close(how)],
  };
}

type Outlining = Pick<AttemptCassetteOptions, 'volatile' | 'secrets'>;

function outlined({ protocol, method, target, body }: HeldRequest): OutlinedRequest {
  return { protocol, method, path: target, body: body.length === 0 ? null : body };
}

class Recording {
  readonly #writer: CassetteWriter;
  readonly #options: Outlining;
  readonly #failures: string[] = [];
  readonly #pending = new Set<Promise<void>>();

  constructor(writer: CassetteWriter, options: Outlining) {
    this.#writer = writer;
    this.#options = options;
  }

  readonly tape = (tape: Tape): void => {
    const kept = this.#add(tape).catch((error: unknown) => { this.#failures.push(messageOf(error)); });
    this.#pending.add(kept);
    void kept.then(() => this.#pending.delete(kept));
  };

  async #add({ request, answer: { body, ...answer } }: Tape): Promise<void> {
    const asked = outlined(request);
    await this.#writer.add({ ordinal: request.ordinal, outline: outlineOf(asked, this.#options), response: answer }, { request: asked.body, response: body });
  }

  readonly close = async ({ keep }: { readonly keep: boolean }): Promise<readonly DiagnosticInput[]> => {
    await Promise.all(this.#pending);
    if (keep && this.#failures.length === 0) await this.#writer.close().catch((error: unknown) => { this.#failures.push(messageOf(error)); });
    if (keep && this.#failures.length === 0) return [];
    await this.#writer[Symbol.asyncDispose]();
    const reason = this.#failures[0] ?? 'the Attempt broke before it had ended';
    return [{ code: 'cassette-not-kept', level: 'warning', message: `What its model answered was not kept: ${reason}. What was recorded before stands as it was.` }];
  };
}

class Replaying {
  readonly #cassette: Cassette | undefined;
  readonly #replay: Replay;
  readonly #options: Outlining;
  /** Whole texts of recorded requests, for messages. */
  readonly #texts = new Map<CassetteExchange, PartText>();

  constructor(cassette: Cassette | undefined, options: Outlining) {
    this.#cassette = cassette;
    this.#options = options;
    this.#replay = createReplay({ exchanges: cassette?.exchanges ?? [] }, { textOf: (exchange) => this.#texts.get(exchange) });
  }

  /** What went wrong with the folder; the agent is not told where it lies. */
  readonly remarks: DiagnosticInput[] = [];

  async answer(request: HeldRequest): Promise<HostAnswer> {
    try {
      return await this.#found(request);
    } catch (error) {
      if (!(error instanceof CassetteError)) throw error;
      this.remarks.push({ code: error.code, level: 'error', message: error.message });
      return { kind: 'refusal', reason: 'cassette-lacks', message: 'The cassette of the Attempt cannot be read.' };
    }
  }

  async #found(request: HeldRequest): Promise<HostAnswer> {
    const asked = outlined(request);
    const outline = outlineOf(asked, this.#options);
    const taken = this.#replay.take(outline);
    if (taken.kind === 'found') {
      const { status, headers, body, ending } = taken.exchange.response;
      const bytes = await (this.#cassette as Cassette).body(body);
      return { kind: 'answer', answer: { status, headers, ending, body: withRenames(bytes, taken.renames) } };
    }
    return { kind: 'refusal', reason: 'cassette-lacks', message: await this.#difference(asked, taken) };
  }

  /** The difference once more, with the whole texts of both. */
  async #difference(asked: OutlinedRequest, { message, nearest }: { readonly message: string; readonly nearest?: CassetteExchange }): Promise<string> {
    if (nearest?.request.body == null) return message;
    const { protocol, method, path } = nearest.outline;
    const body = await (this.#cassette as Cassette).body(nearest.request.body);
    const recorded = partTextsOf({ protocol, method, path, body }, this.#options);
    const now = partTextsOf(asked, this.#options);
    this.#texts.set(nearest, (where) => recorded.get(where));
    const again = this.#replay.take(outlineOf(asked, this.#options), (where) => now.get(where));
    this.#texts.clear();
    return again.kind === 'missing' ? again.message : message;
  }

  unusedTold(): readonly DiagnosticInput[] {
    const unused = this.#replay.unused();
    if (unused.length === 0) return [];
    return [{ code: 'cassette-unused', level: 'warning', message: `${unused.length} of ${this.#cassette?.exchanges.length ?? 0} recorded requests were not made this time, the first of them ${unused[0]?.outline.method ?? ''} ${unused[0]?.outline.path ?? ''}.` }];
  }
}
