import type { ScopeEvidence, TurnConsumption } from '../assert/scope.js';
import type { CostEstimate } from '../evidence/cost.js';
import { foldCoverage, lowerCoverage, completeEvidenceCoverage, type EvidenceCoverage } from '../evidence/coverage.js';
import type { StreamEvent } from '../evidence/events.js';
import type { Turn } from '../evidence/turn.js';
import { addUsage, type Usage } from '../evidence/usage.js';
import { deeplyFrozen } from './deeply-frozen.js';
import type { TurnRecord } from './result.js';

/** A send that is under way. */
export interface OpenTurn {
  readonly session: number;
  readonly turn: number;
  readonly label: string;
}

/** Everything that was seen of the agent in one Attempt. Lives outside the test, so nothing is lost when it is cut. */
export class EvidenceLog {
  readonly #declared: EvidenceCoverage;
  readonly #estimate: (usage: Usage) => CostEstimate;
  /** Looks that were taken, until the next turn begins or ends. A turn that has ended does not change any more. */
  #looks = new Map<string, ScopeEvidence>();
  readonly #turnLooks = new Map<TurnRecord, ScopeEvidence>();
  readonly #turns: TurnRecord[] = [];
  #open: OpenTurn | undefined;
  /** Sends that the test has called for and that have not ended, by session; they may still wait for their turn. */
  readonly #calledFor = new Map<number, number>();
  #sessions = 0;

  /**
   * @param declared The agent's own coverage; a turn may only lower it.
   * @param estimate What usage costs by the price table. Default: nobody knows.
   */
  constructor(declared: EvidenceCoverage, estimate: (usage: Usage) => CostEstimate = noPrices) {
    this.#declared = declared;
    this.#estimate = estimate;
  }

  /** What the agent can give at the most. */
  get declared(): EvidenceCoverage {
    return this.#declared;
  }

  get turns(): readonly TurnRecord[] {
    return this.#turns;
  }

  get usage(): Usage {
    return addUsage(this.#turns.flatMap((turn) => (turn.usage === undefined ? [] : [turn.usage])));
  }

  /** The number of a new session, from 1. */
  newSession(): number {
    this.#sessions += 1;
    return this.#sessions;
  }

  /** Says that the test has called for a send: from now on nothing about the session is complete. @returns what to call when it has ended. */
  callFor(session: number): () => void {
    const add = (number: number): void => {
      this.#calledFor.set(session, (this.#calledFor.get(session) ?? 0) + number);
      this.#looks = new Map();
    };
    add(1);
    return () => add(-1);
  }

  #isRunning(session: number | undefined): boolean {
    const open = [...(this.#open === undefined ? [] : [this.#open.session]), ...[...this.#calledFor].filter(([, count]) => count > 0).map(([ordinal]) => ordinal)];
    return open.some((ordinal) => session === undefined || ordinal === session);
  }

  begin(session: number): OpenTurn {
    const turn = this.#turns.filter((record) => record.session === session).length + 1;
    const label = session === 1 ? `turn${turn}` : `session${session}/turn${turn}`;
    this.#open = { session, turn, label };
    this.#looks = new Map();
    return this.#open;
  }

  /**
   * Adds what a send came to.
   *
   * @throws RangeError when the turn claims better coverage than the agent declares.
   */
  end(open: OpenTurn, seen: { readonly turn: Turn; readonly prompt: string; readonly startedAt: string; readonly durationMs: number; readonly failure?: TurnRecord['failure'] }): TurnRecord {
    // Claims are evaluated later: what an author or a condition does to it must not change what was seen.
    const turn = deeplyFrozen(seen.turn);
    this.#open = undefined;
    const record: TurnRecord = Object.freeze({
      ...open,
      status: turn.status,
      events: Object.freeze([{ type: 'message', role: 'user', text: seen.prompt } as const, ...turn.events]),
      coverage: lowerCoverage(this.#declared, turn.evidenceCoverage),
      ...(turn.usage === undefined ? {} : { usage: turn.usage }),
      ...(turn.context === undefined ? {} : { context: turn.context }),
      ...(turn.data === undefined ? {} : { data: turn.data }),
      startedAt: seen.startedAt,
      durationMs: seen.durationMs,
      ...(seen.failure === undefined ? {} : { failure: seen.failure }),
    });
    this.#turns.push(record);
    this.#looks = new Map();
    return record;
  }

  /** The events of each session that something was sent in. */
  get sessions(): readonly (readonly StreamEvent[])[] {
    return [...new Set(this.#turns.map((turn) => turn.session))].map((session) => this.eventsOf(session));
  }

  eventsOf(session?: number): readonly StreamEvent[] {
    return this.#turns.filter((turn) => session === undefined || turn.session === session).flatMap((turn) => turn.events);
  }

  /** What the session of a turn held before it. */
  #earlierThan(first: TurnRecord | undefined): readonly StreamEvent[] {
    return this.#turns.filter((turn) => turn.session === first?.session && turn.turn < first.turn).flatMap((turn) => turn.events);
  }

  /** A frozen look at one turn, one session or the whole Attempt. The same until something happens, so that it is paired once. */
  scope(name: string, options: { readonly turn?: TurnRecord; readonly session?: number } = {}): ScopeEvidence {
    const { turn, session } = options;
    const key = `${session ?? 'all'} ${name}`;
    const known = turn === undefined ? this.#looks.get(key) : this.#turnLooks.get(turn);
    if (known !== undefined) return known;
    const look = this.#look(name, options);
    if (turn === undefined) this.#looks.set(key, look);
    else this.#turnLooks.set(turn, look);
    return look;
  }

  #look(name: string, options: { readonly turn?: TurnRecord; readonly session?: number }): ScopeEvidence {
    const turns = options.turn !== undefined ? [options.turn] : this.#turns.filter((turn) => options.session === undefined || turn.session === options.session);
    const ordinals = [...new Set(turns.map((turn) => turn.session))];
    return Object.freeze({
      name,
      sessions: ordinals.map((ordinal) => {
        const own = turns.filter((turn) => turn.session === ordinal);
        const earlier = this.#earlierThan(own[0]);
        return { events: own.flatMap((turn) => turn.events), ...(earlier.length === 0 ? {} : { earlier }), statuses: own.map((turn) => turn.status) };
      }),
      turns: turns.map((turn) => this.#consumptionOf(turn)),
      coverage: turns.length === 0 ? this.#declared : foldCoverage(turns.map((turn) => turn.coverage)),
      running: options.turn === undefined && this.#isRunning(options.session),
    });
  }

  #consumptionOf({ label, usage, coverage, durationMs }: TurnRecord): TurnConsumption {
    const { status, reason } = coverage.usage;
    return {
      label,
      durationMs,
      ...(usage === undefined ? {} : { usage }),
      ...(status === 'complete' ? {} : { gap: `${label}: usage coverage is ${status}: ${reason}` }),
      estimate: () => this.#estimate(usage ?? {}),
    };
  }
}

function noPrices(): CostEstimate {
  return { state: 'unknown', leastUSD: 0, code: 'model-unknown', models: [], reason: 'there is no price table' };
}

/** The coverage of an agent from which nothing was heard. */
export const nothingSeen: Turn = Object.freeze({
  events: [],
  status: 'failed',
  evidenceCoverage: Object.fromEntries(
    Object.keys(completeEvidenceCoverage).map((channel) => [channel, { status: 'unavailable', reason: 'the send broke before anything was collected' }]),
  ) as unknown as EvidenceCoverage,
});
