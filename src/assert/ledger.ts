import type { MatchOutcome } from '../expect/match.js';
import type { Claim, ClaimHandle } from './claim.js';
import { ClaimAuthoringError, ClaimStop } from './errors.js';

const MOST_CLAIMS = 4096;
const LABEL_CHARACTERS = 256;
const CONDITION_LIMIT_MS = 60_000;

/** A claim as it is made: its words, and how it is decided. */
export interface ClaimSpec {
  readonly description: string;
  /** Called once. Works on evidence that was frozen when the claim was made, or on the frozen end of the Attempt. */
  readonly evaluate: () => MatchOutcome | Promise<MatchOutcome>;
  /** True for a claim about the end of the Attempt, which `orStop` and earlier claims must not ask about. */
  readonly atEnd?: boolean;
}

interface Entry extends ClaimSpec {
  readonly ordinal: number;
  label: string | undefined;
  optional: boolean;
  stopping: boolean;
  settled: Promise<Claim> | undefined;
}

/** All claims of one Attempt, in the order in which they were made. */
export class ClaimLedger {
  readonly #entries: Entry[] = [];
  #closed: string | undefined;

  /** @throws ClaimAuthoringError when the test was stopped, has ended, or makes too many claims. */
  register(spec: ClaimSpec): ClaimHandle {
    if (this.#closed !== undefined) throw new ClaimAuthoringError(`"${spec.description}" was claimed too late: ${this.#closed}.`);
    if (this.#entries.length >= MOST_CLAIMS) throw new ClaimAuthoringError(`An Attempt can make ${MOST_CLAIMS} claims; this is one more.`);
    const entry: Entry = { ...spec, ordinal: this.#entries.length + 1, label: undefined, optional: false, stopping: false, settled: undefined };
    this.#entries.push(entry);
    return this.#handleOf(entry);
  }

  /** Registers a claim that is decided already. What is thrown ends the test, when it does not hold. */
  decided(description: string, outcome: MatchOutcome): ClaimStop | undefined {
    this.register({ description, evaluate: () => outcome });
    if (outcome.status === 'matched') return undefined;
    this.#closed = `the test was stopped by "${description}"`;
    return new ClaimStop(description);
  }

  /** Takes no more claims: the test has ended. */
  close(): void {
    this.#closed ??= 'the test has ended';
  }

  /** Closes the ledger and evaluates what is left. */
  async settle(): Promise<readonly Claim[]> {
    this.close();
    const claims: Claim[] = [];
    for (const entry of this.#entries) claims.push(await this.#settle(entry));
    return claims;
  }

  #handleOf(entry: Entry): ClaimHandle {
    const once = (method: string, done: boolean): void => {
      if (done) throw new ClaimAuthoringError(`.${method}() was called twice on "${entry.description}".`);
      if (entry.settled !== undefined) throw new ClaimAuthoringError(`.${method}() came after "${entry.description}" was evaluated.`);
    };
    const handle: ClaimHandle = {
      label: (text) => {
        once('label', entry.label !== undefined);
        entry.label = checkedLabel(text);
        return handle;
      },
      optional: () => {
        once('optional', entry.optional);
        entry.optional = true;
        return handle;
      },
      orStop: async () => {
        // The type of such a handle has no `orStop`; a file that nobody type-checked may call it all the same.
        if (entry.atEnd === true) {
          throw new ClaimAuthoringError(`.orStop() cannot wait for "${entry.description}": what an agent changed is judged when the test has ended. Leave .orStop() out.`);
        }
        once('orStop', entry.stopping);
        entry.stopping = true;
        for (const earlier of this.#entries.slice(0, entry.ordinal)) if (earlier.atEnd !== true) await this.#settle(earlier);
        const claim = await this.#settle(entry);
        if (claim.state === 'matched' || (claim.state === 'unavailable' && claim.optional)) return;
        this.#closed = `the test was stopped by "${entry.description}"`;
        throw new ClaimStop(entry.description);
      },
    };
    return handle;
  }

  #settle(entry: Entry): Promise<Claim> {
    entry.settled ??= decide(entry);
    return entry.settled;
  }
}

/** An author's own condition may never answer; the others are judged all the same. */
async function inTime(entry: Entry): Promise<MatchOutcome> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`there was no answer within ${CONDITION_LIMIT_MS} ms`)), CONDITION_LIMIT_MS);
  });
  try {
    return await Promise.race([entry.evaluate(), limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function decide(entry: Entry): Promise<Claim> {
  const facts = {
    ordinal: entry.ordinal,
    description: entry.description,
    ...(entry.label === undefined ? {} : { label: entry.label }),
    optional: entry.optional,
  };
  try {
    const outcome = await inTime(entry);
    switch (outcome.status) {
      case 'matched': return { ...facts, state: 'matched' };
      case 'mismatched': return { ...facts, state: 'mismatched', expected: outcome.expected, received: withPath(outcome) };
      case 'unavailable': return { ...facts, state: 'unavailable', reason: outcome.reason };
    }
  } catch (error) {
    return { ...facts, state: 'errored', reason: error instanceof Error ? error.message : String(error) };
  }
}

function withPath(outcome: MatchOutcome & { status: 'mismatched' }): string {
  return outcome.path === undefined ? outcome.received : `${outcome.received} at ${outcome.path}`;
}

function checkedLabel(text: string): string {
  if (typeof text !== 'string' || text.trim() === '' || [...text].length > LABEL_CHARACTERS || /[\u0000-\u001f\u007f]/.test(text)) {
    throw new ClaimAuthoringError(`A label has 1 to ${LABEL_CHARACTERS} characters and no control characters; ${JSON.stringify(text)} is none.`);
  }
  return text;
}
