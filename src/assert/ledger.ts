import { checkedThreshold, show } from '../expect/match.js';
import type { Claim, ClaimOutcome } from './claim.js';
import { decide } from './decide.js';
import type { ClaimSettings, ClaimSpec, Entry, EvaluationKind } from './entry.js';
import { ClaimAuthoringError, ClaimStop, wordsOfThrown } from './errors.js';
import type { AnyHandle } from './handle.js';

const MOST_CLAIMS = 4096;
const TEXT_CHARACTERS = 256;

/** What a ledger is opened for. */
export interface LedgerOptions {
  /** Default: `pass`. */
  readonly evaluation?: EvaluationKind;
  /** The titles of the groups that are open where a claim is made, outermost first. Default: none. */
  readonly groups?: () => readonly string[];
}

/** All claims of one Attempt, in the order in which they were made. */
export class ClaimLedger {
  readonly #entries: Entry[] = [];
  readonly #settled = new Map<Entry, Promise<Claim>>();
  readonly #keys = new Set<string>();
  readonly #evaluation: EvaluationKind;
  readonly #groups: () => readonly string[];
  #closed: string | undefined;

  constructor({ evaluation = 'pass', groups = () => [] }: LedgerOptions = {}) {
    this.#evaluation = evaluation;
    this.#groups = groups;
  }

  /** How many claims were made. */
  get size(): number {
    return this.#entries.length;
  }

