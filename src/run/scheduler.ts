import type { Pace } from './pace.js';

/** One piece of work that waits for its turn. */
export interface Job {
  /** Jobs of one lane share its limit; lanes take turns. */
  readonly lane: string;
  /** What it asks. Absent: no model, so nothing slows it down. */
  readonly model?: string;
  /** Settles when it may begin, for instance since its image is there. Never rejects. */
  readonly ready: Promise<void>;
}

/** How a job went. */
export type JobEnding =
  | { readonly kind: 'done'; readonly rateLimited?: boolean }
  /** It is to be begun again, not before so many milliseconds; its place is free until then. */
  | { readonly kind: 'again'; readonly afterMs: number; readonly rateLimited?: boolean };

/** How jobs are carried out. */
export interface ScheduleOptions<J extends Job, R> {
  /** How many at once. */
  readonly places: number;
  /** How many of one lane at once. Absent: as many as there are places. */
  readonly lanePlaces?: ReadonlyMap<string, number>;
  readonly pace: Pace;
  /** Whether the machine can take one more. Asked again after each change and every second. Default: it can. */
  readonly mayStart?: (attempts: { readonly running: number; readonly opening: number }) => boolean;
  /** Nothing new begins once it is aborted; what waits then is dropped for `whenAborted`. */
  readonly signal: AbortSignal;
  readonly whenAborted: R;
  /** Carries one out. Never rejects. @param opened To be called when what costs the machine most at the beginning is over. */
  readonly start: (job: J, opened: () => void) => Promise<JobEnding>;
  /** Told of each job that is not begun, or not begun again. */
  readonly onDropped: (job: J, reason: R) => void;
}

/** What can be done with jobs that wait. */
export interface Schedule<J extends Job, R> {
  /** Takes away all that fit and have not begun; of those at work none is begun again. */
  drop(fits: (job: J) => boolean, reason: R): void;
  /** Settles when every job has ended or was dropped. Never rejects. */
  readonly ended: Promise<void>;
}

interface Lane<J> {
  readonly name: string;
  readonly queue: J[];
  running: number;
  /** When it last got a place; the one that waits longest goes first. */
  servedAt: number;
}

const LOOK_AGAIN_MS = 1_000;

/**
 * Carries jobs out, each as soon as it is ready, there is a place, and its lane, its model and the machine allow it. The lane with the
 * fewest at work goes first, so that no lane waits for another, and within a lane the order is that in which jobs became ready.
 */
export function schedule<J extends Job, R>(jobs: readonly J[], options: ScheduleOptions<J, R>): Schedule<J, R> {
  return new Scheduler(jobs, options);
}

class Scheduler<J extends Job, R> implements Schedule<J, R> {
  readonly ended: Promise<void>;
  readonly #options: ScheduleOptions<J, R>;
  readonly #lanes = new Map<string, Lane<J>>();
  /** All that have neither ended nor been dropped nor begun. */
  readonly #waiting = new Set<J>();
  readonly #drops: { readonly fits: (job: J) => boolean; readonly reason: R }[] = [];
  readonly #byModel = new Map<string, number>();
  #running = 0;
  #opening = 0;
  #served = 0;
  #isToBegin = false;
  #timer: NodeJS.Timeout | undefined;
  #end: () => void = () => undefined;

  constructor(jobs: readonly J[], options: ScheduleOptions<J, R>) {
    this.#options = options;
    this.ended = new Promise((resolve) => { this.#end = resolve; });
    for (const job of jobs) {
      this.#waiting.add(job);
      this.#laneOf(job);
      void job.ready.then(() => this.#queue(job));
    }
    const stop = (): void => this.drop(() => true, options.whenAborted);
    if (options.signal.aborted) queueMicrotask(stop);
    else options.signal.addEventListener('abort', stop, { once: true });
    void this.ended.then(() => options.signal.removeEventListener('abort', stop));
    this.#endIfDone();
  }

  drop(fits: (job: J) => boolean, reason: R): void {
    this.#drops.push({ fits, reason });
    for (const job of [...this.#waiting].filter(fits)) {
      // Whoever is told may drop more, these among them.
      if (!this.#waiting.delete(job)) continue;
      this.#options.onDropped(job, reason);
    }
    this.#endIfDone();
  }

  #laneOf(job: J): Lane<J> {
    const known = this.#lanes.get(job.lane) ?? { name: job.lane, queue: [], running: 0, servedAt: 0 };
    this.#lanes.set(job.lane, known);
    return known;
  }

  #queue(job: J): void {
    if (!this.#waiting.has(job)) return;
    this.#laneOf(job).queue.push(job);
    // Many become ready at once; which goes first is decided among all of them.
    if (this.#isToBegin) return;
    this.#isToBegin = true;
    queueMicrotask(() => {
      this.#isToBegin = false;
      this.#begin();
    });
  }

  #begin(): void {
    clearTimeout(this.#timer);
    for (let job = this.#next(); job !== undefined; job = this.#next()) this.#carryOut(job);
    this.#lookAgain();
  }

  #next(): J | undefined {
    const { places, lanePlaces, mayStart, signal } = this.#options;
    if (signal.aborted || this.#running >= places) return undefined;
    if (mayStart?.({ running: this.#running, opening: this.#opening }) === false) return undefined;
    const lanes = [...this.#lanes.values()].sort((a, b) => a.running - b.running || a.servedAt - b.servedAt);
    for (const lane of lanes) {
      if (lane.running >= (lanePlaces?.get(lane.name) ?? Infinity)) continue;
      const job = this.#firstOf(lane);
      if (job !== undefined) return job;
    }
    return undefined;
  }

  /** The first of a lane whose model may be asked; what was dropped meanwhile goes. */
  #firstOf(lane: Lane<J>): J | undefined {
    const resting = new Set<string>();
    for (let at = 0; at < lane.queue.length;) {
      const job = lane.queue[at] as J;
      const { model } = job;
      if (!this.#waiting.has(job)) {
        lane.queue.splice(at, 1);
      } else if (model !== undefined && (resting.has(model) || !this.#options.pace.mayStart(model, this.#byModel.get(model) ?? 0))) {
        resting.add(model);
        at += 1;
      } else {
        lane.queue.splice(at, 1);
        return job;
      }
    }
    return undefined;
  }

  #carryOut(job: J): void {
    const lane = this.#laneOf(job);
    this.#waiting.delete(job);
    lane.running += 1;
    lane.servedAt = ++this.#served;
    this.#count(job, 1);
    this.#opening += 1;
    let isOpening = true;
    const opened = (): void => {
      if (!isOpening) return;
      isOpening = false;
      this.#opening -= 1;
      this.#begin();
    };
    void this.#options.start(job, opened).then((ending) => {
      this.#tellPace(job, ending);
      lane.running -= 1;
      this.#count(job, -1);
      if (ending.kind === 'again') this.#later(job, ending.afterMs);
      opened();
      this.#begin();
      this.#endIfDone();
    });
  }

  #tellPace({ model }: J, { rateLimited }: JobEnding): void {
    if (model === undefined) return;
    if (rateLimited === true) this.#options.pace.limited(model, this.#byModel.get(model) ?? 1);
    else this.#options.pace.succeeded(model);
  }

  #count({ model }: J, by: number): void {
    this.#running += by;
    if (model !== undefined) this.#byModel.set(model, (this.#byModel.get(model) ?? 0) + by);
  }

  #later(job: J, afterMs: number): void {
    if (this.#options.signal.aborted) {
      this.#options.onDropped(job, this.#options.whenAborted);
      return;
    }
    // What was dropped while it was at work is not begun again either.
    const drop = this.#drops.find(({ fits }) => fits(job));
    if (drop !== undefined) {
      this.#options.onDropped(job, drop.reason);
      return;
    }
    this.#waiting.add(job);
    setTimeout(() => this.#queue(job), afterMs);
  }

  /** A model that rests and a machine that is busy tell nobody when that is over. */
  #lookAgain(): void {
    clearTimeout(this.#timer);
    if (![...this.#lanes.values()].some(({ queue }) => queue.length > 0) || this.#options.signal.aborted) return;
    this.#timer = setTimeout(() => this.#begin(), LOOK_AGAIN_MS);
  }

  #endIfDone(): void {
    if (this.#running > 0 || this.#waiting.size > 0) return;
    clearTimeout(this.#timer);
    this.#end();
  }
}