  /** @throws ClaimAuthoringError when the test was stopped, has ended, or makes too many claims. */
  register(spec: ClaimSpec): AnyHandle {
    if (this.#closed !== undefined) throw new ClaimAuthoringError(`"${spec.description}" was claimed too late: ${this.#closed}.`);
    if (this.#entries.length >= MOST_CLAIMS) throw new ClaimAuthoringError(`An Attempt can make ${MOST_CLAIMS} claims; this is one more.`);
    const entry: Entry = { spec, kind: spec.kind ?? 'boolean', ordinal: this.#entries.length + 1, groups: this.#groups(), settings: {} };
    this.#entries.push(entry);
    return this.#handleOf(entry);
  }

  /** Registers a claim that is decided already. What is thrown ends the test, when it does not hold. */
  decided(description: string, outcome: ClaimOutcome): ClaimStop | undefined {
    const handle = this.register({ description, evaluate: () => outcome });
    // The test cannot go on without it, so it decides in every kind of eval.
    if (this.#evaluation === 'score') handle.gate();
    if (outcome.status === 'matched') return undefined;
    this.#closed = `the test was stopped by "${description}"`;
    return new ClaimStop(description);
  }

  /** Takes no more claims: the test has ended. */
  close(): void {
    this.#closed ??= 'the test has ended';
  }

  /** Closes the ledger and evaluates what is left: measurements side by side, since a judge takes its time. */
  async settle(): Promise<readonly Claim[]> {
    this.close();
    for (const entry of this.#entries) if (entry.kind === 'measurement') void this.#settle(entry);
    const claims: Claim[] = [];
    for (const entry of this.#entries) claims.push(await this.#settle(entry));
    return claims;
  }

  #settle(entry: Entry): Promise<Claim> {
    const settled = this.#settled.get(entry) ?? decide(entry, this.#evaluation);
    this.#settled.set(entry, settled);
    return settled;
  }

  #handleOf(entry: Entry): AnyHandle {
    const { description } = entry.spec;
    const refuse = (problem: string): never => {
      throw new ClaimAuthoringError(`${problem} ("${description}")`);
    };
    const set = <K extends keyof ClaimSettings>(method: K, value: NonNullable<ClaimSettings[K]>): AnyHandle => {
      if (entry.settings[method] !== undefined) refuse(`.${method}() was called twice`);
      if (this.#settled.has(entry)) refuse(`.${method}() came after the claim was evaluated`);
      entry.settings = { ...entry.settings, [method]: value };
      return handle;
    };
    const passOnly = (method: string, instead: string): void => {
      if (this.#evaluation === 'score') refuse(`.${method}() has no meaning in an eval that gives points. ${instead}`);
    };
    const handle: AnyHandle = {
      key: (id) => {
        if (this.#keys.has(checkedText('.key()', id))) refuse(`The key ${show(id)} is taken by another claim of this Attempt`);
        set('key', id);
        this.#keys.add(id);
        return handle;
      },
      label: (text) => set('label', checkedText('.label()', text)),
      group: (title) => set('group', checkedText('.group()', title)),
      optional: () => {
        passOnly('optional', 'Points that cannot be told cannot be forgiven. Leave it out.');
        if (entry.kind === 'points') refuse('.optional() has no meaning for points that are given');
        return set('optional', true);
      },
      soft: () => {
        passOnly('soft', 'A claim there decides nothing unless .gate() says so. Leave it out.');
        if (entry.kind !== 'boolean') refuse('.soft() is for claims that hold or not. Use .atLeast(n) to record a measurement');
        if (entry.settings.gate !== undefined) refuse('.soft() and .gate() contradict each other. Keep one');
        return set('soft', true);
      },
      gate: (least) => {
        if (entry.kind === 'points') refuse('.gate() has no meaning for points that are given');
        if (entry.settings.soft === true) refuse('.soft() and .gate() contradict each other. Keep one');
        if (entry.settings.atLeast !== undefined) refuse('.gate(n) and .atLeast(n) are alternatives: one decides, the other only records. Keep one');
        if (entry.kind === 'measurement') return set('gate', authored(() => checkedThreshold('gate', least)));
        if (least !== undefined) refuse('.gate(n) is for measurements; a claim that holds or not takes .gate()');
        return set('gate', true);
      },
      atLeast: (least) => {
        if (entry.kind !== 'measurement') refuse('.atLeast(n) is for measurements. For how often, give the number to the match: toolMatch(...).atLeast(2)');
        if (entry.settings.gate !== undefined) refuse('.gate(n) and .atLeast(n) are alternatives: one decides, the other only records. Keep one');
        return set('atLeast', authored(() => checkedThreshold('atLeast', least)));
      },
      score: (points) => {
        if (this.#evaluation === 'pass') refuse('.score() gives points, and this eval passes or fails. Use defineScoreEval');
        if (entry.kind === 'points') refuse('.score() has no meaning for points that are given');
        return set('score', checkedPoints(points));
      },
      orStop: async () => {
        // The type of such a handle has no `orStop`; a file that nobody type-checked may call it all the same.
        if (entry.spec.atEnd === true) refuse('.orStop() cannot wait for what an agent changed: it is judged when the test has ended. Leave .orStop() out');
        if (entry.kind === 'points') refuse('.orStop() has no meaning for points that are given');
        if (entry.settings.soft === true) refuse('.soft() and .orStop() contradict each other: what ends the test decides. Keep one');
        set('orStop', true);
        for (const earlier of this.#entries.slice(0, entry.ordinal)) if (earlier.spec.atEnd !== true) await this.#settle(earlier);
        const claim = await this.#settle(entry);
        if (claim.state === 'matched' || claim.state === 'measured' || (claim.state === 'unavailable' && claim.optional)) return;
        this.#closed = `the test was stopped by "${description}"`;
        throw new ClaimStop(description);
      },
    };
    return Object.freeze(handle);
  }
}

/** @throws ClaimAuthoringError unless it is a finite number of at least 0. */
export function checkedPoints(points: unknown): number {
  if (typeof points === 'number' && Number.isFinite(points) && points >= 0) return points;
  throw new ClaimAuthoringError(`Points are a finite number of at least 0, not ${show(points)}.`);
}

/** @throws ClaimAuthoringError unless it can stand in a table: 1 to 256 characters, not blank, no control characters. */
export function checkedText(what: string, text: string): string {
  if (typeof text !== 'string' || text.trim() === '' || [...text].length > TEXT_CHARACTERS || /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(text)) {
    throw new ClaimAuthoringError(`${what} needs 1 to ${TEXT_CHARACTERS} characters and no control characters; ${show(text)} is none.`);
  }
  return text;
}

/** What `niceeval/expect` refuses is here a mistake in how a claim is made. */
function authored<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ClaimAuthoringError(wordsOfThrown(error), { cause: error });
  }
}
